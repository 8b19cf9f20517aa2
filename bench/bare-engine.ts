/** The questions of the benchmark of the index, put to SQLite directly. */
import type { Database } from "../src/retrieval/sqlite/database.js";
import { anyOf } from "../src/retrieval/sqlite/fts-query.js";
import { PASSAGE_COLUMNS } from "../src/retrieval/sqlite/rows.js";
import { searchTerms } from "../src/text/search-terms.js";

export const HITS = 10;

/** The two ways in which FTS5 can be told to rank: the one of its documentation, and one that takes about half of that. */
export const RANKS = ["rank", "bm25(passage_terms)"] as const;
export type Rank = (typeof RANKS)[number];

/** Row ids, best first. */
export type Rows = readonly number[];

export function bareKeyword(database: Database, rank: Rank, query: string, limit = HITS): Rows {
  return bareTerms(database, rank, searchTerms(query), limit);
}

function bareTerms(database: Database, rank: Rank, terms: readonly string[], limit: number): Rows {
  const expression = anyOf(terms);
  if (expression === undefined) return [];
  return database
    .all(
      `SELECT rowid AS row FROM passage_terms WHERE passage_terms MATCH ? ORDER BY ${rank} LIMIT ?`,
      [expression, limit],
    )
    .map(({ row }) => Number(row));
}

export function bareVector(database: Database, vector: readonly number[], limit = HITS): Rows {
  return database
    .all("SELECT rowid AS row, distance FROM vectors WHERE vector MATCH ? AND k = ?", [
      Buffer.from(Float32Array.from(vector).buffer),
      limit,
    ])
    .map(({ row }) => Number(row));
}

/** Reads what a hit shows. */
export function readPassages(database: Database, rows: Rows): void {
  database.all(
    `SELECT ${PASSAGE_COLUMNS} FROM json_each(?) j JOIN passages p ON p.id = j.value JOIN documents d ON d.id = p.document_id`,
    [JSON.stringify(rows)],
  );
}

const CANDIDATES = 50;

/** The least that an expansion asks of the engine: a second question, here of the five longest words of the first hit. */
export function bareExpansion(database: Database, rank: Rank, query: string): Rows {
  const [best] = bareKeyword(database, rank, query, CANDIDATES);
  if (best === undefined) return [];
  return bareTerms(database, rank, longest(readTerms(database, [best])[0] ?? []), CANDIDATES);
}

const FEEDBACK_PASSAGES = 10;
/** Of the ten passages' some 700 terms; so many our own search looks up on average. */
const LOOKED_UP = 150;

/**
 * All that an expansion must read: the terms of the candidates of both questions, and how frequent those of the ten best are, as far as that
 * was not asked before. It computes nothing from them.
 */
export function bareFeedback(
  database: Database,
  rank: Rank,
  query: string,
  known: Set<string>,
): Rows {
  const first = bareKeyword(database, rank, query, CANDIDATES);
  const terms = readTerms(database, first);
  const unknown = [...new Set(terms.slice(0, FEEDBACK_PASSAGES).flat())]
    .slice(0, LOOKED_UP)
    .filter((term) => !known.has(term));
  database.all(
    "SELECT j.value AS term, v.doc FROM json_each(?) j JOIN passage_vocabulary v ON v.term = j.value",
    [JSON.stringify(unknown)],
  );
  for (const term of unknown) known.add(term);
  const second = bareTerms(database, rank, longest(terms[0] ?? []), CANDIDATES);
  const seen = new Set(first);
  const further = second.filter((row) => !seen.has(row));
  readTerms(database, further);
  return second;
}

function readTerms(database: Database, rows: Rows): string[][] {
  return database
    .all("SELECT p.terms FROM json_each(?) j JOIN passages p ON p.id = j.value", [
      JSON.stringify(rows),
    ])
    .map(({ terms }) => String(terms).split(" "));
}

function longest(terms: readonly string[]): string[] {
  return [...new Set(terms)].sort((a, b) => b.length - a.length).slice(0, 5);
}
