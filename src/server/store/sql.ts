/** The door to the database of conversations: SQL that SQLite and Postgres both understand. */
import { z } from "zod";
import { CorrectiveRagError } from "../../support/errors.js";

export type StoreValue = string | number | null;
export type Statement = readonly [sql: string, values?: readonly StoreValue[]];

export interface Sql {
  /** Reads rows; `?` stands for a value. */
  all<Row>(row: z.ZodType<Row>, sql: string, values?: readonly StoreValue[]): Promise<Row[]>;
  /** Runs statements in one transaction, all or nothing. */
  write(...statements: readonly Statement[]): Promise<void>;
  close(): Promise<void>;
  /** The number of this server, under which its runs are stored. */
  readonly server: number;
  /** SQL for the numbers of all servers that run. */
  readonly living: string;
  /** SQL for the number of bytes that the database has. */
  readonly bytes: string;
  /** The way to other servers on the same database, where there can be any. */
  readonly peers?: Peers;
}

export interface Peers {
  /** Tells all servers, this one included. */
  tell(message: string): Promise<void>;
  listen(hear: (message: string) => void): void;
  /** Does work that only one of the servers may do at a time, under the same key. */
  alone<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Code of the error for a database without space. */
export const STORE_FULL = "store_full";

/** The database cannot do what was asked: it is full, locked, damaged or away. */
export class StoreError extends CorrectiveRagError {
  override readonly name = "StoreError";

  constructor(message: string, cause: unknown, code = "store") {
    super(message, { code, cause });
  }
}

/**
 * The tables, made where they are missing. Text as the only type of content, so that both databases
 * return what was stored.
 */
export const TABLES = [
  `CREATE TABLE IF NOT EXISTS threads (
    thread_id TEXT PRIMARY KEY, owner TEXT NOT NULL, created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL, status TEXT NOT NULL, metadata JSON NOT NULL,
    is_temporary INTEGER NOT NULL)`,
  "CREATE INDEX IF NOT EXISTS threads_by_owner ON threads (owner, updated_at)",
  `CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, owner TEXT NOT NULL, created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL, status TEXT NOT NULL, metadata JSON NOT NULL, kwargs TEXT NOT NULL,
    multitask_strategy TEXT NOT NULL, server BIGINT NOT NULL, seq INTEGER NOT NULL)`,
  "CREATE INDEX IF NOT EXISTS runs_by_thread ON runs (thread_id, created_at)",
  "CREATE INDEX IF NOT EXISTS runs_by_status ON runs (status)",
  `CREATE TABLE IF NOT EXISTS feedback (
    run_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, owner TEXT NOT NULL, created_at TEXT NOT NULL,
    score INTEGER NOT NULL, comment TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS labels (
    run_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, label TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS checkpoints (
    thread_id TEXT NOT NULL, ns TEXT NOT NULL, id TEXT NOT NULL, parent_id TEXT,
    checkpoint TEXT NOT NULL, metadata TEXT NOT NULL, PRIMARY KEY (thread_id, ns, id))`,
  `CREATE TABLE IF NOT EXISTS writes (
    thread_id TEXT NOT NULL, ns TEXT NOT NULL, id TEXT NOT NULL, task_id TEXT NOT NULL,
    idx INTEGER NOT NULL, channel TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (thread_id, ns, id, task_id, idx))`,
  `CREATE TABLE IF NOT EXISTS messages (
    thread_id TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (thread_id, seq))`,
] as const;

export const THREAD_STATUSES = ["idle", "busy", "interrupted", "error"] as const;
export type ThreadStatus = (typeof THREAD_STATUSES)[number];
export const RUN_STATUSES = ["pending", "running", "success", "error", "interrupted"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

const json = z.string().transform((text): unknown => JSON.parse(text));
const MetadataRow = json.pipe(z.record(z.string(), z.unknown()));
export const ThreadRow = z.object({
  thread_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  status: z.enum(THREAD_STATUSES),
  metadata: MetadataRow,
});
export type Thread = z.output<typeof ThreadRow>;
export const RunRow = z.object({
  run_id: z.string(),
  thread_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  status: z.enum(RUN_STATUSES),
  metadata: MetadataRow,
  kwargs: MetadataRow,
  multitask_strategy: z.string(),
});
export type StoredRun = z.output<typeof RunRow>;
export const FeedbackRow = z.object({
  run_id: z.string(),
  created_at: z.string(),
  score: z.number(),
  comment: z.string(),
});
export type Feedback = z.output<typeof FeedbackRow>;

export const LabelRow = FeedbackRow.extend({ label: z.string().nullish(), kwargs: MetadataRow });
export type LabelRow = z.output<typeof LabelRow>;
