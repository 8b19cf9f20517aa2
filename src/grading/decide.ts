/**
 * Turns scores into the decision of a round. Pure: no model, no clock, no LangGraph.
 *
 * In order: scores are settled, weak items are marked, the aggregate gives the label, the label
 * gives the action, a guard (limit, steps, budget, novelty) may force GENERATE, and last come the
 * items to hand on and to discard.
 */
import type { Evaluation, EvidenceLabel, GraderAction, OutcomeCause } from "../state/verdict.js";
import {
  evaluationOf,
  handOn,
  scoreItems,
  type DecideInput,
  type HandedOn,
  type ScoredItem,
  type Verdict,
} from "./apply-verdict.js";
import { isJudgedItself, unitScore } from "./judgement.js";
import { forcedEnd } from "./loop.js";
import { combineSignals } from "./signals.js";

export interface Decision extends HandedOn {
  evaluation: Evaluation;
  /** Relevance of all items by id, for `evidence_scores`. */
  scores: Record<string, number>;
  causes: OutcomeCause[];
  warnings: string[];
  /** The next round searches the web too. */
  wantsWeb: boolean;
  /** The web was called for but is not available. */
  webMissed: boolean;
}

export function decide(input: DecideInput): Decision {
  const { profile, rule } = input;
  const items = scoreItems(input);
  const present = items.filter(({ excluded }) => !excluded);
  const score = rule ? 1 : setScore(input, present);
  // Without any item or, if weak items are always removed, without a strong one.
  const isEmpty = present.every(({ weak }) => weak && profile.dropsWeakItems === "always");
  const label = rule ? "CORRECT" : labelOf(input, score, isEmpty);
  const isFull = label === "AMBIGUOUS" && hasFullMarks(input, present);
  const due = isFull ? "GENERATE" : ACTIONS[label];
  const loop = { ...input, foundNothingBetter: due === "REFINE" && isInVain(input, present) };
  const end = due === "GENERATE" ? undefined : forcedEnd(due, loop);
  const verdict: Verdict = { score, label, action: end ? "GENERATE" : due, end };
  const handed = handOn(items, input, verdict);
  const webPlanned = wantsWeb(input, label);
  // Before the last round nothing that could help is left untried.
  const isLastChance =
    input.iteration === input.maxIterations - 1 && input.untriedStrategies.includes("web");
  return {
    ...handed,
    scores: Object.fromEntries(items.map((item) => [item.evidence.id, item.score])),
    evaluation: evaluationOf(input, verdict, items, handed.context.length),
    causes: end ? [end.by === "budget" ? "budget_exhausted" : end.by] : [],
    warnings: end?.warning === undefined ? [] : [end.warning],
    webMissed: webPlanned && !input.webAvailable,
    wantsWeb: verdict.action !== "GENERATE" && input.webAvailable && (webPlanned || isLastChance),
  };
}

const ACTIONS: Readonly<Record<EvidenceLabel, GraderAction>> = {
  CORRECT: "GENERATE",
  AMBIGUOUS: "REFINE",
  INCORRECT: "RE_RETRIEVE",
};

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

/** Makes the mean of three times 0.7 reach a threshold of 0.7, despite floating point. */
const DECIMALS = 12;

function settle(score: number): number {
  return Number(unitScore(score).toFixed(DECIMALS));
}

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

/** True for RE_RETRIEVE; for REFINE if the profile, the judge or the question asks for it. */
function wantsWeb(
  { profile, judgement, timeSensitive = false, untriedStrategies, webAvailable }: DecideInput,
  label: EvidenceLabel,
): boolean {
  const { toolNeeded = "" } = judgement?.set ?? {};
  const mayBeOld = timeSensitive && (!webAvailable || untriedStrategies.includes("web"));
  const isAsked = profile.refine.web || toolNeeded.startsWith("web") || mayBeOld;
  return label === "INCORRECT" || (label === "AMBIGUOUS" && isAsked);
}

/** What a judge gives an item that answers by itself and in full. */
const FULL_MARKS = 0.95;

/** True if only neighbors lower the mean of the first set, in which an item has full marks. */
function hasFullMarks(
  { iteration, profile, judgement }: DecideInput,
  present: readonly ScoredItem[],
): boolean {
  return (
    iteration === 0 &&
    profile.aggregate === "mean_of_kept" &&
    judgement?.judge !== "embedded" &&
    present.some(({ evidence, score }) => isJudgedItself(evidence) && score >= FULL_MARKS)
  );
}

/** True if a correction found nothing as good as what was there. */
function isInVain(
  { iteration, thresholds: { correct } }: DecideInput,
  present: readonly ScoredItem[],
): boolean {
  const good = present.filter(
    ({ evidence, score }) => isJudgedItself(evidence) && score >= correct,
  );
  return (
    iteration > 0 && good.length > 0 && good.every(({ evidence }) => evidence.round < iteration)
  );
}
