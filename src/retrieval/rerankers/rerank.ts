import type { Score } from "../../state/evidence.js";
import type { Reranker } from "../knowledge-base.js";
import { reasonOf } from "../../support/errors.js";
import { withinTime } from "../../support/waiting.js";

export interface RerankInput<Item extends { scores: Score[] }> {
  question: string;
  /** Best first. */
  items: readonly Item[];
  textOf: (item: Item) => string;
  reranker: Reranker;
  signal?: AbortSignal;
  /** For the reranker as a whole, retries included; beyond it counts as failed. */
  timeoutInMs?: number;
}

export interface Reranked<Item> {
  items: Item[];
  /** What failed, in one line; the items then stand in their old order, without a new score. */
  warning?: string;
}

/**
 * Orders items by what the reranker thinks of them, equal scores in the old order, and puts that score first among each item's scores in
 * place of an older one of scale `rerank`. A failing reranker costs nothing but its warning; a cancelled run rejects.
 *
 * @example await rerank({ question, items: hits, textOf: (hit) => hit.passage.text, reranker: lexicalReranker() })
 */
export async function rerank<Item extends { scores: Score[] }>({
  question,
  items,
  textOf,
  reranker,
  signal,
  timeoutInMs = Infinity,
}: RerankInput<Item>): Promise<Reranked<Item>> {
  if (items.length === 0) return { items: [] };
  let values: number[];
  try {
    values = await withinTime((limit) => reranker.score(question, items.map(textOf), limit), {
      timeoutInMs,
      signal,
    });
    const problem = problemWith(values, items.length);
    if (problem !== undefined) throw new Error(problem);
  } catch (error) {
    signal?.throwIfAborted();
    return {
      items: [...items],
      warning: `Reranking with ${reranker.name} failed, the order is unchanged: ${reasonOf(error)}`,
    };
  }
  const scored = items.map((item, index) => ({ item, value: values[index] ?? 0 }));
  scored.sort((a, b) => b.value - a.value);
  return {
    items: scored.map(({ item, value }) => ({
      ...item,
      scores: [
        { value, scale: "rerank", by: reranker.name },
        ...item.scores.filter((score) => score.scale !== "rerank"),
      ],
    })),
  };
}

function problemWith(values: readonly number[], expected: number): string | undefined {
  if (values.length !== expected) return `${values.length} scores for ${expected} texts`;
  const bad = values.find((value) => !(value >= 0 && value <= 1));
  return bad === undefined ? undefined : `a score of ${bad} is outside 0–1`;
}
