import type { EvidenceJudgement, JudgeModel } from "../../grading/judge/judge.js";
import { judgeEvidence, judgedPassage } from "../../grading/judge/judge.js";
import type { Evidence } from "../../state/evidence.js";
import { questionParts } from "../rules/question-parts.js";

/** The embedded judge on a question that may be two in one: what answers one of them is worth as much as if that alone had been asked. Pure. */
export function judgeParts({
  question,
  evidence,
  model,
}: {
  question: string;
  evidence: readonly Pick<Evidence, "title" | "source" | "text">[];
  model?: JudgeModel;
}): EvidenceJudgement {
  const passages = evidence.map(judgedPassage);
  const parts = questionParts(question);
  const asked = parts.length === 1 ? [question] : [question, ...parts];
  const judged = asked.map((each) => judgeEvidence({ question: each, passages, model }));
  return {
    passages: passages.map((_, index) =>
      Math.max(...judged.map((each) => each.passages[index] ?? 0)),
    ),
    set: Math.max(...judged.map(({ set }) => set)),
  };
}
