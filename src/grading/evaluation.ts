/** Describes the decision, for records and for people. */
import type { Thresholds } from "../settings/run-settings.js";
import type { Evidence } from "../state/evidence.js";
import type { Evaluation, EvidenceLabel, FastPathRule, GraderAction } from "../state/verdict.js";
import { withoutEnding } from "../text/one-line.js";
import { unitScore, type Judgement } from "./judgement.js";
import type { ForcedEnd, LoopState } from "./loop.js";
import type { Profile } from "./profiles.js";

export interface DecideInput extends LoopState {
  profile: Profile;
  thresholds: Thresholds;
  /** In order: kept in earlier rounds, ungraded, or discarded earlier and found again. */
  evidence: readonly Evidence[];
  /** Absent if a rule approved, or if there was nothing to judge. */
  judgement?: Judgement;
  rule?: FastPathRule;
  webAvailable: boolean;
  /** The answer may change from day to day, so any correction also searches the web. */
  timeSensitive?: boolean;
  /** False in an ablation: no item is removed for its score. */
  filtering?: boolean;
}

/** The decision on the set. */
export interface Verdict {
  score: number;
  label: EvidenceLabel;
  action: GraderAction;
  /** Set if the loop was cut off. */
  end: ForcedEnd | undefined;
}

/** @param kept number of items handed on */
export function evaluationOf(
  input: DecideInput,
  verdict: Verdict,
  items: readonly { excluded: boolean }[],
  kept: number,
): Evaluation {
  const { profile, judgement, rule } = input;
  const { score, label, action, end } = verdict;
  const { confidence, toolNeeded, hints = [] } = judgement?.set ?? {};
  const stated = contradictionOf(input, label) === undefined ? confidence : undefined;
  const judge = typeof profile.judge === "string" ? profile.judge : profile.name;
  return {
    label,
    action,
    score,
    confidence: unitScore(stated ?? (label === "INCORRECT" ? 1 - score : score)),
    reasoning: reasoningOf(input, verdict, items, kept),
    suggested_action: profile.suggestedActions[label],
    judge: rule ? "rule" : (judgement?.judge ?? judge),
    profile: profile.name,
    ...(rule && { rule }),
    ...(judgement?.signals && { signals: judgement.signals }),
    ...(toolNeeded && { tool_needed: toolNeeded }),
    ...(hints.length > 0 && { hints }),
    ...(end && { forced_by: end.by }),
  };
}

const MEANS: Readonly<Record<Profile["aggregate"], string>> = {
  mean_of_kept: "The evidence's score",
  weighted_mean: "The weighted mean of the signals",
  score: "The score of the whole set",
  maximum: "The highest score",
};

const FORCED: Readonly<Record<ForcedEnd["by"], string>> = {
  max_iterations: "limit of corrections",
  step_limit: "no steps left",
  nothing_new: "nothing better was found",
  budget: "budget used up",
};

function reasoningOf(
  { profile, thresholds: { correct, incorrect }, rule, judgement }: DecideInput,
  { score, label, action, end: forced }: Verdict,
  items: readonly { excluded: boolean }[],
  kept: number,
): string {
  const seen = items.length;
  if (rule) return `Rule ${rule} approved ${seen} of ${seen} items without a judge.`;
  const end = forced ? `; the loop ends (${FORCED[forced.by]})` : "";
  if (seen === 0) return `No evidence was found${end}.`;
  if (items.every(({ excluded }) => excluded))
    return `Nothing new was found: everything had been discarded in an earlier round${end}.`;
  const said = judgement?.set?.reasoning?.trim();
  const judged = said ? `${withoutEnding(said)}. ` : "";
  const { comparison } = profile.incorrect;
  const compared = {
    CORRECT: `${profile.correct.comparison} ${correct}`,
    AMBIGUOUS:
      comparison === "never"
        ? `not yet adequate at ${correct}`
        : `between ${incorrect} and ${correct}`,
    INCORRECT: `${comparison === "<=" ? "<=" : "<"} ${incorrect}, or nothing kept`,
  }[label];
  return `${judged}${MEANS[profile.aggregate]} is ${score.toFixed(2)} (${compared}): ${label}, ${kept} of ${seen} items kept, ${action}${end}.`;
}

const STATED_LABELS: Readonly<Record<string, EvidenceLabel>> = {
  relevant: "CORRECT",
  ambiguous: "AMBIGUOUS",
  irrelevant: "INCORRECT",
};

/** Returns a warning if the judge stated another label than its score means. */
export function contradictionOf(
  { judgement, thresholds: { correct, incorrect } }: DecideInput,
  label: EvidenceLabel,
): string | undefined {
  const { statedLabel = "", score } = judgement?.set ?? {};
  if ((STATED_LABELS[statedLabel] ?? label) === label) return undefined;
  return (
    `the judge called the evidence "${statedLabel}" but its score of ${unitScore(score)} means ${label} ` +
    `(thresholds ${correct} and ${incorrect}); the score counts`
  );
}
