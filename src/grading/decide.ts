/**
 * The decision: what the scores mean for the graph. Pure and total; it knows no model, no clock and
 * no LangGraph.
 *
 * Order of the steps: scores are settled, weak items are marked, the aggregate gives the label, the
 * label gives the action, the guards (limit, steps, budget, novelty) may force GENERATE, and only
 * then is it fixed what is handed on and what is discarded.
 */
import type { Evaluation, EvidenceLabel, GraderAction, OutcomeCause } from "../state/verdict.js";
import { contradictionOf, evaluationOf, type DecideInput } from "./evaluation.js";
import { unitScore } from "./judgement.js";
import type { Profile } from "./profiles.js";
import { forcedEnd } from "./loop.js";
import { handOn, scoreItems, type HandedOn, type ScoredItem } from "./settle-items.js";
import { combineSignals } from "./signals.js";

export interface Decision extends HandedOn {
  evaluation: Evaluation;
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
  const { profile, thresholds, evidence, judgement, rule, iteration } = input;
  const { keep } = thresholds;
  const items = scoreItems(evidence, input, cutOff(input));
  const present = items.filter(({ excluded }) => !excluded);
  const score = rule ? 1 : setScore(input, present);
  const label = rule ? "CORRECT" : labelOf(input, score, nothingLeft(profile, present));
  const wanted = ACTIONS[label];
  const end = wanted === "GENERATE" ? undefined : forcedEnd(wanted, input);
  const action: GraderAction = end ? "GENERATE" : wanted;
  const forced = end !== undefined;
  const handed = handOn({ profile, label, items, score, forced, iteration, keep });
  const webPlanned = wantsWeb(profile, label, judgement?.set?.toolNeeded);
  const contradiction = contradictionOf(input, label);
  return {
    ...handed,
    scores: Object.fromEntries(items.map((item) => [item.evidence.id, item.score])),
    evaluation: evaluationOf(input, {
      score,
      label,
      action,
      end,
      contradicted: contradiction !== undefined,
      kept: handed.context.length,
      seen: items.length,
      known: items.length - present.length,
    }),
    causes: end ? [end.cause] : [],
    warnings: [contradiction, end?.warning].filter((warning) => warning !== undefined),
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

/** Raising a score that already counts never lowers the result. */
function setScore({ profile, judgement }: DecideInput, present: readonly ScoredItem[]): number {
  if (present.length === 0) return 0;
  const embedded = judgement?.judge === "embedded" && profile.judge !== "signals";
  const scores = present.map(({ score }) => score);
  const kind = embedded && judgement.set ? "score" : profile.aggregate;
  switch (kind) {
    case "mean_of_kept":
      return settle(mean(present.filter(({ weak }) => !weak).map(({ score }) => score)));
    case "maximum":
      return settle(Math.max(...scores));
    case "score":
      return settle(judgement?.set === undefined ? mean(scores) : judgement.set.score);
    case "weighted_mean":
      return settle(combineSignals(judgement?.signals ?? {}));
    default:
      return kind satisfies never;
  }
}

function mean(scores: readonly number[]): number {
  return scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
}

/**
 * Scores are rounded to this many decimals before they meet a threshold: the mean of three times
 * 0.7 is 0.7, and not 0.6999999999999998.
 */
const DECIMALS = 12;

function settle(score: number): number {
  return Number(unitScore(score).toFixed(DECIMALS));
}

/** No item, or, where weak items are always removed, none that is not weak. */
function nothingLeft(profile: Profile, present: readonly ScoredItem[]): boolean {
  return profile.dropsWeakItems === "always"
    ? present.every(({ weak }) => weak)
    : present.length === 0;
}

/** The class of a set of evidence, by the profile's comparisons exactly as they are written. */
function labelOf(
  { profile, thresholds, judgement }: DecideInput,
  score: number,
  isEmpty: boolean,
): EvidenceLabel {
  if (isEmpty) return "INCORRECT";
  const { correct, incorrect } = profile;
  const enough =
    correct.comparison === ">" ? score > thresholds.correct : score >= thresholds.correct;
  if (enough && !(correct.unlessToolNeeded && judgement?.set?.toolNeeded)) return "CORRECT";
  const poor =
    incorrect.comparison === "<=" ? score <= thresholds.incorrect : score < thresholds.incorrect;
  return poor && incorrect.comparison !== "never" ? "INCORRECT" : "AMBIGUOUS";
}

/**
 * RE_RETRIEVE would have the web, at once or beside the first untried strategy; REFINE where the
 * profile says so, or where the judge asks for it.
 */
function wantsWeb({ refine }: Profile, label: EvidenceLabel, toolNeeded = ""): boolean {
  return (
    label === "INCORRECT" || (label === "AMBIGUOUS" && (refine.web || toolNeeded.startsWith("web")))
  );
}
