/** Metrics of ranked lists, as trec_eval computes them: gains are the grades themselves, documents without a judgement count as irrelevant. */
import { quantile } from "./statistics.js";

export interface RankingMetrics {
  "ndcg@10": number;
  "recall@10": number;
  "recall@100": number;
  "mrr@10": number;
}

/** All metrics of one query. `ranked` holds document ids, best first, each once. */
export function rankingMetrics(
  ranked: readonly string[],
  grades: ReadonlyMap<string, number>,
): RankingMetrics {
  return {
    "ndcg@10": ndcg(ranked, grades, 10),
    "recall@10": recall(ranked, grades, 10),
    "recall@100": recall(ranked, grades, 100),
    "mrr@10": reciprocalRank(ranked, grades, 10),
  };
}

/** Normalised discounted cumulative gain (Järvelin and Kekäläinen 2002). */
export function ndcg(
  ranked: readonly string[],
  grades: ReadonlyMap<string, number>,
  depth: number,
): number {
  const discounted = (gains: readonly number[]): number =>
    gains.slice(0, depth).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
  const ideal = discounted([...grades.values()].sort((a, b) => b - a));
  return ideal === 0 ? 0 : discounted(ranked.map((id) => grades.get(id) ?? 0)) / ideal;
}

/** Share of the relevant documents among the first `depth`, 0–1; 0 without relevant ones. */
export function recall(
  ranked: readonly string[],
  grades: ReadonlyMap<string, number>,
  depth: number,
): number {
  const relevant = [...grades].filter(([, grade]) => grade > 0).map(([id]) => id);
  const found = new Set(ranked.slice(0, depth));
  return relevant.length === 0
    ? 0
    : relevant.filter((id) => found.has(id)).length / relevant.length;
}

function reciprocalRank(
  ranked: readonly string[],
  grades: ReadonlyMap<string, number>,
  depth: number,
): number {
  const first = ranked.slice(0, depth).findIndex((id) => (grades.get(id) ?? 0) > 0);
  return first === -1 ? 0 : 1 / (first + 1);
}

/** As `quantile`; 0 for none. */
export function percentile(values: readonly number[], share: number): number {
  return values.length === 0 ? 0 : quantile(values, share);
}
