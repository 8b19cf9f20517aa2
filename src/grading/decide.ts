/**
 * The decision: what the scores mean for the graph. Pure and total; it knows no model, no clock and
 * no LangGraph.
 *
 * Order of the steps: scores are settled, weak items are marked, the aggregate gives the label, the
 * label gives the action, the guards (limit, steps, budget, novelty) may force GENERATE, and only
 * then is it fixed what is handed on and what is discarded.
 */
import type { Thresholds } from "../settings/run-settings.js";
import type { Evidence } from "../state/evidence.js";
import type { Evaluation, EvidenceLabel, GraderAction, OutcomeCause } from "../state/verdict.js";
import { aggregate } from "./aggregate.js";
import { explain } from "./explain.js";
import type { FastPathHit } from "./fast-path.js";
import { unitScore, type Judgement } from "./judgement.js";
import type { Profile } from "./profiles.js";
import { handOn } from "./hand-on.js";
import { scoreItems, type ScoredItem } from "./scored-item.js";
import { forcedEnd, type ForcedEnd, type LoopState } from "./loop-guards.js";

export interface DecideInput extends LoopState {
  profile: Profile;
  thresholds: Thresholds;
  /**
   * All evidence at hand in order: kept in earlier rounds, ungraded, and found again although it
   * was discarded.
   */
  evidence: readonly Evidence[];
  /**
   * What the judge said of the items that it graded now. Absent when a rule approved, or when there
   * was nothing to judge.
   */
  judgement?: Judgement;
  rule?: FastPathHit;
  /** Whether a web search could be had, now or next round. */
  webAvailable: boolean;
  /** False in an ablation: no item is removed for its score. */
  filtering?: boolean;
}

export interface Decision {
  evaluation: Evaluation;
  /** What stays in the context, each item with its relevance. */
  context: Evidence[];
  /** What left it now or stays out, without text, each with its reason. */
  discarded: Evidence[];
  /** What left it now, for `evidence_removed`. */
  removed: { evidence: Evidence; score: number; reason: string }[];
  /** Relevance by id of all items, for `evidence_scores`. */
  scores: Record<string, number>;
  /** Causes for the outcome. */
  causes: OutcomeCause[];
  warnings: string[];
  /** The next round searches the web besides whatever else it does. */
  wantsWeb: boolean;
  /** The web was called for and cannot be had. */
  webMissed: boolean;
}

/** What to do with the evidence: pure, the same input gives the same decision. */
export function decide(input: DecideInput): Decision {
  const { profile, thresholds, evidence, judgement, rule } = input;
  const items = scoreItems({ evidence, judgement, rule, keep: cutOff(input) });
  const present = items.filter(({ excluded }) => !excluded);
  const score = rule ? 1 : setScore(input, present);
  const label = rule
    ? "CORRECT"
    : labelOf({
        profile,
        thresholds,
        score,
        nothingLeft: nothingLeft(profile, present),
        toolNeeded: judgement?.set?.toolNeeded,
      });
  const wanted = ACTIONS[label];
  const end = wanted === "GENERATE" ? undefined : forcedEnd(wanted, input);
  const action: GraderAction = end ? "GENERATE" : wanted;

  const handed = handOn({
    profile,
    label,
    items,
    score,
    forced: end !== undefined,
    iteration: input.iteration,
    keep: thresholds.keep,
  });
  const webPlanned =
    wanted !== "GENERATE" && wantsWeb({ profile, label, toolNeeded: judgement?.set?.toolNeeded });
  const warnings = [
    ...disagreement(judgement, label, thresholds),
    ...(end?.warning ? [end.warning] : []),
  ];
  return {
    ...handed,
    scores: Object.fromEntries(items.map((item) => [item.evidence.id, item.score])),
    evaluation: evaluationOf(input, {
      score,
      label,
      action,
      end,
      kept: handed.context.length,
      seen: items.length,
      known: items.length - present.length,
    }),
    causes: end ? [end.cause] : [],
    warnings,
    webMissed: webPlanned && !input.webAvailable,
    wantsWeb: action !== "GENERATE" && webPlanned && input.webAvailable,
  };
}

const ACTIONS: Readonly<Record<EvidenceLabel, GraderAction>> = {
  CORRECT: "GENERATE",
  AMBIGUOUS: "REFINE",
  INCORRECT: "RE_RETRIEVE",
};

/** The score below which an item is weak, or nothing is when this profile removes nothing (yet). */
function cutOff({ profile, thresholds, iteration, filtering = true }: DecideInput): number {
  if (!filtering || profile.dropsWeakItems === "never") return 0;
  return profile.dropsWeakItems === "always" || iteration > 0 ? thresholds.keep : 0;
}

function setScore({ profile, judgement }: DecideInput, present: readonly ScoredItem[]): number {
  if (present.length === 0) return 0;
  const embedded = judgement?.judge === "embedded" && profile.judge !== "signals";
  return aggregate({
    kind: embedded && judgement.set ? "score" : profile.aggregate,
    scores: present.map(({ score }) => score),
    kept: present.filter(({ weak }) => !weak).map(({ score }) => score),
    ...(judgement?.set ? { set: judgement.set.score } : {}),
    ...(judgement?.signals ? { signals: judgement.signals } : {}),
  });
}

/**
 * Nothing to answer from: no item, or, where weak items are always removed, none that is not weak.
 */
function nothingLeft(profile: Profile, present: readonly ScoredItem[]): boolean {
  return profile.dropsWeakItems === "always"
    ? present.every(({ weak }) => weak)
    : present.length === 0;
}

/** The class of a set of evidence, by the profile's comparisons exactly as they are written. */
export function labelOf({
  profile,
  thresholds,
  score,
  nothingLeft,
  toolNeeded,
}: {
  profile: Profile;
  thresholds: Pick<Thresholds, "correct" | "incorrect">;
  score: number;
  nothingLeft: boolean;
  toolNeeded?: string;
}): EvidenceLabel {
  if (nothingLeft) return "INCORRECT";
  const enough =
    profile.correct.comparison === ">" ? score > thresholds.correct : score >= thresholds.correct;
  if (enough && !(profile.correct.unlessToolNeeded && toolNeeded)) return "CORRECT";
  switch (profile.incorrect.comparison) {
    case "never":
      return "AMBIGUOUS";
    case "<":
      return score < thresholds.incorrect ? "INCORRECT" : "AMBIGUOUS";
    case "<=":
      return score <= thresholds.incorrect ? "INCORRECT" : "AMBIGUOUS";
    default:
      return profile.incorrect.comparison satisfies never;
  }
}

/**
 * RE_RETRIEVE would have the web, at once or beside the first untried strategy; REFINE where the
 * profile says so, or where the judge asks for it.
 */
function wantsWeb({
  profile,
  label,
  toolNeeded,
}: {
  profile: Profile;
  label: EvidenceLabel;
  toolNeeded: string | undefined;
}): boolean {
  return (
    label === "INCORRECT" ||
    (label === "AMBIGUOUS" && (profile.refine.web || toolNeeded?.startsWith("web") === true))
  );
}

const STATED_LABELS: Readonly<Record<string, EvidenceLabel>> = {
  relevant: "CORRECT",
  correct: "CORRECT",
  adequate: "CORRECT",
  ambiguous: "AMBIGUOUS",
  partial: "AMBIGUOUS",
  irrelevant: "INCORRECT",
  incorrect: "INCORRECT",
};

function disagrees(judgement: Judgement | undefined, label: EvidenceLabel): boolean {
  const stated = STATED_LABELS[judgement?.set?.statedLabel?.trim().toLowerCase() ?? ""];
  return stated !== undefined && stated !== label;
}

function nameOfJudge({ judge, name }: Profile): string {
  return typeof judge === "string" ? judge : name;
}

function disagreement(
  judgement: Judgement | undefined,
  label: EvidenceLabel,
  { correct, incorrect }: Thresholds,
): string[] {
  if (!disagrees(judgement, label)) return [];
  return [
    `the judge called the evidence "${judgement?.set?.statedLabel}" but its score of ${unitScore(judgement?.set?.score)} means ${label} ` +
      `(thresholds ${correct} and ${incorrect}); the score counts`,
  ];
}

function evaluationOf(
  { profile, judgement, rule, thresholds }: DecideInput,
  result: {
    score: number;
    label: EvidenceLabel;
    action: GraderAction;
    end: ForcedEnd | undefined;
    kept: number;
    seen: number;
    known: number;
  },
): Evaluation {
  const { score, label, action, end } = result;
  const set = judgement?.set;
  const stated = disagrees(judgement, label) ? undefined : set?.confidence;
  return {
    label,
    action,
    score,
    confidence:
      stated === undefined ? (label === "INCORRECT" ? 1 - score : score) : unitScore(stated),
    reasoning: explain({
      profile,
      thresholds,
      rule: rule?.rule,
      stated: set?.reasoning,
      ...result,
      forcedBy: end?.by,
    }),
    suggested_action: profile.suggestedActions[label],
    judge: rule ? "rule" : (judgement?.judge ?? nameOfJudge(profile)),
    profile: profile.name,
    ...(rule ? { rule: rule.rule } : {}),
    ...(judgement?.signals ? { signals: judgement.signals } : {}),
    ...(set?.toolNeeded ? { tool_needed: set.toolNeeded } : {}),
    ...(set?.hints?.length ? { hints: set.hints } : {}),
    ...(end ? { forced_by: end.by } : {}),
  };
}
