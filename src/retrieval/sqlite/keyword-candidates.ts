/** Which passages a keyword search looks at: the best by BM25, within what a search may cost. */
import { inverseFrequency, queryWeights } from "../lexical-ranking.js";
import type { Database } from "./database.js";
import type { Condition } from "./filter-sql.js";
import { allOf } from "./fts-query.js";
import type { KeywordIndex } from "./keyword-index.js";
import { scorePassages, type ScoredRow } from "./passage-scores.js";

export interface KeywordSearch {
  database: Database;
  index: KeywordIndex;
  /** Of the query, in its order, with repetitions. */
  terms: readonly string[];
  limit: number;
  condition: Condition | undefined;
  /** What it may cost, where a test or a measurement wants less than usual. */
  most?: Postings;
}

/** Occurrences of terms to be read at most: of the query's own terms, and of those that expand it. */
export interface Postings {
  query: number;
  expansion: number;
}

export interface Candidates {
  rows: ScoredRow[];
  /** Whether all terms were looked for, so that the scores are BM25 of the whole query and nothing better was left out. */
  complete: boolean;
}

/** A longer query is cut to its rarest terms. */
const MAX_QUERY_TERMS = 128;
/**
 * What a search may cost: so many occurrences of terms are read while looking for candidates, the rarest terms first, and all terms rank them.
 * That takes some 15 ms; collections of up to 100,000 passages hardly ever need as much, so that nothing is left out there. What it costs in
 * quality: docs/bench-index.md.
 */
const MOST_POSTINGS = 100_000;
/** Terms that expand a query may cost a twentieth of the passages, within these bounds. */
const EXPANSION_POSTINGS = { least: 5_000, most: 12_500 };
/** Fewer rare terms than this are helped by passages that hold two of the frequent ones. */
const MIN_RARE_TERMS = 2;
/** How many candidates are ranked anew, at least, where only some of the terms looked. */
const CANDIDATES_OF_RARE_TERMS = 100;

/** How much each term of a query counts. */
export function weightsOf({ terms, index }: KeywordSearch): Map<string, number> {
  const weights = queryWeights(terms);
  if (weights.size <= MAX_QUERY_TERMS) return weights;
  const gain = ([term, weight]: [string, number]): number =>
    index.frequency(term) === 0 ? 0 : weight * inverseFrequency(index, term);
  return new Map([...weights].sort((a, b) => gain(b) - gain(a)).slice(0, MAX_QUERY_TERMS));
}

/** Candidates for the query's own terms. Where the affordable ones find too few, all terms are searched after all. */
export function firstCandidates(
  search: KeywordSearch,
  weights: ReadonlyMap<string, number>,
  least: number,
): Candidates {
  const { limit } = search;
  const affordable = affordableTerms(search, weights);
  if (affordable !== undefined) {
    const wanted = Math.max(limit, CANDIDATES_OF_RARE_TERMS);
    const rows = new Map(
      bestRows(search, affordable.terms, wanted).map((found) => [found.row, found]),
    );
    for (const found of pairRows(search, affordable.pairs, wanted))
      if (!rows.has(found.row)) rows.set(found.row, found);
    if (rows.size >= limit) return { rows: [...rows.values()], complete: false };
  }
  return { rows: bestRows(search, weights, Math.max(limit, least)), complete: true };
}

/** The weightiest terms that together stay within what an expansion may cost. */
export function searchingTerms(
  expansion: readonly { term: string }[],
  count: number,
  search: KeywordSearch,
): string[] {
  const { index } = search;
  const { expansion: most } = postingsOf(search);
  let postings = 0;
  return expansion
    .filter(({ term }) => {
      const fits = postings + index.frequency(term) <= most;
      if (fits) postings += index.frequency(term);
      return fits;
    })
    .slice(0, count)
    .map(({ term }) => term);
}

/** The best by BM25 that meet the condition. */
export function bestRows(
  { database, index, condition }: KeywordSearch,
  weights: ReadonlyMap<string, number>,
  limit: number,
): ScoredRow[] {
  return scorePassages(index, weights, (passages) => {
    if (condition === undefined) return passages.best(limit);
    // From the best on, until enough of them meet it.
    for (let depth = limit * 4; ; depth *= 8) {
      const rows = passages.best(depth);
      const meet = meeting(database, rows, condition);
      if (meet.length >= limit || depth >= passages.found) return meet.slice(0, limit);
    }
  });
}

function meeting(
  database: Database,
  rows: readonly ScoredRow[],
  condition: Condition,
): ScoredRow[] {
  const found = database.all(
    `SELECT p.id AS row FROM json_each(?) j JOIN passages p ON p.id = j.value JOIN documents d ON d.id = p.document_id WHERE ${condition.sql}`,
    [JSON.stringify(rows.map(({ row }) => row)), ...condition.values],
  );
  const meet = new Set(found.map(({ row }) => Number(row)));
  return rows.filter(({ row }) => meet.has(row));
}

function postingsOf({ index, most }: KeywordSearch): Postings {
  const { least, most: highest } = EXPANSION_POSTINGS;
  return (
    most ?? {
      query: MOST_POSTINGS,
      expansion: Math.min(highest, Math.max(least, index.passages / 20)),
    }
  );
}

interface Affordable {
  terms: ReadonlyMap<string, number>;
  /** For the full-text index; undefined when there are none. */
  pairs: string | undefined;
}

/** What stands for a query that would cost too much; undefined for one that does not. */
function affordableTerms(
  search: KeywordSearch,
  weights: ReadonlyMap<string, number>,
): Affordable | undefined {
  const { index } = search;
  const { query: most } = postingsOf(search);
  // No term occurs in more passages than there are.
  if (weights.size * index.passages <= most) return undefined;
  index.prepare?.([...weights.keys()]);
  const found = [...weights]
    .map(([term, weight]) => ({ term, weight, postings: index.frequency(term) }))
    .filter(({ postings }) => postings > 0)
    .sort((a, b) => a.postings - b.postings);
  let postings = 0;
  const rare = found.filter((term) => (postings += term.postings) <= most);
  if (rare.length === found.length) return undefined;
  const frequent = found.slice(rare.length);
  const pairs = rare.length < MIN_RARE_TERMS ? affordablePairs(frequent, index.passages, most) : [];
  return {
    terms: new Map(rare.map(({ term, weight }) => [term, weight])),
    pairs: pairs.length === 0 ? undefined : pairs.join(" OR "),
  };
}

interface Term {
  term: string;
  postings: number;
}

/** Pairs of frequent terms in one passage, the rarest first, their number estimated as if terms were independent of each other. */
function affordablePairs(terms: readonly Term[], passages: number, maxPostings: number): string[] {
  let postings = 0;
  return terms
    .flatMap((left, index) =>
      terms
        .slice(index + 1)
        .map((right) => ({ left, right, both: (left.postings * right.postings) / passages })),
    )
    .sort((a, b) => a.both - b.both)
    .filter(({ both }) => (postings += both) <= maxPostings)
    .map(({ left, right }) => `(${allOf([left.term, right.term])})`);
}

/** The best passages that hold a pair, by FTS5's `bm25()`, which gives negative numbers, better ones lower. */
function pairRows(
  { database, condition }: KeywordSearch,
  pairs: string | undefined,
  limit: number,
): ScoredRow[] {
  if (pairs === undefined) return [];
  const rows =
    condition === undefined
      ? database.all(
          "SELECT rowid AS row, bm25(passage_terms) AS score FROM passage_terms WHERE passage_terms MATCH ? ORDER BY score LIMIT ?",
          [pairs, limit],
        )
      : database.all(
          `SELECT f.rowid AS row, bm25(passage_terms) AS score
           FROM passage_terms f JOIN passages p ON p.id = f.rowid JOIN documents d ON d.id = p.document_id
           WHERE f.passage_terms MATCH ? AND ${condition.sql} ORDER BY score LIMIT ?`,
          [pairs, ...condition.values, limit],
        );
  return rows.map(({ row, score }) => ({ row: Number(row), score: -Number(score) }));
}
