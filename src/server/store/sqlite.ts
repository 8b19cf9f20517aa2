/** Conversations in one SQLite file, for a single server. */
import { randomInt } from "node:crypto";
import path from "node:path";
import type LibsqlDatabase from "libsql";
import type { z } from "zod";
import { reasonOf, UserError } from "../../support/errors.js";
import { isRecord } from "../../support/is-record.js";
import { requireWritableFile } from "../../support/plain-file.js";
import {
  bound,
  STORE_FULL,
  StoreError,
  TABLES,
  type Sql,
  type StoreValue,
  type Statement,
} from "./sql.js";

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
  try {
    connection.exec(SETTINGS);
    connection.exec(["BEGIN IMMEDIATE", ...TABLES, "COMMIT"].join(";\n"));
  } catch (error) {
    connection.close();
    if (codeOf(error).startsWith("SQLITE_BUSY"))
      throw new UserError(
        `another server has the conversations in ${place}`,
        "stop it, or set CRAG_DATA_DIR to another folder for this one",
        1,
      );
    throw failure(error, file);
  }
  return new SqliteStore(file, connection);
}

class SqliteStore implements Sql {
  readonly server = randomInt(1, 2 ** 31);
  /** The lock on the file keeps others away. */
  readonly living = `SELECT ${this.server}`;
  readonly bytes =
    "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";
  private readonly statements = new Map<string, LibsqlDatabase.Statement>();

  constructor(
    private readonly file: string,
    private readonly connection: LibsqlDatabase.Database,
  ) {}

  async all<Row>(row: z.ZodType<Row>, sql: string, values: readonly StoreValue[] = []) {
    return this.guarded(() =>
      this.prepared(sql)
        .all(bound(values))
        .map((each) => row.parse(each)),
    );
  }

  async write(...statements: readonly Statement[]): Promise<void> {
    this.guarded(() => {
      this.connection.exec("BEGIN IMMEDIATE");
      try {
        for (const [sql, values = []] of statements) this.prepared(sql).run(bound(values));
        this.connection.exec("COMMIT");
      } catch (error) {
        if (this.connection.inTransaction) this.connection.exec("ROLLBACK");
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.statements.clear();
    this.connection.close();
  }

  private prepared(sql: string): LibsqlDatabase.Statement {
    const statement = this.statements.get(sql) ?? this.connection.prepare(sql);
    // Lists of places make texts of many lengths.
    if (this.statements.size < 200) this.statements.set(sql, statement);
    return statement;
  }

  private guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw codeOf(error) === "" ? error : failure(error, this.file);
    }
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && code.startsWith("SQLITE") ? code : "";
}

function failure(error: unknown, file: string): StoreError {
  const name = path.basename(file);
  if (codeOf(error).startsWith("SQLITE_FULL") || codeOf(error).startsWith("SQLITE_IOERR"))
    return new StoreError(`the disk of ${name} is full; this was not saved`, error, STORE_FULL);
  const said = isRecord(error) ? reasonOf(error) : String(error);
  return new StoreError(`${name} cannot be used: ${said}`, error);
}
