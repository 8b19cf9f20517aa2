import type { Score } from "./evidence.js";

/** A call that the planner made; `args` are JSON. */
export interface PlannedCall {
  tool: string;
  args: Record<string, unknown>;
}

/** What became of one call. Two calls are the same when tool and arguments are equal, whatever the order of the keys. */
export interface ToolHistoryEntry extends PlannedCall {
  round: number;
  status: "ok" | "empty" | "error" | "timeout" | "skipped";
  /** Scores as the tool gave them, one list per hit, best first, so that rules can read them in structured form. */
  scores: Score[][];
  /** Ids of the evidence it returned. */
  evidence_ids: string[];
  /** The beginning of the output, for people; cut. */
  output: string;
  error?: string;
  /** True when the result came from the cache. */
  cached?: boolean;
  durationMs: number;
}

/** A key that is equal for equal calls. */
export function callKey(call: PlannedCall): string {
  return `${call.tool} ${canonicalJson(call.args)}`;
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
