import { headingsOf, type Evidence } from "../../state/evidence.js";
import { measure } from "./features.js";
import { passageProbability, setProbability, SHIPPED_JUDGE } from "./model.js";
import type { JudgeModel } from "./model.js";
import type { PassageInput } from "./passage.js";

export type { JudgeModel } from "./model.js";
export type { PassageInput } from "./passage.js";

/** Probabilities in 0–1: one for each passage in the order given, and one that the set answers the question. */
export interface EvidenceJudgement {
  passages: number[];
  set: number;
}

/**
 * The embedded judge: how likely each passage answers the question, and how likely the set does. No model call, no randomness: the same
 * input gives the same bits, and the order of the passages does not matter. An empty set has probability 0.
 *
 * Passages of one question may be compared with each other. Both numbers hold where half of what is judged is relevant; where the share is
 * known to be another, `calibrate` fits the set's probability to it.
 *
 * @example
 * judgeEvidence({ question: "Who wrote Emma?", passages: [{ title: "Emma", text: "Emma is a novel by Jane Austen." }] })
 */
export function judgeEvidence({
  question,
  passages,
  model = SHIPPED_JUDGE,
}: {
  question: string;
  passages: readonly PassageInput[];
  model?: JudgeModel;
}): EvidenceJudgement {
  if (passages.length === 0) return { passages: [], set: 0 };
  const measured = measure(question, passages);
  return {
    passages: measured.passages.map((features) => passageProbability(features, model)),
    set: setProbability(measured.set, model),
  };
}

/** Evidence as the judge reads it. */
export function judgedPassage(item: Pick<Evidence, "title" | "source" | "text">): PassageInput {
  return { title: item.title, headings: headingsOf(item), text: item.text };
}
