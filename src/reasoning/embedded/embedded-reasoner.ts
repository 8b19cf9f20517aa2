import type { ExtractedAnswer } from "../../answering/quoting/extract-answer.js";
import { extractAnswer } from "../../answering/quoting/extract-answer.js";
import { joinAnswers } from "../../answering/quoting/join-answers.js";
import type { Reader } from "../../reader/reader.js";
import { sentences } from "../../text/sentences.js";
import { openDraftStream } from "../draft-stream.js";
import { compareLexically } from "../compare-lexically.js";
import type { AnswerInput, DraftAnswer, GradeInput, Judgement, Reasoner } from "../reasoner.js";
import { planByRules } from "../rules/plan-by-rules.js";
import { questionParts } from "../rules/question-parts.js";
import { rewriteByRules } from "../rules/rewrite-by-rules.js";
import { routeByRules } from "../rules/route-by-rules.js";
import { webQueryByRules } from "../rules/web-query-by-rules.js";
import type { Scope } from "../../observability/scope.js";
import { chatReply } from "./chat-reply.js";
import { explainCoverage } from "./explain-coverage.js";
import { holdingsReply } from "./holdings-reply.js";
import { judgeParts } from "./judge-parts.js";

export interface EmbeddedReasonerOptions {
  /** Reads the evidence. */
  reader: Reader;
}

/** Reasons without a model, a key or a network, and always the same: rules, a small calibrated judge, and quotes. It never fails a run. */
export function createEmbeddedReasoner({ reader }: EmbeddedReasonerOptions): Reasoner {
  return {
    kind: "embedded",
    rewrite: async (input) => rewriteByRules(input),
    route: async (input) => routeByRules(input),
    plan: async (input) => planByRules(input),
    grade: (input, scope) => grade(input, reader, scope.signal),
    webQuery: async ({ question, purpose }) => webQueryByRules(question, purpose),
    // Without a model there is nothing to imagine an answer with, and quotes are key points already.
    hypothesize: async () => [],
    keyPoints: async () => [],
    answer,
    async compare({ answers }) {
      return { agree: compareLexically(answers) ?? true };
    },
    review: async () => ({ unsupported: [] }),
  };
}

/** Every kind of judgement is the same here: a probability for each passage and one for the set. */
async function grade(
  { question, ungraded, evidence }: GradeInput,
  reader: Reader,
  signal?: AbortSignal,
): Promise<Judgement> {
  const judged = await judgeParts({ reader, question, evidence, signal });
  const asked = new Set(ungraded.map((item) => item.id));
  const scores: Record<string, number> = {};
  for (const [index, item] of evidence.entries())
    if (asked.has(item.id)) scores[item.id] = judged.passages[index] ?? 0;
  const { reasoning, missing } = explainCoverage({ question, evidence, score: judged.set });
  return {
    judge: "embedded",
    scores,
    set: { score: judged.set, reasoning, hints: missing },
    parseFailures: 0,
  };
}

async function answer(input: AnswerInput, scope: Scope): Promise<DraftAnswer> {
  if (input.mode === "chat")
    return said(
      input.holdings === undefined ? chatReply(input) : holdingsReply(input.holdings),
      input,
      scope,
    );
  const extracted = extractedFrom(input, scope);
  if (extracted.unanswerable)
    return {
      text: "",
      unanswerable: true,
      reason: extracted.reason,
      by: "embedded",
      streamed: false,
    };
  return said(extracted.text, input, scope);
}

/** Each part of the question is asked by itself; where none of them finds anything, the whole question is. */
function extractedFrom(
  { standaloneQuestion, window, evidence, evidenceScore }: AnswerInput,
  scope: Scope,
): ExtractedAnswer {
  const { abstainBelow } = scope.settings;
  const extract = (question: string): ExtractedAnswer =>
    extractAnswer({ question, window, evidence, evidenceScore, abstainBelow });
  const parts = questionParts(standaloneQuestion);
  const joined = parts.length > 1 ? joinAnswers(parts.map(extract)) : undefined;
  return joined === undefined || joined.unanswerable ? extract(standaloneQuestion) : joined;
}

/** Sends a finished text out sentence by sentence, white space included, so that the deltas add up to it. */
async function said(text: string, input: AnswerInput, scope: Scope): Promise<DraftAnswer> {
  const draft = await openDraftStream(input, scope);
  const ends = sentences(text).map((sentence) => sentence.end);
  let from = 0;
  for (const [index, end] of ends.entries()) {
    const to = index === ends.length - 1 ? text.length : end;
    await draft.push(text.slice(from, to));
    from = to;
  }
  await draft.push(text.slice(from));
  await draft.end();
  return {
    text,
    unanswerable: false,
    by: "embedded",
    streamed: draft.begun,
    ...(draft.begun ? { messageId: input.messageId } : {}),
  };
}
