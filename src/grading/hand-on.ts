/** What stays in the context after a decision, and what leaves it. */
import { withoutText, type Evidence } from "../state/evidence.js";
import type { EvidenceLabel } from "../state/verdict.js";
import type { Profile } from "./profiles.js";
import type { ScoredItem } from "./scored-item.js";

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

interface HandedOn {
  context: Evidence[];
  discarded: Evidence[];
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
  if (forced && (item.weak || item.excluded)) {
    return {
      reason: `handed on at the end of the loop although its relevance ${print(item.score)} is below ${keep}`,
    };
  }
  const rule = item.evidence.scores.findLast(({ scale }) => scale === "relevance")?.by;
  return rule?.startsWith("rule:") ? { reason: `approved by ${rule}` } : undefined;
}

function print(score: number): string {
  return score.toFixed(2);
}
