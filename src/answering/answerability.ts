/** Does the best sentence really join the subject and the relation of the question, or does it only sound like it? */
import { hasNegation } from "../text/entities.js";
import { oppositeOf } from "../grading/claims/opposites.js";
import type { QuestionFocus } from "./question-focus.js";
import { shareOf } from "./question-focus.js";
import type { MeasuredSentence, SentenceFeature } from "./sentence-features.js";
import { SENTENCE_FEATURES } from "./sentence-features.js";

const EXTRA = [
  "best",
  "lead",
  "missingRarest",
  "missingInPassage",
  "subjectInPassage",
  "figuresMissing",
  "negationDiffers",
  "opposite",
  "terms",
] as const;
/** Left out: what says more about a collection of questions than about an answer, or weighs the wrong way (`passage`: adversarial questions are made from the words of a passage). */
const COLLECTION_BOUND: readonly string[] = ["passage", "missingInPassage", "length", "early"];
export const ANSWERABILITY_FEATURES = [...SENTENCE_FEATURES, ...EXTRA].filter((name) => !COLLECTION_BOUND.includes(name));
export type AnswerabilityFeatures = Record<SentenceFeature | (typeof EXTRA)[number], number>;

const RARE = 12;

/** `ranked`: sentences with the probability of being the answer, best first, at least one. */
export function measureAnswerability(
  question: string,
  focus: QuestionFocus,
  ranked: readonly [{ measured: MeasuredSentence; probability: number }, ...{ measured: MeasuredSentence; probability: number }[]],
): AnswerabilityFeatures {
  const [{ measured, probability }, second] = ranked;
  const { candidate, features } = measured;
  const near = (term: string): boolean =>
    candidate.terms.has(term) ||
    candidate.titleTerms.has(term) ||
    (candidate.previous?.terms.has(term) ?? false) ||
    (candidate.next?.terms.has(term) ?? false);
  const missing = focus.terms.filter((term) => !near(term)).map((term) => focus.weights.get(term) ?? 0);
  const missingInPassage = focus.terms.filter((term) => !candidate.passageTerms.has(term)).map((term) => focus.weights.get(term) ?? 0);
  const figures = focus.terms.filter((term) => /^\d/u.test(term));
  return {
    ...features,
    best: probability,
    lead: probability - (second?.probability ?? 0),
    missingRarest: Math.max(0, ...missing) / RARE,
    missingInPassage: Math.max(0, ...missingInPassage) / RARE,
    subjectInPassage: shareOf(focus, (term) => candidate.passageTerms.has(term), focus.subject),
    figuresMissing: figures.some((term) => !near(term)) ? 1 : 0,
    negationDiffers: hasNegation(question) !== hasNegation(candidate.text) ? 1 : 0,
    opposite: focus.terms.some((term) => !near(term) && oppositeOf(term).some((other) => candidate.terms.has(other))) ? 1 : 0,
    terms: Math.min(1, focus.terms.length / 10),
  };
}
