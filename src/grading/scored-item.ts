import { relevanceOf, type Evidence } from "../state/evidence.js";
import type { FastPathHit } from "./fast-path.js";
import { hasOwnVerdict, isOfSet, RULE_PREFIX, unitScore, type Judgement } from "./judgement.js";

/** A piece of evidence with its settled relevance. */
export interface ScoredItem {
  evidence: Evidence;
  /** 0–1. */
  score: number;
  /** Below the cut-off. */
  weak: boolean;
  /** Discarded in an earlier round and found again: it does not count. */
  excluded: boolean;
}

/**
 * Gives each item its relevance: what a judge said of the item itself stays; a verdict on a set is
 * replaced by the verdict on the set of now.
 */
export function scoreItems({
  evidence,
  judgement,
  rule,
  keep,
}: {
  evidence: readonly Evidence[];
  judgement: Judgement | undefined;
  rule: FastPathHit | undefined;
  /** Cut-off in 0–1; an item at it is not weak. */
  keep: number;
}): ScoredItem[] {
  return evidence.map((item) => {
    const scored = withRelevance(item, judgement, rule);
    const score = unitScore(relevanceOf(scored));
    return { evidence: scored, score, weak: score < keep, excluded: item.status === "discarded" };
  });
}

function withRelevance(
  item: Evidence,
  judgement: Judgement | undefined,
  rule: FastPathHit | undefined,
): Evidence {
  if (hasOwnVerdict(item)) return item;
  if (rule) return scoredBy(item, rule.scores[item.id] ?? 1, `${RULE_PREFIX}${rule.rule}`);
  if (judgement)
    return scoredBy(
      item,
      unitScore(judgement.scores[item.id] ?? judgement.set?.score),
      `judge:${judgement.judge}`,
    );
  return item;
}

function scoredBy(item: Evidence, value: number, by: string): Evidence {
  const scores = item.scores.filter((score) => !isOfSet(score));
  return { ...item, scores: [...scores, { value, scale: "relevance", by }] };
}
