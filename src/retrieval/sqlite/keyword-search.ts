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
import { allOf, anyOf, safeTerm } from "./fts-query.js";

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
  /** What it may cost, where a test or a measurement wants less than usual. */
  maxPostings?: number;
}

/** A longer query is cut to its rarest terms. */
const MAX_QUERY_TERMS = 128;
/**
 * What a search may cost: so many occurrences of terms are read while looking for candidates, the rarest terms first, and all terms rank them.
 * A tenth of the passages, within these bounds: small collections lose nothing by it, and in large ones the time stays bounded. What it costs
 * in quality: docs/bench-index.md.
 */
const LEAST_POSTINGS = 10_000;
const MOST_POSTINGS = 25_000;
/** Fewer rare terms than this are helped by passages that hold two of the frequent ones. */
const MIN_RARE_TERMS = 2;
/** How many candidates are ranked anew, at least: few where the engine ranked by the same formula, more where only some of the terms looked. */
const CANDIDATES = 20;
const CANDIDATES_TO_EXPAND = 50;
const CANDIDATES_OF_RARE_TERMS = 100;

/**
 * Plain BM25, best first. In large collections the candidates come from the rarer terms. Scored here, by our own
 * statistics: a contentless FTS5 table goes on counting the rows that were deleted, so its scores rise each time that documents are replaced.
 */
export function plainRows(search: KeywordSearch): ScoredRow[] {
  const weights = weightsOf(search);
  const rows = firstCandidates(search, weights, CANDIDATES);
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
  const weights = weightsOf(search);
  const candidates = termsOf(database, firstCandidates(search, weights, CANDIDATES_TO_EXPAND));
  const inverse = inverseOf(statistics, weights.keys());
  const query = search.terms.filter((term) => weights.has(term));
  const bm25 = bm25Scorer(weights, inverse, averageLength);
  const own = (terms: PassageTerms): number => bm25(terms) + PROXIMITY_WEIGHT * proximity(terms, query, inverse, averageLength);
  const first = [...candidates].map(([row, terms]) => ({ row, terms, score: own(terms) })).sort(byScore);
  const expansion = expansionTerms(first, statistics);
  if (expansion.length === 0) return first.slice(0, search.limit).map(({ row, score }) => ({ row, score }));

  const further = candidateRows(search, anyOf(searchingTerms(expansion, search)), CANDIDATES_TO_EXPAND).filter(
    ({ row }) => !candidates.has(row),
  );
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

/** The weightiest terms that together stay within half of what a search may cost. */
function searchingTerms(
  expansion: readonly { term: string }[],
  { statistics, maxPostings = affordable(statistics) }: KeywordSearch,
): string[] {
  let postings = 0;
  return expansion
    .filter(({ term }) => {
      const fits = postings + statistics.frequency(term) <= maxPostings / 2;
      if (fits) postings += statistics.frequency(term);
      return fits;
    })
    .slice(0, SEARCHING_TERMS)
    .map(({ term }) => term);
}

function affordable({ passages }: CollectionStatistics): number {
  return Math.min(MOST_POSTINGS, Math.max(LEAST_POSTINGS, passages / 10));
}

function weightsOf({ terms, statistics }: KeywordSearch): Map<string, number> {
  const weights = queryWeights(terms);
  if (weights.size <= MAX_QUERY_TERMS) return weights;
  const gain = ([term, weight]: [string, number]): number =>
    statistics.frequency(term) === 0 ? 0 : weight * inverseFrequency(statistics, term);
  return new Map([...weights].sort((a, b) => gain(b) - gain(a)).slice(0, MAX_QUERY_TERMS));
}

/** Candidates for the query's own terms. Where the affordable ones find too few, all terms are searched after all. */
function firstCandidates(search: KeywordSearch, weights: ReadonlyMap<string, number>, least: number): ScoredRow[] {
  // A term that was asked for twice is asked for twice of the engine, too.
  const all = anyOf([...weights].flatMap(([term, weight]) => Array.from({ length: weight }, () => term)));
  const instead = affordableExpression(weights, search);
  const rows = instead === undefined ? [] : candidateRows(search, instead, CANDIDATES_OF_RARE_TERMS);
  return instead !== undefined && rows.length >= search.limit ? rows : candidateRows(search, all, least);
}

/** What stands for a query that would cost too much; undefined for one that does not. */
function affordableExpression(
  weights: ReadonlyMap<string, number>,
  { statistics, maxPostings = affordable(statistics) }: KeywordSearch,
): string | undefined {
  const found = [...weights.keys()]
    .map((term) => ({ term, postings: statistics.frequency(term) }))
    .filter(({ postings }) => postings > 0)
    .sort((a, b) => a.postings - b.postings);
  let postings = 0;
  const rare = found.filter((term) => (postings += term.postings) <= maxPostings);
  if (rare.length === found.length) return undefined;
  const frequent = found.slice(rare.length);
  const pairs = rare.length < MIN_RARE_TERMS ? affordablePairs(frequent, statistics.passages, maxPostings) : [];
  return [anyOf(rare.map(({ term }) => term)), ...pairs].filter((part) => part !== undefined).join(" OR ");
}

interface Term {
  term: string;
  postings: number;
}

/** Pairs of frequent terms in one passage, the rarest first, their number estimated as if terms were independent of each other. */
function affordablePairs(terms: readonly Term[], passages: number, maxPostings: number): string[] {
  let postings = 0;
  return terms
    .flatMap((left, index) => terms.slice(index + 1).map((right) => ({ left, right, both: (left.postings * right.postings) / passages })))
    .sort((a, b) => a.both - b.both)
    .filter(({ both }) => (postings += both) <= maxPostings)
    .map(({ left, right }) => `(${allOf([left.term, right.term])})`);
}

/** The best by FTS5's `bm25()`, which gives negative numbers, better ones lower. */
function candidateRows({ database, condition, limit: asked }: KeywordSearch, expression: string | undefined, least: number): ScoredRow[] {
  if (expression === undefined || expression === "") return [];
  const limit = Math.max(asked, least);
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
