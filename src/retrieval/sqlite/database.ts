/** The only file that talks to libsql: opening, binding, transactions, and errors in the words of the knowledge-base port. */
import { chmodSync, existsSync, statSync } from "node:fs";
import path from "node:path";
import type LibsqlDatabase from "libsql";
import { makeFolder } from "../../support/make-folder.js";
import { reasonOf } from "../../support/errors.js";
import { KnowledgeBaseError } from "../knowledge-base.js";

/** What may be bound to a statement. The binding aborts the whole process on anything else, which is why this is the only way in. */
export type SqlValue = string | number | bigint | Uint8Array | null;
export type SqlRow = Record<string, unknown>;

/** How long a statement waits for another process's lock. */
const BUSY_TIMEOUT_IN_MS = 5000;
/** Pages are read through a memory map up to this size; exact vector search is half as slow again without it. */
const MMAP_BYTES = 4 * 1024 ** 3;

/** The name of the one file in the knowledge base's directory. */
export const DATABASE_FILE = "kb.sqlite";

/** A thin, typed connection. Statements are prepared once and kept. */
export interface Database {
  readonly file: string;
  all(sql: string, values?: readonly SqlValue[]): SqlRow[];
  run(sql: string, values?: readonly SqlValue[]): { lastInsertRowid: number };
  exec(sql: string): void;
  /** Runs `work` in one immediate transaction: all of it is stored, or nothing. */
  transaction<T>(work: () => T): T;
  /** False when the library cannot be loaded on this machine. */
  loadExtension(file: string): boolean;
  close(): void;
}

/**
 * Opens `kb.sqlite` in a directory; creates both unless `readOnly`.
 * @throws KnowledgeBaseError when the file is missing (read-only), cannot be made, or is no SQLite database
 */
export async function openDatabase({
  directory,
  readOnly,
}: {
  directory: string;
  readOnly: boolean;
}): Promise<Database> {
  const file = path.join(directory, DATABASE_FILE);
  if (readOnly && !existsSync(file)) {
    throw new KnowledgeBaseError(
      `There is no knowledge base in ${directory}`,
      `Make one with: npm run ingest -- PATH --kb ${directory}`,
    );
  }
  if (!readOnly) makeDirectory(directory);
  if (existsSync(file) && !statSync(file).isFile())
    throw new KnowledgeBaseError(`${file} is not a file`, "Choose another directory with --kb.");
  const { default: Libsql } = await import("libsql");
  const connection = connect(Libsql, file, readOnly);
  // It holds what people wrote; SQLite gives its log files the rights of the file itself.
  if (!readOnly) chmodSync(file, 0o600);
  return new Connection(file, connection);
}

function makeDirectory(directory: string): void {
  try {
    makeFolder(directory);
  } catch (cause) {
    throw new KnowledgeBaseError(
      `Cannot make the directory ${directory} for the knowledge base: ${reasonOf(cause)}`,
      "Choose a directory that you may write to with --kb.",
      { cause },
    );
  }
}

function connect(
  Libsql: typeof LibsqlDatabase,
  file: string,
  readOnly: boolean,
): LibsqlDatabase.Database {
  const open = (target: string): LibsqlDatabase.Database => {
    const connection = new Libsql(target, { timeout: BUSY_TIMEOUT_IN_MS });
    try {
      connection.exec(
        `PRAGMA mmap_size = ${MMAP_BYTES}; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536`,
      );
      // Write-ahead logging lets a server answer while documents are ingested. With it, synchronous = NORMAL survives any kill of the
      // process; only a power cut may take the last commits back, and ingesting again restores them.
      connection.exec(
        readOnly
          ? "PRAGMA query_only = 1"
          : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
      );
      connection.prepare("SELECT count(*) FROM sqlite_master").all();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  try {
    return open(file);
  } catch (cause) {
    if (readOnly && !isCorrupt(cause)) {
      // On read-only media SQLite cannot make its lock files; nobody can write there, so the file may be taken as it is.
      try {
        return open(`file:${encodeURI(file).replace(/[?#]/g, encodeURIComponent)}?immutable=1`);
      } catch {
        // The first error says more.
      }
    }
    throw storeError(cause, file);
  }
}

class Connection implements Database {
  private readonly statements = new Map<string, LibsqlDatabase.Statement>();
  private open = true;

  constructor(
    readonly file: string,
    private readonly connection: LibsqlDatabase.Database,
  ) {}

  all(sql: string, values: readonly SqlValue[] = []): SqlRow[] {
    return this.guarded(() =>
      this.prepare(sql)
        .all([...values])
        .map(rowOf),
    );
  }

  run(sql: string, values: readonly SqlValue[] = []): { lastInsertRowid: number } {
    return this.guarded(() => ({
      lastInsertRowid: Number(this.prepare(sql).run([...values]).lastInsertRowid),
    }));
  }

  exec(sql: string): void {
    this.guarded(() => this.connection.exec(sql));
  }

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

  loadExtension(file: string): boolean {
    try {
      this.connection.loadExtension(file);
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    if (!this.open) return;
    this.open = false;
    this.statements.clear();
    try {
      // Leaves one file behind, readable from read-only media. Fails at once, and harmlessly, while others have it open.
      this.connection.exec(
        "PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE",
      );
    } catch {
      // Others are still reading: the log stays beside the file until the last one closes.
    }
    this.connection.close();
  }

  private prepare(sql: string): LibsqlDatabase.Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.connection.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  private guarded<T>(work: () => T): T {
    if (!this.open) throw new KnowledgeBaseError(`The knowledge base ${this.file} is closed`);
    try {
      return work();
    } catch (cause) {
      throw storeError(cause, this.file);
    }
  }
}

/** The driver types rows as `unknown`; they are plain objects. */
function rowOf(row: unknown): SqlRow {
  if (typeof row !== "object" || row === null) throw new TypeError("a row is not an object");
  return { ...row };
}

function storeError(cause: unknown, file: string): KnowledgeBaseError {
  if (cause instanceof KnowledgeBaseError) return cause;
  const reason = reasonOf(cause);
  if (isCorrupt(cause)) {
    return new KnowledgeBaseError(
      `The knowledge base ${file} is damaged or not a knowledge base (${reason})`,
      "Delete the file and run ingest again: your documents are not touched.",
      { cause },
    );
  }
  if (/locked|busy/i.test(reason)) {
    return new KnowledgeBaseError(
      `The knowledge base ${file} is in use by another process`,
      "Wait until the other ingest is done.",
      {
        cause,
      },
    );
  }
  if (/disk is full|SQLITE_FULL/i.test(reason)) {
    return new KnowledgeBaseError(
      `No space left for the knowledge base ${file}`,
      "Free some space and run ingest again.",
      { cause },
    );
  }
  if (/readonly|unable to open|permission|query_only/i.test(reason)) {
    return new KnowledgeBaseError(
      `Cannot write the knowledge base ${file} (${reason})`,
      "Check its permissions, or choose another with --kb.",
      { cause },
    );
  }
  return new KnowledgeBaseError(`The knowledge base ${file} failed: ${reason}`, undefined, {
    cause,
  });
}

function isCorrupt(cause: unknown): boolean {
  return /malformed|not a database|corrupt|NOTADB/i.test(reasonOf(cause));
}
