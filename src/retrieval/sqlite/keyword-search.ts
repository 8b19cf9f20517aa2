/** The keyword leg: FTS5 and its `bm25()` over our own terms. */
import { searchTerms } from "../../text/search-terms.js";
import { queryWeights } from "../indexed-text.js";
import type { Database } from "./database.js";
import type { Condition } from "./filter-sql.js";

/** A title says more of a passage than its text: nDCG@10 on nfcorpus .3005 with 2, .2983 with 1. */
const TITLE_WEIGHT = 2;
/** A longer query is a pasted text: its first and its last words are taken, where a question stands. */
const MAX_QUERY_TERMS = 256;

/** Characters that the index's tokenizer does not take as part of a term (see the table definition); they would split or end it. */
const UNSAFE = /[\u0000-\u0020"\\`\u007f]+/g;

/** Makes one term fit for the index. The same for storing and for asking, so that nothing is lost by it. */
function safeTerm(term: string): string {
  return term.replace(UNSAFE, "_");
}

/** Returns terms as one cell of the index. */
export function termsAsCell(terms: readonly string[]): string {
  return terms
    .map(safeTerm)
    .filter((term) => term !== "")
    .join(" ");
}

/** Returns `"a" OR "b"`, a repeated term counting again; undefined when there is no term. */
export function matchAny(terms: readonly string[]): string | undefined {
  const all = [...queryWeights(terms.map(safeTerm).filter((term) => term !== ""))];
  const half = MAX_QUERY_TERMS / 2;
  const asked = all.length <= MAX_QUERY_TERMS ? all : [...all.slice(0, half), ...all.slice(-half)];
  const quoted = asked.flatMap(([term, times]) => Array<string>(times).fill(`"${term}"`));
  return quoted.length === 0 ? undefined : quoted.join(" OR ");
}

export interface ScoredRow {
  /** Row id of the passage. */
  row: number;
  score: number;
}

/** Searches by BM25, best first. */
export function searchKeywords(
  database: Database,
  { query, limit, condition }: { query: string; limit: number; condition: Condition | undefined },
): ScoredRow[] {
  const match = matchAny(searchTerms(query));
  if (match === undefined) return [];
  const within =
    condition === undefined
      ? ""
      : `AND rowid IN (SELECT p.id FROM passages p JOIN documents d ON d.id = p.document_id WHERE ${condition.sql})`;
  return database
    .all(
      `SELECT rowid AS row, bm25(passage_terms, ${TITLE_WEIGHT}, 1) AS score FROM passage_terms WHERE passage_terms MATCH ? ${within} ORDER BY score LIMIT ?`,
      [match, ...(condition?.values ?? []), limit],
    )
    .map((found) => ({ row: Number(found["row"]), score: -Number(found["score"]) }));
}

/**
 * Joins the parts into which the full-text index was written: looking up a term costs two thirds
 * less in one part than in the handful that a first ingestion leaves.
 */
export function joinIndexParts(database: Database): void {
  try {
    database.exec("INSERT INTO passage_terms (passage_terms) VALUES ('optimize')");
  } catch {
    // It only makes searches faster: no space, or another process that writes, is no reason to fail.
  }
}
