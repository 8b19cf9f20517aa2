/** Grading as one step: rules, else the judge, then the decision. Knows no graph and no model. */
import type { Thresholds } from "../settings/run-settings.js";
import type { Evidence } from "../state/evidence.js";
import type { ToolHistoryEntry } from "../state/run-record.js";
import { decide, type DecideInput, type Decision } from "./decide.js";
import { fastPath, type FastPathHit } from "./fast-path.js";
import { isJudged, type Judge, type Judgement } from "./judgement.js";
import type { Profile } from "./profiles.js";

export interface GradeInput {
  question: string;
  /** All evidence at hand; what was refused in an earlier round comes with status `discarded`. */
  evidence: readonly Evidence[];
  profile: Profile;
  thresholds: Thresholds;
  /** For what the embedded judge grades: its probabilities have cut-offs of their own. */
  embeddedThresholds?: Thresholds;
  judge: Judge;
  /** Calls of the run for the fast-path rules; absent where they must not fire. */
  history?: readonly ToolHistoryEntry[];
  /** Where the run stands; `roundWasNew` is seen from the evidence. */
  loop: Omit<
    DecideInput,
    "profile" | "thresholds" | "evidence" | "judgement" | "rule" | "roundWasNew"
  >;
  signal?: AbortSignal;
}

export interface Grade extends Decision {
  rule?: FastPathHit;
  judgement?: Judgement;
  /** The cut-offs that decided. */
  thresholds: Thresholds;
  /** Whether this round brought an item that was not known before. */
  roundWasNew: boolean;
  /** What was decided from, for a replay. */
  input: DecideInput;
}

/** Judges the evidence and decides what follows from it. Rejects only where the judge does. */
export async function grade({
  question,
  evidence,
  profile,
  thresholds,
  embeddedThresholds = thresholds,
  judge,
  history,
  loop,
  signal,
}: GradeInput): Promise<Grade> {
  const present = evidence.filter(({ status }) => status !== "discarded");
  const ungraded = present.filter((item) => !isJudged(item));
  const rule =
    profile.fastPaths && history !== undefined
      ? fastPath({ context: evidence, history, round: loop.iteration, thresholds })
      : undefined;
  const judgement =
    rule === undefined ? await judge({ question, evidence: present, ungraded, signal }) : undefined;
  const cutOffs = judgement?.judge === "embedded" ? embeddedThresholds : thresholds;
  const roundWasNew = ungraded.some(({ round }) => round === loop.iteration);
  const input = { ...loop, profile, thresholds: cutOffs, evidence, judgement, rule, roundWasNew };
  return { ...decide(input), rule, judgement, thresholds: cutOffs, roundWasNew, input };
}
