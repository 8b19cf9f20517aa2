/**
 * Rules that approve evidence without a judge. They fire in the first round only, while nothing in
 * the context has been graded or approved, and never on an empty context: no evidence at all is
 * never approved, and what a corrective round brings is judged.
 */
import type { Thresholds } from "../settings/run-settings.js";
import type { Evidence } from "../state/evidence.js";
import type { ToolHistoryEntry } from "../state/run-record.js";
import { isUntouched } from "./judgement.js";

type FastPathRule = "read_file" | "few_context" | "high_vector_score";

export interface FastPathHit {
  rule: FastPathRule;
  /** 1.0 for every item, by evidence id. */
  scores: Record<string, number>;
}

interface FastPathInput {
  context: readonly Evidence[];
  history: readonly ToolHistoryEntry[];
  /** The current round, from 0: only calls of it count. */
  round: number;
  thresholds: Pick<Thresholds, "vectorScore" | "autoApproveMaxItems">;
}

/**
 * The first rule that holds, in the order of the specification; undefined when a judge is needed.
 * Pure.
 */
export function fastPath(input: FastPathInput): FastPathHit | undefined {
  const { context, round } = input;
  if (round > 0 || context.length === 0 || !context.every(isUntouched)) return undefined;
  const rule = RULES.find(({ holds }) => holds(input))?.name;
  return rule && { rule, scores: Object.fromEntries(context.map(({ id }) => [id, 1])) };
}

const RULES: readonly { name: FastPathRule; holds: (input: FastPathInput) => boolean }[] = [
  { name: "read_file", holds: everyCallReadAFile },
  {
    name: "few_context",
    holds: ({ context, thresholds }) => context.length <= thresholds.autoApproveMaxItems,
  },
  { name: "high_vector_score", holds: everyItemIsNear },
];

function everyCallReadAFile({ history, round }: FastPathInput): boolean {
  const calls = history.filter((entry) => entry.round === round);
  return (
    calls.length > 0 && calls.every(({ tool, status }) => tool === "read_file" && status === "ok")
  );
}

const VECTOR_TOOLS: ReadonlySet<string> = new Set(["vector_search", "hybrid_search"]);

function everyItemIsNear({ context, history, round, thresholds }: FastPathInput): boolean {
  const cosines = cosinesOf(
    history.filter((entry) => entry.round === round && VECTOR_TOOLS.has(entry.tool)),
  );
  return context.every(({ id }) => (cosines.get(id) ?? -1) >= thresholds.vectorScore);
}

/**
 * The highest cosine that any vector leg gave, by evidence id. A hit of the keyword leg alone has
 * none.
 */
function cosinesOf(entries: readonly ToolHistoryEntry[]): Map<string, number> {
  const best = new Map<string, number>();
  for (const { evidence_ids: ids, scores } of entries) {
    ids.forEach((id, position) => {
      for (const { scale, value } of scores[position] ?? []) {
        if (scale === "cosine") best.set(id, Math.max(value, best.get(id) ?? -1));
      }
    });
  }
  return best;
}
