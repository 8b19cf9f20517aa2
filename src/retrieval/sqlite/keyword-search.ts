/** The keyword leg: BM25, and, on top, nearness of terms and expansion from the best first hits. */
import {
  bm25Scorer,
  inverseFrequency,
  proximityScorer,
  type CollectionStatistics,
} from "../lexical-ranking.js";
import { readPassageTerms, type PassageTerms } from "../passage-terms.js";
import { expansionTerms, FEEDBACK_PASSAGES } from "../query-expansion.js";
import type { Database } from "./database.js";
import { safeTerm } from "./fts-query.js";
import {
  bestRows,
  firstCandidates,
  searchingTerms,
  weightsOf,
  type KeywordSearch,
} from "./keyword-candidates.js";
import { byScore, type ScoredRow } from "./passage-scores.js";

/**
 * Plain BM25, best first. In large collections the candidates come from the rarer terms. Scored here, by our own
 * statistics: a contentless FTS5 table goes on counting the rows that were deleted, so its scores rise each time that documents are replaced.
 */
export function plainRows(search: KeywordSearch): ScoredRow[] {
  const weights = weightsOf(search);
  const { rows, complete } = firstCandidates(search, weights, 0);
  if (complete) return rows;
  const score = bm25Scorer(
    weights,
    inverseOf(search.index, weights.keys()),
    search.index.averageLength,
  );
  return [...termsOf(search.database, rows)]
    .map(([row, terms]) => ({ row, score: score(terms) }))
    .sort(byScore)
    .slice(0, search.limit);
}

/** How much nearness counts beside BM25, and the query's own terms beside the expansion. Chosen on six collections; see docs/bench-index.md. */
const PROXIMITY_WEIGHT = 0.2;
const QUERY_SHARE = 0.6;
/** How many candidates the query finds, and its expansion once more. */
const CANDIDATES_TO_EXPAND = 50;
/** This many of the expansion's terms look for further candidates; the others only rank. */
const SEARCHING_TERMS = 5;

/** BM25 with nearness and pseudo-relevance feedback. Scores keep BM25's size: the query's own part is not scaled down. */
export function expandedRows(search: KeywordSearch): ScoredRow[] {
  const { database, index, limit } = search;
  const { averageLength } = index;
  const weights = weightsOf(search);
  const { rows, complete } = firstCandidates(search, weights, CANDIDATES_TO_EXPAND);
  const candidates = termsOf(database, rows);
  const inverse = inverseOf(index, weights.keys());
  const query = search.terms.filter((term) => weights.has(term));
  const bm25 = bm25Scorer(weights, inverse, averageLength);
  const proximity = proximityScorer(query, inverse, averageLength);
  const known = complete ? new Map(rows.map(({ row, score }) => [row, score])) : undefined;
  const own = (row: number, terms: PassageTerms): number =>
    (known?.get(row) ?? bm25(terms)) + PROXIMITY_WEIGHT * proximity(terms);
  const first = [...candidates]
    .map(([row, terms]) => ({ row, terms, score: own(row, terms) }))
    .sort(byScore);
  const speaking = first
    .slice(0, FEEDBACK_PASSAGES)
    .map(({ terms, score }) => ({ terms: terms.text.split(" "), score }));
  const expansion = expansionTerms(speaking, index);
  if (expansion.length === 0)
    return first.slice(0, limit).map(({ row, score }) => ({ row, score }));

  const searching = new Map(
    searchingTerms(expansion, SEARCHING_TERMS, search).map((term) => [term, 1]),
  );
  const further = bestRows(search, searching, Math.max(limit, CANDIDATES_TO_EXPAND)).filter(
    ({ row }) => !candidates.has(row),
  );
  const all = [
    ...first,
    ...[...termsOf(database, further)].map(([row, terms]) => ({
      row,
      terms,
      score: own(row, terms),
    })),
  ];
  const asked = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const scale = (asked * (1 - QUERY_SHARE)) / QUERY_SHARE;
  const expanded = new Map(expansion.map(({ term, weight }) => [term, weight * scale]));
  const added = bm25Scorer(expanded, inverseOf(index, expanded.keys()), averageLength);
  return all
    .map(({ row, terms, score }) => ({ row, score: score + added(terms) }))
    .sort(byScore)
    .slice(0, limit);
}

/** The terms of passages by row, as they were stored. */
function termsOf(database: Database, rows: readonly ScoredRow[]): Map<number, PassageTerms> {
  if (rows.length === 0) return new Map();
  return new Map(
    database
      .all("SELECT p.id AS row, p.terms FROM json_each(?) j JOIN passages p ON p.id = j.value", [
        JSON.stringify(rows.map(({ row }) => row)),
      ])
      .map((found) => [Number(found["row"]), readPassageTerms(String(found["terms"]))]),
  );
}

function inverseOf(statistics: CollectionStatistics, terms: Iterable<string>): Map<string, number> {
  return new Map([...terms].map((term) => [term, inverseFrequency(statistics, term)]));
}

/** The terms of a query as the index knows them. */
export function askedTerms(terms: readonly string[]): string[] {
  return terms.map(safeTerm).filter((term) => term !== "");
}
