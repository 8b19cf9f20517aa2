/** Which sentence answers the question? */
import { probability } from "../grading/logistic.js";
import type { Candidate } from "./answer-candidates.js";
import { SENTENCE_MODEL } from "./answer-models.js";
import type { QuestionFocus } from "./question-focus.js";
import type { MeasuredSentence } from "./sentence-features.js";
import { measureSentence } from "./sentence-features.js";

export interface RankedSentence {
  measured: MeasuredSentence;
  /** 0–1, that this sentence is the answer. */
  probability: number;
}

/** All sentences that can be quoted, most likely answer first; equally likely ones in the order of the window. */
export function rankSentences(candidates: readonly Candidate[], focus: QuestionFocus): RankedSentence[] {
  return candidates
    .map((candidate) => measureSentence(candidate, focus))
    .map((measured) => ({ measured, probability: probability(measured.features, SENTENCE_MODEL) }))
    .sort((a, b) => b.probability - a.probability);
}
