/** The few words that answer a question, out of its likeliest sentences. */
import type { Candidate } from "../answer-candidates.js";
import { SPAN_MODEL } from "../answer-models.js";
import { readForSpans, spansIn } from "./answer-spans.js";
import { askedQuantities, asksForQuantity } from "../kinds/holds-kind.js";
import type { QuestionFocus } from "../question-focus.js";
import type { RankedSentence } from "../rank-sentences.js";
import { recordAnswer } from "./record-answer.js";
import { linearScore } from "../../../grading/logistic.js";
import { measureSpan, spanContext } from "./span-features.js";

export interface ShortAnswer {
  candidate: Candidate;
  text: string;
  /** Offsets in the candidate's text. */
  start: number;
  end: number;
  /** 0–1, that it is the answer, if one of the sentences read holds it. */
  probability: number;
}

/**
 * How likely a short answer must be to stand before its sentence. More where the question names nothing ("What is kept of a conversation?"): such
 * questions mostly want the sentence, and all the more so when they ask for no date, number or name.
 */
const STANDS_FIRST_FROM = { specific: 0.15, general: 0.2, generalOpen: 0.35 } as const;

/** Whether a short answer is likely enough to stand before the sentence that it was taken from. */
export function standsFirst(
  { probability }: ShortAnswer,
  { expected, isSpecific }: QuestionFocus,
): boolean {
  const { specific, general, generalOpen } = STANDS_FIRST_FROM;
  return probability >= (isSpecific ? specific : expected.kind === "open" ? generalOpen : general);
}

/** Sentences that are read for spans. */
export const SENTENCES_READ = 3;

/** The likeliest span of the best sentences; undefined when they hold none or the question asks for none. Deterministic. */
export function shortAnswer(
  focus: QuestionFocus,
  ranked: readonly RankedSentence[],
  model = SPAN_MODEL,
): ShortAnswer | undefined {
  if (!wantsShortAnswer(focus)) return undefined;
  const [first] = ranked;
  const field =
    first === undefined ? undefined : recordAnswer(first.measured.candidate.text, focus);
  if (first !== undefined && field !== undefined) {
    const { value: text, start, end } = field;
    return { candidate: first.measured.candidate, text, start, end, probability: 1 };
  }
  let best: (Omit<ShortAnswer, "probability"> & { score: number }) | undefined;
  const scores: number[] = [];
  const wantsQuantity = asksForQuantity(focus);
  for (const { measured, probability } of ranked.slice(0, SENTENCES_READ)) {
    const { candidate, direct } = measured;
    if (candidate.kind === "code") continue;
    const sentence = readForSpans(candidate, focus);
    const context = spanContext(sentence, focus, probability, direct);
    const code = codeIn(candidate.text);
    const quantities = askedQuantities(candidate.text, focus);
    for (const span of spansIn(sentence)) {
      const start = candidate.tokens[span.from]?.start ?? 0;
      const end = candidate.tokens[span.to]?.end ?? start;
      if (code.some((identifier) => cuts({ start, end }, identifier))) continue;
      const score = linearScore(measureSpan(span, context), model);
      scores.push(score);
      if (best !== undefined && score <= best.score + 1e-9) continue;
      const kept = wantsQuantity ? around({ start, end }, quantities) : { start, end };
      if (kept !== undefined)
        best = { candidate, ...kept, text: candidate.text.slice(kept.start, kept.end), score };
    }
  }
  if (best === undefined) return undefined;
  const { score, ...answer } = best;
  return {
    ...answer,
    probability: 1 / scores.reduce((sum, other) => sum + Math.exp(other - score), 0),
  };
}

interface Stretch {
  start: number;
  end: number;
}

function codeIn(text: string): Stretch[] {
  return [...text.matchAll(/`[^`]+`/gu)].map(({ index, 0: code }) => ({
    start: index,
    end: index + code.length,
  }));
}

/** A part of an identifier names nobody and nothing. */
function cuts(span: Stretch, code: Stretch): boolean {
  const overlaps = span.start < code.end && code.start < span.end;
  return (
    overlaps && !(Math.abs(span.start - code.start) <= 1 && Math.abs(span.end - code.end) <= 1)
  );
}

/** A stretch that holds a part of a quantity, with the whole of it; undefined for one that holds none. */
function around({ start, end }: Stretch, quantities: readonly Stretch[]): Stretch | undefined {
  const own = quantities.find((quantity) => start < quantity.end && quantity.start < end);
  return own && { start: Math.min(start, own.start), end: Math.max(end, own.end) };
}

/**
 * The one quantity of the likeliest sentence that is of the kind asked for. That holds in any language, where the model for spans knows English
 * alone; of two it could not tell which is meant.
 */
export function onlyQuantity(
  focus: QuestionFocus,
  { measured: { candidate } }: RankedSentence,
): ShortAnswer | undefined {
  const [first, second] =
    asksForQuantity(focus) && candidate.kind !== "code"
      ? askedQuantities(candidate.text, focus)
      : [];
  if (first === undefined || second !== undefined) return undefined;
  const { start, end } = first;
  return { candidate, start, end, text: candidate.text.slice(start, end), probability: 1 };
}

/** "Why" and "how" want a sentence; so does what something is. */
function wantsShortAnswer({ expected, form }: QuestionFocus): boolean {
  return !["reason", "manner", "list", "yes_no"].includes(expected.kind) && form.asksForPart;
}
