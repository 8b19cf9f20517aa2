/** Which sentence answers the question? */
import { linearScore } from "../../grading/logistic.js";
import { contentTerms } from "../../text/analyse.js";
import type { Candidate, Head } from "./answer-candidates.js";
import { expectedAnswer, wantsDirectAnswer } from "./short-answer/answer-type.js";
import { SENTENCE_MODEL } from "./answer-models.js";
import type { QuestionFocus } from "./question-focus.js";
import { shareOf } from "./question-focus.js";
import type { MeasuredSentence } from "./sentence-features.js";
import { measureSentences } from "./sentence-features.js";

export interface RankedSentence {
  measured: MeasuredSentence;
  /** 0–1, that this sentence is the answer and none of the others is. */
  probability: number;
}

/** At least one sentence, the likeliest first. */
export type Ranked = readonly [RankedSentence, ...RankedSentence[]];

/** What the first sentence under a heading that is the question in other words is worth, 0–1. */
const HEADED = 0.6;
/** A heading fits when it has this share of the question's words, by rarity. */
const HEAD_COVERAGE = 0.7;
/** And this share of the head's words stands in the question. */
const HEAD_PRECISION = 0.5;

/**
 * All sentences that can be quoted, most likely answer first; equally likely ones in the order of the window. A heading is no answer, but the
 * first thing under it may well be.
 */
export function rankSentences(
  candidates: readonly Candidate[],
  focus: QuestionFocus,
): RankedSentence[] {
  return rankMeasured(measureSentences(candidates, focus), focus);
}

/** The same for sentences that were measured before, by any model over `SENTENCE_FEATURES`. */
export function rankMeasured(
  sentences: readonly MeasuredSentence[],
  focus: QuestionFocus,
  model = SENTENCE_MODEL,
): RankedSentence[] {
  const answers = sentences.filter(({ candidate }) => !isHead(candidate));
  const odds = answers.map(({ features }) => Math.exp(linearScore(features, model)));
  // One of them answers, or, as likely as a sentence of score 0, none does.
  const all = odds.reduce((sum, own) => sum + own, 1);
  return answers
    .map((measured, index): RankedSentence => {
      const own = (odds[index] ?? 0) / all;
      return { measured, probability: Math.max(own, headedBy(measured.candidate, focus)) };
    })
    .sort((a, b) => b.probability - a.probability);
}

/**
 * How sure a head makes that what comes first under it answers the question, 0–1; 0 where it does not fit. The title and the headings above may
 * lend words ("What does the profile signals do?" under Profiles > signals), but the head itself must be about little else than the question.
 */
export function headedBy(candidate: Candidate, focus: QuestionFocus): number {
  const asked = focus.terms.filter((term) => !ASKING.has(term));
  if (asked.length === 0) return 0;
  return Math.max(0, ...candidate.heads.map((head) => fitOf(head, candidate, { asked, focus })));
}

function fitOf(
  { text, terms }: Head,
  { titleTerms }: Candidate,
  { asked, focus }: { asked: readonly string[]; focus: QuestionFocus },
): number {
  const named = [...terms].filter((term) => focus.weights.has(term)).length;
  if (named === 0 || named < HEAD_PRECISION * terms.size) return 0;
  const fit = shareOf(focus, (term) => terms.has(term) || titleTerms.has(term), asked);
  // "How do I use Qdrant?" is about the same as "When was Qdrant founded?", and asks for something else.
  const needed =
    wantsDirectAnswer(focus.expected) && expectedAnswer(text).kind !== focus.expected.kind
      ? 1
      : HEAD_COVERAGE;
  return fit >= needed ? HEADED * fit : 0;
}

/** Words that ask what something is, in the form in which they are compared. */
const ASKING = new Set(
  contentTerms("mean means meaning definition define work works stand purpose"),
);

/** What only names or announces what stands elsewhere. */
function isHead({ kind, text }: Candidate): boolean {
  return kind === "heading" || kind === "columns" || POINTER.test(text);
}

const POINTER =
  /^(?:see|more in|more on this in|details in|read more|for details,? see|siehe|mehr dazu)\b.{0,60}$/iu;
