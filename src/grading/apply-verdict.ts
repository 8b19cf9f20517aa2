/** Applies a decision: to each item, and as a record of it for people. */
import type { Thresholds } from "../settings/run-settings.js";
import { isFromWeb, relevanceOf, type Evidence } from "../state/evidence.js";
import type { Evaluation, EvidenceLabel, FastPathRule, GraderAction } from "../state/verdict.js";
import { withoutEnding } from "../text/words.js";
import { isJudgedItself, isOfSet, RULE_PREFIX, unitScore, type Judgement } from "./judgement.js";
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

export interface ScoredItem {
  evidence: Evidence;
  /** Relevance in 0–1. */
  score: number;
  weak: boolean;
  /** True if it was discarded in an earlier round and found again; it does not count. */
  excluded: boolean;
}

/** Scores each item. A verdict on the item itself stays; one on an earlier set is replaced. */
export function scoreItems(input: DecideInput): ScoredItem[] {
  const { profile, thresholds, iteration, filtering = true } = input;
  // The profile removes weak items never, always, or from the first correction on.
  const removes = { always: true, after_correction: iteration > 0, never: false };
  const cutOff = filtering && removes[profile.dropsWeakItems] ? thresholds.keep : 0;
  return input.evidence.map((item) => {
    const scored = withRelevance(item, input);
    const score = unitScore(relevanceOf(scored));
    return { evidence: scored, score, weak: score < cutOff, excluded: item.status === "discarded" };
  });
}

function withRelevance(item: Evidence, { judgement, rule }: DecideInput): Evidence {
  if (isJudgedItself(item)) return item;
  if (rule) return scoredBy(item, 1, `${RULE_PREFIX}${rule}`);
  if (judgement === undefined) return item;
  const score = judgement.scores[item.id] ?? judgement.set?.score;
  return scoredBy(item, unitScore(score), `judge:${judgement.judge}`);
}

function scoredBy(item: Evidence, value: number, by: string): Evidence {
  const scores = item.scores.filter((score) => !isOfSet(score));
  return { ...item, scores: [...scores, { value, scale: "relevance", by }] };
}

export interface HandedOn {
  context: Evidence[];
  /** Each item with its reason. */
  discarded: Evidence[];
  /** The part of `discarded` that left the context in this round. */
  removed: Evidence[];
}

export function handOn(
  items: readonly ScoredItem[],
  input: DecideInput,
  verdict: Verdict,
): HandedOn {
  // The first with the highest score; beside web results, the best document.
  const [best] = items
    .filter((item) => !item.excluded && (verdict.label === "CORRECT" || !isFromWeb(item.evidence)))
    .toSorted((a, b) => b.score - a.score);
  const result: HandedOn = { context: [], discarded: [], removed: [] };
  for (const item of items) {
    const { reason: _before, ...evidence } = item.evidence;
    const reason = reasonToDiscard(item, item === best, input, verdict);
    if (reason === undefined) {
      result.context.push({ ...evidence, status: "kept", ...note(item, input, verdict) });
      continue;
    }
    const discarded: Evidence = { ...evidence, status: "discarded", reason };
    result.discarded.push(discarded);
    if (!item.excluded) result.removed.push(discarded);
  }
  return result;
}

function reasonToDiscard(
  item: ScoredItem,
  isBest: boolean,
  { profile, iteration, thresholds: { keep, correct } }: DecideInput,
  { label, score, end }: Verdict,
): string | undefined {
  if (end && profile.atLimit === "hand_on_everything") return undefined;
  if (item.excluded) return item.evidence.reason ?? "discarded in an earlier round";
  if (item.weak) return `relevance ${rounded(item.score)} is below ${keep}`;
  switch (label) {
    case "INCORRECT":
      return profile.discardsOnIncorrect && !isFromWeb(item.evidence)
        ? `the evidence as a whole is INCORRECT (${rounded(score)})`
        : undefined;
    case "AMBIGUOUS":
      return profile.refine.keeps === "best_only" &&
        iteration === 0 &&
        !isBest &&
        !isFromWeb(item.evidence)
        ? NOT_THE_BEST
        : undefined;
    case "CORRECT":
      // A comparison needs several documents, each of which states a part.
      if (profile.keepsOnCorrect === "all_kept" || iteration > 0 || isBest) return undefined;
      return item.score > correct ? undefined : NOT_THE_BEST;
    default:
      return label satisfies never;
  }
}

const NOT_THE_BEST = "other documents are better";

/** Explains why an item is kept despite its score, or by which rule. */
function note(
  item: ScoredItem,
  { thresholds: { keep } }: DecideInput,
  { end }: Verdict,
): { reason: string } | undefined {
  const score = `its relevance ${rounded(item.score)} is below ${keep}`;
  if (end && (item.weak || item.excluded))
    return { reason: `handed on at the end of the loop although ${score}` };
  const by = item.evidence.scores.findLast(({ scale }) => scale === "relevance")?.by;
  return by?.startsWith(RULE_PREFIX) ? { reason: `approved by ${by}` } : undefined;
}

function rounded(score: number): string {
  return score.toFixed(2);
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
  const judge = typeof profile.judge === "string" ? profile.judge : profile.name;
  return {
    label,
    action,
    score,
    confidence: unitScore(confidence ?? (label === "INCORRECT" ? 1 - score : score)),
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

const FORCED: Readonly<Record<ForcedEnd["by"], string>> = {
  max_iterations: "limit of corrections",
  step_limit: "no steps left",
  nothing_new: "nothing better was found",
  budget: "budget used up",
};

function reasoningOf(
  { thresholds: { correct, incorrect }, rule, judgement }: DecideInput,
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
  const scored = `The evidence scores ${rounded(score)} (thresholds ${correct} and ${incorrect})`;
  return `${judged}${scored}: ${label}, ${kept} of ${seen} items kept, ${action}${end}.`;
}
