/** SQLite through libsql: connections with their statements and transactions. */
import { chmodSync, existsSync, statSync } from "node:fs";
import path from "node:path";
import type LibsqlDatabase from "libsql";
import { LRUCache } from "lru-cache";
import { codeOf, reasonOf } from "../../support/errors.js";
import { isRecord } from "../../support/json.js";
import { requireWritableFile } from "../../support/plain-file.js";
import { retry } from "../../support/waiting.js";
import { KnowledgeBaseError } from "../knowledge-base.js";

/** Binding anything else makes the driver abort the whole process. */
export type SqlValue = string | number | bigint | Uint8Array | null;
/** NULL columns are left out. */
type SqlRow = Record<string, unknown>;

/** How long a statement waits for another process's lock. */
const BUSY_TIMEOUT_IN_MS = 5000;
/** Together they wait for four to eight seconds. */
const BUSY_RETRIES = { maxRetries: 7, initialDelayInMs: 64 };

/** Selections of ids that are remembered; one of 100,000 takes about a megabyte. */
const MAX_SELECTIONS = 32;

/** Lists of places make texts of many lengths. */
const MAX_STATEMENTS = 500;

/** Name of the file in the knowledge base's directory. */
export const DATABASE_FILE = "kb.sqlite";

/**
 * Opens `kb.sqlite` in a directory; creates both unless `readOnly`. A file that may only be read
 * is opened for that, since there may be nothing to write.
 * @throws KnowledgeBaseError when it is missing, cannot be made, or is not a SQLite file
 */
export async function openDatabase(directory: string, readOnly: boolean): Promise<Database> {
  const file = path.join(directory, DATABASE_FILE);
  if (readOnly && !existsSync(file))
    throw new KnowledgeBaseError(
      `there is no knowledge base in ${directory}`,
      `make one with: corrective-rag ingest PATH --kb ${directory}`,
    );
  if (existsSync(file) && !statSync(file).isFile())
    throw new KnowledgeBaseError(`${file} is not a file`, "choose another directory with --kb");
  const { default: Libsql } = await import("libsql");
  try {
    if (!readOnly) requireWritableFile(file);
    // A file changes its journal at once or not at all, so that others have to be waited for here.
    const connection = await retry({
      attempt: async () => connect(Libsql, file, readOnly),
      waitFor: (error) => (codeOf(error).startsWith("SQLITE_BUSY") ? 0 : undefined),
      ...BUSY_RETRIES,
    });
    // Private to its owner; SQLite's log files inherit these permissions.
    if (!readOnly) chmodSync(file, 0o600);
    return new Database(file, connection);
  } catch (cause) {
    const isProtected = failureOf(cause, "SQLITE_CANTOPEN") === READ_ONLY && existsSync(file);
    if (isProtected && !readOnly) return openDatabase(directory, true);
    throw storeError(cause, file, "SQLITE_CANTOPEN");
  }
}

/** Opens a database that is gone when it is closed. */
export async function openInMemory(): Promise<Database> {
  const { default: Libsql } = await import("libsql");
  return new Database(":memory:", new Libsql(":memory:"));
}

/**
 * Write-ahead logging lets a server answer while documents are ingested. `synchronous = NORMAL`
 * survives a killed process; a power cut may lose the last commits, which the next ingest restores.
 */
const TO_WRITE = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL";
const TO_READ = "PRAGMA query_only = 1";

function connect(
  Libsql: typeof LibsqlDatabase,
  file: string,
  readOnly: boolean,
): LibsqlDatabase.Database {
  const open = (target: string): LibsqlDatabase.Database => {
    const connection = new Libsql(target, { timeout: BUSY_TIMEOUT_IN_MS });
    try {
      // A memory map would make vector search half as fast again, but the process would be killed
      // by whoever truncates the file.
      connection.exec(
        "PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536",
      );
      connection.exec(readOnly ? TO_READ : TO_WRITE);
      connection.prepare("SELECT count(*) FROM sqlite_master").all();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  try {
    // A relative path might read like an address: `file:kb`.
    return open(path.resolve(file));
  } catch (error) {
    if (!readOnly) throw error;
    // On read-only media SQLite cannot make its lock files.
    const escaped = encodeURI(file).replaceAll("?", "%3F").replaceAll("#", "%23");
    return open(`file:${escaped}?immutable=1`);
  }
}

/** A thin, typed connection that keeps its prepared statements. */
export class Database {
  private readonly statements = new Map<string, LibsqlDatabase.Statement>();
  /** What each temporary table selects, the oldest of which is filled anew. */
  private readonly selections: string[] = [];
  private nextSelection = 0;
  /** Documents by revision and glob: to compare 100,000 paths takes a third of a second. */
  readonly matches = new LRUCache<string, string>({ max: 8 });
  private isOpen = true;

  /** @param problemOf makes the error that callers see of the driver's */
  constructor(
    readonly file: string,
    private readonly connection: LibsqlDatabase.Database,
    private readonly problemOf = (cause: unknown): unknown => storeError(cause, file),
  ) {}

  all(sql: string, values: readonly SqlValue[] = []): SqlRow[] {
    return this.guarded(() => this.prepare(sql).all(bound(values)).map(rowOf));
  }

  /** Returns the last inserted row id. */
  run(sql: string, values: readonly SqlValue[] = []): number {
    return this.guarded(() => Number(this.prepare(sql).run(bound(values)).lastInsertRowid));
  }

  /** Inserts a row; undefined columns become NULL. */
  insert(table: string, columns: Readonly<Record<string, SqlValue | undefined>>): number {
    const values = Object.values(columns).map((value) => value ?? null);
    const places = values.map(() => "?").join(", ");
    return this.run(
      `INSERT INTO ${table} (${Object.keys(columns).join(", ")}) VALUES (${places})`,
      values,
    );
  }

  /**
   * Returns a temporary table of the ids that a query selects, made once for each version of the
   * content. It may be used until the next call.
   */
  selected(sql: string, values: readonly SqlValue[], version: string): string {
    const key = JSON.stringify([sql, values, version]);
    const known = this.selections.indexOf(key);
    if (known >= 0) return `temp.selection_${known}`;
    const slot = this.nextSelection;
    this.nextSelection = (slot + 1) % MAX_SELECTIONS;
    this.selections[slot] = "";
    const table = `temp.selection_${slot}`;
    const [{ query_only: readOnly } = {}] = this.all("PRAGMA query_only");
    // A connection that only reads may still fill temporary tables.
    this.exec("PRAGMA query_only = 0");
    try {
      this.exec(`CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY)`);
      this.exec(`DELETE FROM ${table}`);
      this.run(`INSERT INTO ${table} ${sql}`, values);
    } finally {
      this.exec(`PRAGMA query_only = ${Number(readOnly)}`);
    }
    this.selections[slot] = key;
    return table;
  }

  exec(sql: string): void {
    this.guarded(() => this.connection.exec(sql));
  }

  /** Runs `work` in one transaction, all or nothing. */
  transaction<T>(work: () => T): T {
    this.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.connection.inTransaction) this.connection.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.statements.clear();
    try {
      // Leaves a single file behind; fails, harmlessly, while others have it open.
      this.connection.exec(
        "PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE",
      );
    } catch {
      // The last process to close the file removes the log.
    }
    this.connection.close();
  }

  private prepare(sql: string): LibsqlDatabase.Statement {
    const statement = this.statements.get(sql) ?? this.connection.prepare(sql);
    if (this.statements.size < MAX_STATEMENTS) this.statements.set(sql, statement);
    return statement;
  }

  private guarded<T>(work: () => T): T {
    if (!this.isOpen) throw new KnowledgeBaseError(`the knowledge base ${this.file} is closed`);
    try {
      return work();
    } catch (cause) {
      throw this.problemOf(cause);
    }
  }
}

/** Returns values without NUL, where the driver cuts strings, and which Postgres refuses. */
export function bound<Value extends SqlValue>(values: readonly Value[]) {
  return values.map((value) => (typeof value === "string" ? value.replaceAll("\0", " ") : value));
}

function rowOf(row: unknown): SqlRow {
  if (!isRecord(row)) throw new TypeError("a row is not an object");
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

const DAMAGED = ["is damaged or not a knowledge base", "delete the file and run ingest again"];
const IN_USE = ["is in use by another process", "wait until the other ingest is done"];
const READ_ONLY = ["cannot be written", "check its permissions, or choose another with --kb"];
/** Keyed by SQLite's primary result codes. */
const FAILURES: Readonly<Record<string, readonly string[]>> = {
  SQLITE_CORRUPT: DAMAGED,
  SQLITE_NOTADB: DAMAGED,
  SQLITE_BUSY: IN_USE,
  SQLITE_LOCKED: IN_USE,
  SQLITE_FULL: ["has no space left", "free some space and run ingest again"],
  SQLITE_READONLY: READ_ONLY,
  SQLITE_CANTOPEN: READ_ONLY,
  SQLITE_PERM: READ_ONLY,
};

/** @param otherwise the code to assume for an error without one */
function failureOf(cause: unknown, otherwise = ""): readonly string[] | undefined {
  // Extended codes begin with the primary one.
  const primary =
    Object.keys(FAILURES).find((known) => codeOf(cause).startsWith(known)) ?? otherwise;
  return FAILURES[primary];
}

function storeError(cause: unknown, file: string, otherwise?: string): KnowledgeBaseError {
  if (cause instanceof KnowledgeBaseError) return cause;
  const [what = "failed", hint] = failureOf(cause, otherwise) ?? [];
  return new KnowledgeBaseError(`the knowledge base ${file} ${what} (${reasonOf(cause)})`, hint, {
    cause,
  });
}
