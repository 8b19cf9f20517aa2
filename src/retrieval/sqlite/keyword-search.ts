/** The keyword leg: candidates by SQLite's BM25, and, on top, nearness of terms and expansion from the best first hits. */
import {
  bm25Scorer,
  expansionTerms,
  inverseFrequency,
  proximity,
  queryWeights,
  type CollectionStatistics,
  type PassageTerms,
} from "../lexical-ranking.js";
import type { Database } from "./database.js";
import type { Condition } from "./filter-sql.js";
import { anyOf, safeTerm } from "./fts-query.js";

export interface ScoredRow {
  /** Row id of the passage. */
  row: number;
  /** BM25 or of its size, higher is better. */
  score: number;
}

export interface KeywordSearch {
  database: Database;
  statistics: CollectionStatistics;
  /** Of the query, in its order, with repetitions. */
  terms: readonly string[];
  limit: number;
  condition: Condition | undefined;
}

/** A longer query is cut to its rarest terms. */
const MAX_QUERY_TERMS = 128;
/** From this many passages on, candidates are looked for without the frequent terms, which cost most and tell least. */
const PRUNE_FROM_PASSAGES = 50_000;
/** The share of passages from which a term is frequent. */
const FREQUENT_SHARE = 0.05;
/** The share of passages up to which a term of the expansion is rare enough to search with. */
const RARE_SHARE = 0.01;
/** This many terms must be left to look for candidates. */
const MIN_PRUNED_TERMS = 2;
/** How many candidates are ranked anew. */
const CANDIDATES = 100;

/**
 * Plain BM25, best first. In large collections the candidates come from the rarer terms, and all terms rank them. Scored here, by our own
 * statistics: a contentless FTS5 table goes on counting the rows that were deleted, so its scores rise each time that documents are replaced.
 */
export function plainRows(search: KeywordSearch): ScoredRow[] {
  const { weights, rare } = queryOf(search);
  const rows = candidateRows(search, rare, Math.max(search.limit, CANDIDATES));
  const score = bm25Scorer(weights, inverseOf(search.statistics, weights.keys()), search.statistics.averageLength);
  return [...termsOf(search.database, rows)]
    .map(([row, terms]) => ({ row, score: score(terms) }))
    .sort(byScore)
    .slice(0, search.limit);
}

/** How much nearness counts beside BM25, and the query's own terms beside the expansion. Chosen on six collections; see docs/bench-index.md. */
const PROXIMITY_WEIGHT = 0.2;
const QUERY_SHARE = 0.6;
/** This many of the expansion's terms look for further candidates; the others only rank. */
const SEARCHING_TERMS = 5;

/** BM25 with nearness and pseudo-relevance feedback. Scores keep BM25's size: the query's own part is not scaled down. */
export function expandedRows(search: KeywordSearch): ScoredRow[] {
  const { database, statistics } = search;
  const { averageLength } = statistics;
  const { weights, rare } = queryOf(search);
  const depth = Math.max(search.limit, CANDIDATES);
  const candidates = termsOf(database, candidateRows(search, rare, depth));
  const inverse = inverseOf(statistics, weights.keys());
  const query = search.terms.filter((term) => weights.has(term));
  const bm25 = bm25Scorer(weights, inverse, averageLength);
  const own = (terms: PassageTerms): number => bm25(terms) + PROXIMITY_WEIGHT * proximity(terms, query, inverse, averageLength);
  const first = [...candidates].map(([row, terms]) => ({ row, terms, score: own(terms) })).sort(byScore);
  const expansion = expansionTerms(first, statistics);
  if (expansion.length === 0) return first.slice(0, search.limit).map(({ row, score }) => ({ row, score }));

  const searching = new Map(searchingTerms(expansion, statistics).map((term) => [term, 1]));
  const further = candidateRows(search, searching, depth).filter(({ row }) => !candidates.has(row));
  const all = [...first, ...[...termsOf(database, further)].map(([row, terms]) => ({ row, terms, score: own(terms) }))];
  const asked = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const scale = (asked * (1 - QUERY_SHARE)) / QUERY_SHARE;
  const expanded = new Map(expansion.map(({ term, weight }) => [term, weight * scale]));
  const added = bm25Scorer(expanded, inverseOf(statistics, expanded.keys()), averageLength);
  return all
    .map(({ row, terms, score }) => ({ row, score: score + added(terms) }))
    .sort(byScore)
    .slice(0, search.limit);
}

/** The weightiest terms; in large collections only rare ones, since each of them costs a scan of all passages that hold it. */
function searchingTerms(expansion: readonly { term: string }[], statistics: CollectionStatistics): string[] {
  const limit = statistics.passages < PRUNE_FROM_PASSAGES ? Infinity : statistics.passages * RARE_SHARE;
  return expansion
    .map(({ term }) => term)
    .filter((term) => statistics.frequency(term) <= limit)
    .slice(0, SEARCHING_TERMS);
}

function queryOf({ terms, statistics }: KeywordSearch): { weights: Map<string, number>; rare: Map<string, number> } {
  let weights = queryWeights(terms);
  if (weights.size > MAX_QUERY_TERMS) {
    const gain = ([term, weight]: [string, number]): number =>
      statistics.frequency(term) === 0 ? 0 : weight * inverseFrequency(statistics, term);
    weights = new Map([...weights].sort((a, b) => gain(b) - gain(a)).slice(0, MAX_QUERY_TERMS));
  }
  if (statistics.passages < PRUNE_FROM_PASSAGES) return { weights, rare: weights };
  const limit = statistics.passages * FREQUENT_SHARE;
  const rare = new Map([...weights].filter(([term]) => statistics.frequency(term) <= limit));
  const enough = [...rare.keys()].filter((term) => statistics.frequency(term) > 0).length >= MIN_PRUNED_TERMS;
  return { weights, rare: enough ? rare : weights };
}

/** FTS5's `bm25()` gives negative numbers, better ones lower. A term that was asked for twice is asked for twice there, too. */
function candidateRows({ database, condition }: KeywordSearch, weights: ReadonlyMap<string, number>, limit: number): ScoredRow[] {
  const expression = anyOf([...weights].flatMap(([term, weight]) => Array.from({ length: weight }, () => term)));
  if (expression === undefined) return [];
  const rows =
    condition === undefined
      ? database.all("SELECT rowid AS row, rank FROM passage_terms WHERE passage_terms MATCH ? ORDER BY rank LIMIT ?", [expression, limit])
      : database.all(
          `SELECT f.rowid AS row, f.rank AS rank FROM passage_terms f JOIN passages p ON p.id = f.rowid JOIN documents d ON d.id = p.document_id
           WHERE f.passage_terms MATCH ? AND ${condition.sql} ORDER BY f.rank LIMIT ?`,
          [expression, ...condition.values, limit],
        );
  return rows.map((row) => ({ row: Number(row["row"]), score: -Number(row["rank"]) }));
}

/** The terms of passages by row, as they were stored. */
function termsOf(database: Database, rows: readonly ScoredRow[]): Map<number, PassageTerms> {
  if (rows.length === 0) return new Map();
  return new Map(
    database
      .all("SELECT p.id AS row, p.terms FROM json_each(?) j JOIN passages p ON p.id = j.value", [
        JSON.stringify(rows.map(({ row }) => row)),
      ])
      .map((found) => [Number(found["row"]), String(found["terms"]).split(" ")]),
  );
}

function inverseOf(statistics: CollectionStatistics, terms: Iterable<string>): Map<string, number> {
  return new Map([...terms].map((term) => [term, inverseFrequency(statistics, term)]));
}

function byScore(a: ScoredRow, b: ScoredRow): number {
  return b.score - a.score || a.row - b.row;
}

/** The terms of a query as the index knows them. */
export function askedTerms(terms: readonly string[]): string[] {
  return terms.map(safeTerm).filter((term) => term !== "");
}
