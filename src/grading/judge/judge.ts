import { coverage } from "./coverage.js";
import type { PassageInput } from "./features.js";

export type { PassageInput } from "./features.js";

/** Probabilities in 0–1: one for each passage in the order given, and one that any of them answers the question. */
export interface EvidenceJudgement {
  passages: number[];
  set: number;
}

/** First version: plain coverage. */
export function judgeEvidence({ question, passages }: { question: string; passages: readonly PassageInput[] }): EvidenceJudgement {
  const scores = passages.map((passage) => coverage(question, `${passage.title} ${passage.text}`));
  return { passages: scores, set: Math.max(0, ...scores) };
}
