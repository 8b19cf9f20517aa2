import { idf } from "../../text/background.js";
import { termsToIndex } from "../indexed-text.js";
import type { Hit } from "../knowledge-base.js";
import { queryWeights } from "../lexical-ranking.js";
import { expansionTerms } from "../query-expansion.js";
import { AVERAGE_TERMS, weightedVector, type SparseVector } from "./bm25-vector.js";

/** How much the query's own terms count beside the expansion, as in the SQLite store. */
const QUERY_SHARE = 0.6;

/**
 * The query with terms of its best first hits added (pseudo-relevance feedback). The server does not tell how rare a term is, so that
 * which terms are added rests on their background rarity; what each then counts is the server's, with its own inverse document frequency.
 * @param hits best first, ordered by BM25
 * @param passages how many the collection holds, roughly
 */
export function expandedQuery(
  terms: readonly string[],
  hits: readonly Hit[],
  passages: number,
): SparseVector {
  const weights = queryWeights(terms);
  const ranked = hits.map(({ passage, scores }) => ({
    terms: termsToIndex(passage),
    score: scores[0]?.value ?? 0,
  }));
  const expansion = expansionTerms(ranked, {
    passages,
    averageLength: AVERAGE_TERMS,
    frequency: (term) => Math.max(2, passages * Math.exp(-idf(term))),
  });
  const asked = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const scale = (asked * (1 - QUERY_SHARE)) / QUERY_SHARE;
  for (const { term, weight } of expansion)
    weights.set(term, (weights.get(term) ?? 0) + weight * scale);
  return weightedVector(weights);
}
