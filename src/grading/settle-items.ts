/** Applies a verdict to each item: its relevance, and whether it stays in the context. */
import { relevanceOf, type Evidence } from "../state/evidence.js";
import type { EvidenceLabel } from "../state/verdict.js";
import type { DecideInput, Verdict } from "./evaluation.js";
import { hasOwnVerdict, isOfSet, RULE_PREFIX, unitScore } from "./judgement.js";

export interface ScoredItem {
  evidence: Evidence;
  /** Relevance in 0–1. */
  score: number;
  weak: boolean;
  /** True if it was discarded in an earlier round and found again; it does not count. */
  excluded: boolean;
}

/** Scores each item. A judge's verdict on the item itself stays; one on an earlier set is replaced. */
export function scoreItems(input: DecideInput): ScoredItem[] {
  const cutOff = cutOffOf(input);
  return input.evidence.map((item) => {
    const scored = withRelevance(item, input);
    const score = unitScore(relevanceOf(scored));
    return { evidence: scored, score, weak: score < cutOff, excluded: item.status === "discarded" };
  });
}

/** Returns the score below which an item is weak; 0 if the profile removes nothing (yet). */
function cutOffOf({ profile, thresholds, iteration, filtering = true }: DecideInput): number {
  if (!filtering || profile.dropsWeakItems === "never") return 0;
  return profile.dropsWeakItems === "always" || iteration > 0 ? thresholds.keep : 0;
}

function withRelevance(item: Evidence, { judgement, rule }: DecideInput): Evidence {
  if (hasOwnVerdict(item)) return item;
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
  const best = bestOf(items, verdict.label);
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

/** Returns the first item with the highest score; beside web results, the best document. */
function bestOf(items: readonly ScoredItem[], label: EvidenceLabel): ScoredItem | undefined {
  return items
    .filter((item) => !item.excluded && (label === "CORRECT" || !isWeb(item)))
    .toSorted((a, b) => b.score - a.score)[0];
}

function isWeb({ evidence }: ScoredItem): boolean {
  return evidence.source.kind === "web";
}

function reasonToDiscard(
  item: ScoredItem,
  isBest: boolean,
  { profile, iteration, thresholds: { keep, correct } }: DecideInput,
  { label, score, end }: Verdict,
): string | undefined {
  if (end && profile.atLimit === "hand_on_everything") return undefined;
  if (item.excluded) return item.evidence.reason ?? "discarded in an earlier round";
  if (item.weak) return `relevance ${print(item.score)} is below ${keep}`;
  switch (label) {
    case "INCORRECT":
      return profile.discardsOnIncorrect && !isWeb(item)
        ? `the evidence as a whole is INCORRECT (${print(score)})`
        : undefined;
    case "AMBIGUOUS":
      return profile.refine.keeps === "best_only" && iteration === 0 && !isBest && !isWeb(item)
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
  const score = `its relevance ${print(item.score)} is below ${keep}`;
  if (end && (item.weak || item.excluded))
    return { reason: `handed on at the end of the loop although ${score}` };
  const by = item.evidence.scores.findLast(({ scale }) => scale === "relevance")?.by;
  return by?.startsWith(RULE_PREFIX) ? { reason: `approved by ${by}` } : undefined;
}

function print(score: number): string {
  return score.toFixed(2);
}
