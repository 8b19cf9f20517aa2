/** Which sentence answers the question? */
import { probability } from "../grading/logistic.js";
import type { Candidate } from "./answer-candidates.js";
import { SENTENCE_MODEL } from "./answer-models.js";
import type { QuestionFocus } from "./question-focus.js";
import { shareOf } from "./question-focus.js";
import type { MeasuredSentence } from "./sentence-features.js";
import { measureSentence } from "./sentence-features.js";

export interface RankedSentence {
  measured: MeasuredSentence;
  /** 0–1, that this sentence is the answer. */
  probability: number;
}

/** What the first sentence under a heading that is the question in other words is worth, 0–1. */
const HEADED = 0.6;
/** A heading fits when it has this share of the question's words, by rarity. */
const HEAD_COVERAGE = 0.7;

/**
 * All sentences that can be quoted, most likely answer first; equally likely ones in the order of the window. A heading is no answer, but the
 * first thing under it may well be.
 */
export function rankSentences(candidates: readonly Candidate[], focus: QuestionFocus): RankedSentence[] {
  return candidates
    .filter((candidate) => !isHead(candidate))
    .map((candidate) => measureSentence(candidate, focus))
    .map((measured): RankedSentence => {
      const own = probability(measured.features, SENTENCE_MODEL);
      return { measured, probability: Math.max(own, headedBy(measured.candidate, focus)) };
    })
    .sort((a, b) => b.probability - a.probability);
}

/** How sure a heading makes that what comes first under it answers the question, 0–1; 0 where it does not fit. */
export function headedBy(candidate: Candidate, focus: QuestionFocus): number {
  if (!candidate.leads) return 0;
  const fit = shareOf(focus, (term) => candidate.headTerms.has(term));
  return fit >= HEAD_COVERAGE ? HEADED * fit : 0;
}

function isHead(candidate: Candidate): boolean {
  return candidate.kind === "heading" || candidate.kind === "columns";
}
