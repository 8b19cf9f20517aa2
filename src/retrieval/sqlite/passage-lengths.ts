/** How many terms each passage has, as the full-text index counted them. */
import type { Database } from "./database.js";
import { rowIds } from "./rows.js";

/** So many passages are read as two values. */
const AT_ONCE = 50_000;

/**
 * Lengths by row. FTS5 keeps them in its table `docsize` (its documentation, "The Columnsize Option"), a row for each passage with one
 * SQLite varint for each column.
 */
export function passageLengths(database: Database): Uint32Array {
  const last = Number(
    database.all("SELECT max(id) AS last FROM passage_terms_docsize")[0]?.["last"] ?? 0,
  );
  const lengths = new Uint32Array(last + 1);
  for (let from = 0; from <= last;) {
    const found = database.all(
      `SELECT json_group_array(id) AS rows, group_concat(hex(sz), '') AS sizes
       FROM (SELECT id, sz FROM passage_terms_docsize WHERE id >= ? ORDER BY id LIMIT ?)`,
      [from, AT_ONCE],
    )[0];
    const rows = rowIds(found?.["rows"]);
    if (rows.length === 0) break;
    const sizes = Buffer.from(String(found?.["sizes"]), "hex");
    let at = 0;
    for (const row of rows) {
      let length = 0;
      for (let column = 0; column < COLUMNS; column++) {
        let size = 0;
        let byte: number;
        do {
          byte = sizes[at++] ?? 0;
          size = size * 128 + (byte & 127);
        } while (byte > 127);
        length += size;
      }
      lengths[row] = length;
    }
    from = (rows[rows.length - 1] ?? last) + 1;
  }
  return lengths;
}

/** Title and tokens. */
const COLUMNS = 2;
