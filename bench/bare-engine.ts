/** The questions of the benchmark of the index, put to SQLite directly. Only row ids are fetched. */
import type { Database } from "../src/retrieval/sqlite/database.js";
import { anyOf } from "../src/retrieval/sqlite/fts-query.js";
import { searchTerms } from "../src/text/search-terms.js";

export const HITS = 10;

/** The two ways in which FTS5 can be told to rank: the one of its documentation, and one that takes about half of that. */
export const RANKS = ["rank", "bm25(passage_terms)"] as const;
export type Rank = (typeof RANKS)[number];

export function bareKeyword(database: Database, rank: Rank, query: string, limit = HITS): number | undefined {
  return bareTerms(database, rank, searchTerms(query), limit);
}

/** Gives the row of the best hit. */
function bareTerms(database: Database, rank: Rank, terms: readonly string[], limit: number): number | undefined {
  const expression = anyOf(terms);
  if (expression === undefined) return undefined;
  const rows = database.all(`SELECT rowid AS row FROM passage_terms WHERE passage_terms MATCH ? ORDER BY ${rank} LIMIT ?`, [
    expression,
    limit,
  ]);
  return rows.length === 0 ? undefined : Number(rows[0]?.["row"]);
}

/** The least that an expansion asks of the engine: a second question, here of the five longest words of the first hit. */
export function bareExpansion(database: Database, rank: Rank, query: string): void {
  const best = bareKeyword(database, rank, query, 50);
  if (best === undefined) return;
  const terms = String(database.all("SELECT terms FROM passages WHERE id = ?", [best])[0]?.["terms"]).split(" ");
  const longest = [...new Set(terms)].sort((a, b) => b.length - a.length).slice(0, 5);
  bareTerms(database, rank, longest, 50);
}

export function bareVector(database: Database, vector: readonly number[], limit = HITS): void {
  database.all("SELECT rowid, distance FROM vectors WHERE vector MATCH ? AND k = ?", [
    Buffer.from(Float32Array.from(vector).buffer),
    limit,
  ]);
}
