import type { Thresholds } from "../settings/run-settings.js";
import type { EvidenceLabel, GraderAction } from "../state/verdict.js";
import type { Profile } from "./profiles.js";

interface ExplainInput {
  profile: Profile;
  thresholds: Pick<Thresholds, "correct" | "incorrect">;
  rule: string | undefined;
  /** What the judge said in its own words. */
  stated: string | undefined;
  score: number;
  label: EvidenceLabel;
  action: GraderAction;
  /** Items handed on, items seen, and those of the seen that were discarded in an earlier round. */
  kept: number;
  seen: number;
  known: number;
  forcedBy: string | undefined;
}

/** The decision in a sentence or two, for people. */
export function explain({
  profile,
  thresholds,
  rule,
  stated,
  score,
  label,
  action,
  kept,
  seen,
  known,
  forcedBy,
}: ExplainInput): string {
  if (rule !== undefined) return `Rule ${rule} approved ${seen} of ${seen} items without a judge.`;
  const end = forcedBy ? `; the loop ends (${FORCED[forcedBy] ?? forcedBy})` : "";
  if (seen === 0) return `No evidence was found${end}.`;
  if (seen === known)
    return `Nothing new was found: what came had been discarded in an earlier round${end}.`;
  const judged = stated ? `${stated.trim().replace(/[.\s]+$/, "")}. ` : "";
  const compared = {
    CORRECT: `${profile.correct.comparison} ${thresholds.correct}`,
    AMBIGUOUS:
      profile.incorrect.comparison === "never"
        ? `not yet adequate at ${thresholds.correct}`
        : `between ${thresholds.incorrect} and ${thresholds.correct}`,
    INCORRECT: `${profile.incorrect.comparison === "<=" ? "<=" : "<"} ${thresholds.incorrect}, or nothing kept`,
  }[label];
  return `${judged}${MEANS[profile.aggregate]} is ${score.toFixed(2)} (${compared}): ${label}, ${kept} of ${seen} items kept, ${action}${end}.`;
}

const MEANS: Readonly<Record<Profile["aggregate"], string>> = {
  mean_of_kept: "The evidence's score",
  weighted_mean: "The weighted mean of the signals",
  score: "The score of the whole set",
  maximum: "The highest score",
};

const FORCED: Readonly<Record<string, string>> = {
  max_iterations: "limit of corrections",
  step_limit: "no steps left",
  nothing_new: "nothing new and no strategy left",
  budget: "budget used up",
};
