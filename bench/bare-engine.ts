/** The questions of the benchmark of the index, put to SQLite directly. */
import type { Database } from "../src/retrieval/sqlite/database.js";
import { matchAny } from "../src/retrieval/sqlite/search.js";
import { PASSAGE_COLUMNS } from "../src/retrieval/sqlite/schema.js";
import { searchTerms } from "../src/text/analyse.js";

export const HITS = 10;

/** The two ways in which FTS5 can be told to rank: the one of its documentation, and one that takes about half of that. */
export const RANKS = ["rank", "bm25(passage_terms)"] as const;
export type Rank = (typeof RANKS)[number];

/** Row ids, best first. */
export type Rows = readonly number[];

export function bareKeyword(database: Database, rank: Rank, query: string, limit = HITS): Rows {
  const expression = matchAny(searchTerms(query));
  if (expression === undefined) return [];
  return database
    .all(
      `SELECT rowid AS row FROM passage_terms WHERE passage_terms MATCH ? ORDER BY ${rank} LIMIT ?`,
      [expression, limit],
    )
    .map(({ row }) => Number(row));
}

export function bareVector(database: Database, vector: ArrayLike<number>, limit = HITS): Rows {
  return database
    .all(
      "SELECT passage AS row FROM vectors ORDER BY vector_distance_cos(vector, vector8(?)) LIMIT ?",
      [Buffer.from(Float32Array.from(vector).buffer), limit],
    )
    .map(({ row }) => Number(row));
}

/** Reads what a hit shows. */
export function readPassages(database: Database, rows: Rows): void {
  database.all(
    `SELECT ${PASSAGE_COLUMNS} FROM json_each(?) j JOIN passages p ON p.id = j.value JOIN documents d ON d.id = p.document_id JOIN descriptions m ON m.id = p.description_id`,
    [JSON.stringify(rows)],
  );
}
