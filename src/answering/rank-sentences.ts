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

/** What a heading that fits the question is worth to what stands under it. */
const INHERITED = 0.9;
/** It fits when it has this share of the question's words, by rarity. */
const HEAD_COVERAGE = 0.7;

/**
 * All sentences that can be quoted, most likely answer first; equally likely ones in the order of the window. A heading is no answer, but the
 * first thing under it may well be.
 */
export function rankSentences(candidates: readonly Candidate[], focus: QuestionFocus): RankedSentence[] {
  const all = candidates
    .map((candidate) => measureSentence(candidate, focus))
    .map((measured): RankedSentence => ({ measured, probability: probability(measured.features, SENTENCE_MODEL) }));
  const byCandidate = new Map(all.map((ranked) => [ranked.measured.candidate, ranked]));
  const quotable = all.filter(({ measured }) => !isHead(measured.candidate));
  const raised = quotable.map((ranked) => {
    const { previous } = ranked.measured.candidate;
    const head = previous?.kind === "heading" ? byCandidate.get(previous) : undefined;
    return head === undefined || head.measured.features.coverage < HEAD_COVERAGE
      ? ranked
      : { ...ranked, probability: Math.max(ranked.probability, INHERITED * head.probability) };
  });
  return raised.sort((a, b) => b.probability - a.probability);
}

function isHead(candidate: Candidate): boolean {
  return candidate.kind === "heading" || candidate.kind === "columns";
}
