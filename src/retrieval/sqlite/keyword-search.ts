/** The keyword leg: BM25 over title and text by SQLite's FTS5. */
import type { Condition } from "./filter-sql.js";
import type { Database } from "./database.js";

/** How much more a term counts in title or headings than in the text. */
export const TITLE_WEIGHT = 1;

export interface ScoredRow {
  /** Row id of the passage. */
  row: number;
  /** BM25, higher is better. */
  score: number;
}

/** The best rows for an expression made by `anyOf`, best first. FTS5's `bm25()` gives negative numbers, better ones lower. */
export function keywordRows(database: Database, expression: string, limit: number, condition: Condition | undefined): ScoredRow[] {
  const rank = `bm25(${TITLE_WEIGHT}, 1.0)`;
  const rows =
    condition === undefined
      ? database.all("SELECT rowid AS row, rank FROM passage_terms WHERE passage_terms MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?", [
          expression,
          rank,
          limit,
        ])
      : database.all(
          `SELECT f.rowid AS row, f.rank AS rank FROM passage_terms f JOIN passages p ON p.id = f.rowid JOIN documents d ON d.id = p.document_id
           WHERE f.passage_terms MATCH ? AND f.rank MATCH ? AND ${condition.sql} ORDER BY f.rank LIMIT ?`,
          [expression, rank, ...condition.values, limit],
        );
  return rows.map((row) => ({ row: Number(row["row"]), score: -Number(row["rank"]) }));
}
