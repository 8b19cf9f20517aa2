/** What a verdict means for each item: its relevance, and whether it stays in the context. */
import { relevanceOf, withoutText, type Evidence } from "../state/evidence.js";
import type { EvidenceLabel } from "../state/verdict.js";
import type { FastPathRule } from "./fast-path.js";
import { hasOwnVerdict, isOfSet, RULE_PREFIX, unitScore, type Judgement } from "./judgement.js";
import type { Profile } from "./profiles.js";

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
 * @param keep cut-off in 0–1; an item at it is not weak
 */
export function scoreItems(
  evidence: readonly Evidence[],
  { judgement, rule }: { judgement?: Judgement; rule?: FastPathRule },
  keep: number,
): ScoredItem[] {
  return evidence.map((item) => {
    const scored = withRelevance(item, judgement, rule);
    const score = unitScore(relevanceOf(scored));
    return { evidence: scored, score, weak: score < keep, excluded: item.status === "discarded" };
  });
}

function withRelevance(
  item: Evidence,
  judgement: Judgement | undefined,
  rule: FastPathRule | undefined,
): Evidence {
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

interface HandOnInput {
  profile: Profile;
  label: EvidenceLabel;
  items: readonly ScoredItem[];
  score: number;
  /** The loop was cut off: this is what the answer is made from. */
  forced: boolean;
  iteration: number;
  keep: number;
}

export interface HandedOn {
  /** What stays in the context, each item with its relevance. */
  context: Evidence[];
  /** What left it now or stays out, without text, each with its reason. */
  discarded: Evidence[];
  /** What left it now, for `evidence_removed`. */
  removed: { evidence: Evidence; score: number; reason: string }[];
}

export function handOn(input: HandOnInput): HandedOn {
  const best = bestOf(input);
  const result: HandedOn = { context: [], discarded: [], removed: [] };
  for (const item of input.items) {
    const { reason: _before, ...evidence } = item.evidence;
    const reason = reasonToDiscard(item, item === best, input);
    if (reason === undefined) {
      result.context.push({ ...evidence, status: "kept", ...note(item, input) });
      continue;
    }
    const discarded: Evidence = { ...withoutText(evidence), status: "discarded", reason };
    result.discarded.push(discarded);
    if (!item.excluded) result.removed.push({ evidence: discarded, score: item.score, reason });
  }
  return result;
}

/**
 * The first of the highest; when the best document is to stand beside web results, the best that is
 * not one of them.
 */
function bestOf({ items, label }: HandOnInput): ScoredItem | undefined {
  return items
    .filter((item) => !item.excluded && (label === "CORRECT" || !isWeb(item)))
    .reduce<ScoredItem | undefined>(
      (top, item) => (top && top.score >= item.score ? top : item),
      undefined,
    );
}

function isWeb({ evidence }: ScoredItem): boolean {
  return evidence.source.kind === "web";
}

function reasonToDiscard(
  item: ScoredItem,
  isBest: boolean,
  input: HandOnInput,
): string | undefined {
  const { profile, label, score, forced, iteration, keep } = input;
  if (forced && profile.atLimit === "hand_on_everything") return undefined;
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
      return profile.keepsOnCorrect === "best_only" && iteration === 0 && !isBest
        ? NOT_THE_BEST
        : undefined;
    default:
      return label satisfies never;
  }
}

const NOT_THE_BEST = "not the best document";

/** Why an item is there although its score speaks against it. */
function note(item: ScoredItem, { forced, keep }: HandOnInput): { reason: string } | undefined {
  const score = `its relevance ${print(item.score)} is below ${keep}`;
  if (forced && (item.weak || item.excluded))
    return { reason: `handed on at the end of the loop although ${score}` };
  const by = item.evidence.scores.findLast(({ scale }) => scale === "relevance")?.by;
  return by?.startsWith(RULE_PREFIX) ? { reason: `approved by ${by}` } : undefined;
}

function print(score: number): string {
  return score.toFixed(2);
}
