/**
 * Rules that approve evidence without a judge. They fire in the first round only, while nothing has
 * been graded, and never on an empty context.
 */
import type { Thresholds } from "../settings/run-settings.js";
import { relevanceOf, type Evidence } from "../state/evidence.js";
import type { ToolHistoryEntry } from "../state/run-record.js";
import type { FastPathRule } from "../state/verdict.js";

/** Returns the first rule that holds; undefined if a judge is needed. */
export function fastPath({
  context,
  history,
  round,
  thresholds,
}: {
  context: readonly Evidence[];
  history: readonly ToolHistoryEntry[];
  /** The current round, from 0; only its calls count. */
  round: number;
  thresholds: Pick<Thresholds, "vectorScore" | "autoApproveMaxItems">;
}): FastPathRule | undefined {
  const isNew = context.every((item) => relevanceOf(item) === undefined);
  if (round > 0 || context.length === 0 || !isNew) return undefined;
  const calls = history.filter((entry) => entry.round === round);
  if (
    calls.length > 0 &&
    calls.every(({ tool, status }) => tool === "read_file" && status === "ok")
  )
    return "read_file";
  if (context.length <= thresholds.autoApproveMaxItems) return "few_context";
  const cosines = cosinesOf(calls);
  return context.every(({ id }) => (cosines.get(id) ?? -1) >= thresholds.vectorScore)
    ? "high_vector_score"
    : undefined;
}

const VECTOR_TOOLS: ReadonlySet<string> = new Set(["vector_search", "hybrid_search"]);

/** Returns the highest cosine by evidence id; a hit of the keyword leg alone has none. */
function cosinesOf(calls: readonly ToolHistoryEntry[]): Map<string, number> {
  const best = new Map<string, number>();
  for (const { tool, evidence_ids: ids, scores } of calls) {
    if (!VECTOR_TOOLS.has(tool)) continue;
    ids.forEach((id, position) => {
      for (const { scale, value } of scores[position] ?? []) {
        if (scale === "cosine") best.set(id, Math.max(value, best.get(id) ?? -1));
      }
    });
  }
  return best;
}
