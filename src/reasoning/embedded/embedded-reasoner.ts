import { markSentence } from "../../answering/citations.js";
import { extractAnswer } from "../../answering/extract-answer.js";
import { readerJudge } from "../../grading/grade-evidence.js";
import type { Judge, Judgement } from "../../grading/judgement.js";
import type { Scope } from "../../observability/scope.js";
import type { Reader } from "../../reader/reader.js";
import { asksForAll } from "../../tools/list-passages.js";
import { TABLE_TOOL } from "../../tools/query-table.js";
import { counted } from "../../text/words.js";
import { openDraftStream } from "../draft-stream.js";
import type { AnswerInput, DraftAnswer, GradeInput, Reasoner } from "../reasoner.js";
import { describeHoldings } from "../reasoner.js";
import { asksYesOrNo, uncoveredWords, unmentionedNames, webQuery } from "./queries.js";
import { plan } from "./plan.js";
import { asksForHoldings, hasPronoun, rewrite, route } from "./rewrite-and-route.js";

/** Rows of a table that are repeated in an answer; more of them are in the evidence. */
const FEW_ROWS = 10;
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
    grade: (input, scope) => grade(input, readerJudge(reader), scope.signal),
    webQuery: async ({ question, purpose }) => webQuery(question, purpose),
    // Nothing can be imagined without a model, and quotations are key points already.
    hypothesize: async () => [],
    keyPoints: async () => [],
    answer: (input, scope) => answer(input, reader, scope),
    compare: async () => ({}),
  };
}

/**
 * Returns a probability for each passage and one for the set, whatever kind of judgement is asked
 * for. Dropping the best passage, from which the set's signals come, never lowers the set's score.
 */
async function grade(
  { question, ungraded, evidence, earlier = 0 }: GradeInput,
  judge: Judge,
  signal: AbortSignal,
): Promise<Judgement> {
  const judgement = await judge({ question, ungraded, evidence, signal });
  const { judge: by = "embedded", scores = {}, set = { score: 0 } } = judgement ?? {};
  // What was computed from a question that was read with certainty is its answer.
  const computed = new Set(evidence.flatMap(({ id, tool }) => (tool === TABLE_TOOL ? [id] : [])));
  const read = computed.size > 0 ? 1 : Math.max(set.score, earlier);
  const score = evidence.length === 0 ? 0 : read;
  const missing = uncoveredWords(question, evidence).slice(0, MAX_WORDS);
  const words = missing.map((word) => `"${word}"`).join(", ");
  const lacking = words === "" ? "" : `, none of which mentions ${words}`;
  const found = `${counted(evidence.length, "passage")}${lacking}`;
  const reasoning =
    evidence.length === 0
      ? "Nothing was found."
      : `${found}. They answer the question with a probability of ${score.toFixed(2)}.`;
  return {
    judge: by,
    scores: Object.fromEntries(
      ungraded.map(({ id }) => [id, computed.has(id) ? 1 : (scores[id] ?? 0)]),
    ),
    set: { ...set, score, reasoning, hints: missing },
  };
}

async function answer(input: AnswerInput, reader: Reader, scope: Scope): Promise<DraftAnswer> {
  if (input.mode === "chat") {
    const holdings = asksForHoldings(input.question) ? await input.holdings?.() : undefined;
    return sendDraft(holdings === undefined ? ABILITIES : describeHoldings(holdings), input, scope);
  }
  const abstained = (reason?: string): DraftAnswer => {
    return { text: "", unanswerable: true, reason, by: "embedded" };
  };
  const computed = input.evidence.find(({ tool }) => tool === TABLE_TOOL);
  const at = input.window.sources.find(({ evidenceId }) => evidenceId === computed?.id);
  if (computed !== undefined && at !== undefined) {
    const [statement = "", ...rows] = computed.text.split("\n").filter(Boolean);
    const few = rows.length > FEW_ROWS ? [] : rows.map((row) => `- ${row}`);
    const lines = [statement, ...few].map((line) => markSentence(line, [at.marker]));
    return sendDraft(lines.join("\n"), input, scope);
  }
  const unmentioned = unmentionedNames(input.standaloneQuestion, input.evidence);
  if (unmentioned.length > 0) {
    const names = unmentioned.map((name) => `"${name}"`).join(" or ");
    return abstained(`none of them mentions ${names}`);
  }
  const { evidenceScore, read, standaloneQuestion: question } = input;
  // No single quotation is all that there is.
  if (asksYesOrNo(question) || asksForAll(question)) return abstained();
  // A follow-up has the question before it in brackets, which was answered already. Only the
  // passages say what a phrase like "And in Elmstead?" asks.
  const isJoined = question.endsWith(")") && !input.question.includes(")");
  if (isJoined && !hasPronoun(input.question)) return abstained();
  const text = await extractAnswer({
    question: isJoined ? input.question : question,
    window: input.window,
    evidence: input.evidence,
    read: isJoined ? undefined : read,
    ...(evidenceScore === undefined && { leastConfidence: 0 }),
    reader,
    signal: scope.signal,
  });
  return text === "" ? abstained() : sendDraft(text, input, scope);
}

async function sendDraft(text: string, input: AnswerInput, scope: Scope): Promise<DraftAnswer> {
  const draft = openDraftStream(input, scope);
  await draft.push(text);
  await draft.end();
  return {
    text,
    unanswerable: false,
    by: "embedded",
    ...(draft.sent !== "" && { streamed: draft.sent, messageId: input.messageId }),
  };
}

const ABILITIES =
  "I answer questions about your documents. I search them, judge what I found before I use it, " +
  "search again or on the web where it is not enough, and cite a source for every statement; " +
  "where nothing supports an answer I say so. What would you like to know?";
