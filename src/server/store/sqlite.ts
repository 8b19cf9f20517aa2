/** Conversations in one SQLite file, for a single server. */
import { randomInt } from "node:crypto";
import path from "node:path";
import { Database } from "../../retrieval/sqlite/database.js";
import { codeOf, reasonOf, UserError } from "../../support/errors.js";
import { requireWritableFile } from "../../support/plain-file.js";
import { STORE_FULL, StoreError, TABLES, type Sql } from "./sql.js";

/**
 * A lock on the file for as long as the server runs, because a second one would take the first
 * one's runs for cut off; the system releases it when the process is killed. With write-ahead
 * logging and `synchronous = NORMAL` a commit survives a kill; a power cut may lose the last ones.
 */
const SETTINGS = [
  "PRAGMA locking_mode = EXCLUSIVE",
  "PRAGMA journal_mode = WAL",
  "PRAGMA synchronous = NORMAL",
  "PRAGMA journal_size_limit = 16777216",
].join("; ");

/** @throws UserError if another server has the file, StoreError if it is no database */
export async function openSqlite(file: string): Promise<Sql> {
  const { default: Libsql } = await import("libsql");
  // A relative path might read like an address: `file:threads`.
  const place = path.resolve(file);
  try {
    requireWritableFile(place);
  } catch (error) {
    const problem = `the conversations cannot be kept in ${place}: ${reasonOf(error)}`;
    throw new UserError(problem, "set CRAG_DATA_DIR to another folder", 1);
  }
  const connection = new Libsql(place, { timeout: 2_000 });
  const database = new Database(place, connection, (error) => problemIn(place, error));
  try {
    database.exec(SETTINGS);
    database.transaction(() => TABLES.forEach((sql) => database.exec(sql)));
  } catch (error) {
    connection.close();
    throw error;
  }
  const server = randomInt(1, 2 ** 31);
  return {
    server,
    // The lock on the file keeps others away.
    living: `SELECT ${server}`,
    bytes: "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
    all: async (row, sql, values) => database.all(sql, values).map((each) => row.parse(each)),
    write: async (...statements) =>
      database.transaction(() => statements.forEach(([sql, values]) => database.run(sql, values))),
    close: async () => void connection.close(),
  };
}

function problemIn(place: string, error: unknown): unknown {
  const name = path.basename(place);
  const code = codeOf(error);
  if (code.startsWith("SQLITE_BUSY"))
    return new UserError(
      `another server has the conversations in ${place}`,
      "stop it, or set CRAG_DATA_DIR to another folder for this one",
      1,
    );
  if (/^SQLITE_(?:FULL|IOERR)/.test(code))
    return new StoreError(`the disk of ${name} is full; this was not saved`, error, STORE_FULL);
  if (!code.startsWith("SQLITE")) return error;
  return new StoreError(`${name} cannot be used: ${reasonOf(error)}`, error);
}
