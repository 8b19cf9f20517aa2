import { extractAnswer } from "../../answering/extract-answer.js";
import type { Scope } from "../../observability/scope.js";
import type { Reader } from "../../reader/reader.js";
import { headingsOf } from "../../state/evidence.js";
import { sentences } from "../../text/sentences.js";
import { openDraftStream } from "../draft-stream.js";
import type { AnswerInput, DraftAnswer, GradeInput, Judgement, Reasoner } from "../reasoner.js";
import { chatReply } from "./chat-reply.js";
import { uncoveredWords, webQuery } from "./queries.js";
import { plan } from "./plan.js";
import { chatKind, rewrite, route } from "./rewrite-and-route.js";

/** Words that a judgement names at most. */
const MAX_WORDS = 8;

/**
 * Reasons without a model, a key or a network, and always the same: a few rules, and the reader
 * does the rest. It never fails a run.
 */
export function createEmbeddedReasoner({ reader }: { reader: Reader }): Reasoner {
  return {
    kind: "embedded",
    rewrite: async (input) => rewrite(input),
    route: async (input) => route(input),
    plan: async (input) => plan(input),
    grade: (input, scope) => grade(input, reader, scope.signal),
    webQuery: async ({ question, purpose }) => webQuery(question, purpose),
    // Nothing can be imagined without a model, and quotations are key points already.
    hypothesize: async () => [],
    keyPoints: async () => [],
    answer: (input, scope) => answer(input, reader, scope),
    // The same question and evidence give the same answer.
    compare: async () => ({ agree: true }),
    review: async () => ({ unsupported: [] }),
  };
}

/** Every kind of judgement is the same: a probability for each passage and one for the set. */
async function grade(
  { question, ungraded, evidence }: GradeInput,
  reader: Reader,
  signal: AbortSignal,
): Promise<Judgement> {
  const judged = await reader.relevance({
    question,
    passages: evidence.map((item) => ({
      title: item.title,
      headings: headingsOf(item),
      text: item.text,
    })),
    signal,
  });
  const asked = new Set(ungraded.map(({ id }) => id));
  const missing = uncoveredWords(question, evidence).slice(0, MAX_WORDS);
  const count = evidence.length === 1 ? "1 passage" : `${evidence.length} passages`;
  const lacking = missing.length === 0 ? "" : `, none of which mentions ${quoted(missing)}`;
  return {
    judge: "embedded",
    scores: Object.fromEntries(
      evidence.flatMap(({ id }, index) =>
        asked.has(id) ? [[id, judged.passages[index]?.value ?? 0]] : [],
      ),
    ),
    set: {
      score: judged.value,
      reasoning:
        evidence.length === 0
          ? "Nothing was found."
          : `${count}${lacking}. That they answer the question has a probability of ${judged.value.toFixed(2)}.`,
      hints: missing,
    },
    parseFailures: 0,
  };
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(", ");
}

async function answer(input: AnswerInput, reader: Reader, scope: Scope): Promise<DraftAnswer> {
  if (input.mode === "chat") {
    const kind = chatKind(input.question);
    const holdings = kind === "the documents" ? await input.holdings?.() : undefined;
    return said(chatReply(kind, input, holdings), input, scope);
  }
  const { text, unanswerable, reason } = await extractAnswer({
    question: input.standaloneQuestion,
    window: input.window,
    evidence: input.evidence,
    evidenceScore: input.evidenceScore,
    abstainBelow: scope.settings.abstainBelow,
    reader,
    signal: scope.signal,
  });
  return unanswerable
    ? { text: "", unanswerable, reason, by: "embedded", streamed: false }
    : said(text, input, scope);
}

/** Sends a finished text out sentence by sentence, so that the deltas add up to it. */
async function said(text: string, input: AnswerInput, scope: Scope): Promise<DraftAnswer> {
  const draft = await openDraftStream(input, scope);
  let from = 0;
  for (const { end } of sentences(text)) {
    await draft.push(text.slice(from, end));
    from = end;
  }
  await draft.push(text.slice(from));
  await draft.end();
  const { begun: streamed } = draft;
  return {
    text,
    unanswerable: false,
    by: "embedded",
    streamed,
    ...(streamed && { messageId: input.messageId }),
  };
}
