/** Threads, runs and feedback, each of which belongs to one client. */
import { z } from "zod";
import { copying, deleting } from "./checkpointer.js";
import type { Sql, SqlValue, Statement } from "./sql.js";

export const THREAD_STATUSES = ["idle", "busy", "interrupted", "error"] as const;
type ThreadStatus = (typeof THREAD_STATUSES)[number];
export const RUN_STATUSES = ["pending", "running", "success", "error", "interrupted"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

const json = z.string().transform((text): unknown => JSON.parse(text));
const Metadata = json.pipe(z.record(z.string(), z.unknown()));
const ThreadRow = z.object({
  thread_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  status: z.enum(THREAD_STATUSES),
  metadata: Metadata,
});
export type Thread = z.output<typeof ThreadRow>;
const RunRow = z.object({
  run_id: z.string(),
  thread_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  status: z.enum(RUN_STATUSES),
  metadata: Metadata,
  kwargs: Metadata,
  multitask_strategy: z.string(),
});
export type StoredRun = z.output<typeof RunRow>;
const FeedbackRow = z.object({
  run_id: z.string(),
  created_at: z.string(),
  score: z.number(),
  comment: z.string(),
});
export type Feedback = z.output<typeof FeedbackRow>;
const Count = z.object({ n: z.coerce.number() });

// Postgres' driver would parse a JSON column itself.
const THREAD = "thread_id, created_at, updated_at, status, CAST(metadata AS TEXT) AS metadata";
const RUN =
  "run_id, thread_id, created_at, updated_at, status, CAST(metadata AS TEXT) AS metadata, kwargs, multitask_strategy";

/** Which threads a search is for. */
export interface ThreadQuery {
  readonly ids?: readonly string[] | undefined;
  readonly status?: ThreadStatus | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export class Conversations {
  constructor(
    private readonly sql: Sql,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /**
   * Ends what the last server left behind: its runs are interrupted, so that they can be asked
   * again, and temporary threads are deleted.
   */
  async recover(): Promise<void> {
    const cut = "SELECT thread_id FROM runs WHERE status IN ('pending', 'running')";
    await this.sql.write(
      [`UPDATE threads SET status = 'interrupted' WHERE thread_id IN (${cut})`],
      [
        "UPDATE runs SET status = 'interrupted', updated_at = ? WHERE status IN ('pending', 'running')",
        [this.time()],
      ],
    );
    const left = await this.sql.all(
      z.object({ thread_id: z.string() }),
      "SELECT thread_id FROM threads WHERE is_temporary = 1",
    );
    for (const { thread_id: id } of left) await this.sql.write(...removing(id));
  }

  async createThread(
    owner: string,
    { id, metadata, isTemporary = false }: { id: string; metadata: object; isTemporary?: boolean },
  ): Promise<void> {
    await this.sql.write([
      `INSERT INTO threads (thread_id, owner, created_at, updated_at, status, metadata, is_temporary)
       VALUES (?, ?, ?, ?, 'idle', ?, ?) ON CONFLICT (thread_id) DO NOTHING`,
      [id, owner, this.time(), this.time(), JSON.stringify(metadata), isTemporary ? 1 : 0],
    ]);
  }

  /** Returns a client's thread; another's is as unknown as one that does not exist. */
  async thread(owner: string, id: string): Promise<Thread | undefined> {
    const [row] = await this.sql.all(
      ThreadRow,
      `SELECT ${THREAD} FROM threads WHERE thread_id = ? AND owner = ?`,
      [id, owner],
    );
    return row;
  }

  /** @param sort a column, which the caller has checked */
  async searchThreads(
    owner: string,
    query: ThreadQuery,
    { sort, order, limit, offset }: { sort: string; order: string; limit: number; offset: number },
  ): Promise<Thread[]> {
    const { where, values } = whereOf(owner, query);
    return this.sql.all(
      ThreadRow,
      `SELECT ${THREAD} FROM threads WHERE ${where} ORDER BY ${sort} ${order}, thread_id LIMIT ? OFFSET ?`,
      [...values, limit, offset],
    );
  }

  async countThreads(owner: string, query: ThreadQuery): Promise<number> {
    const { where, values } = whereOf(owner, query);
    const sql = `SELECT count(*) AS n FROM threads WHERE ${where}`;
    return (await this.sql.all(Count, sql, values))[0]?.n ?? 0;
  }

  async updateThread(
    id: string,
    { status, metadata }: { status?: ThreadStatus; metadata?: object },
  ): Promise<void> {
    const statements: Statement[] = [];
    if (metadata !== undefined)
      statements.push([
        "UPDATE threads SET metadata = ?, updated_at = ? WHERE thread_id = ?",
        [JSON.stringify(metadata), this.time(), id],
      ]);
    if (status !== undefined)
      statements.push([
        "UPDATE threads SET status = ?, updated_at = ? WHERE thread_id = ?",
        [status, this.time(), id],
      ]);
    await this.sql.write(...statements);
  }

  /** Deletes a thread with its runs, checkpoints and feedback. */
  async deleteThread(id: string): Promise<void> {
    await this.sql.write(...removing(id));
  }

  async copyThread(owner: string, from: Thread, id: string): Promise<void> {
    await this.createThread(owner, { id, metadata: from.metadata });
    await this.sql.write(...copying(from.thread_id, id));
  }

  async createRun(
    owner: string,
    run: Pick<StoredRun, "run_id" | "thread_id" | "metadata" | "kwargs" | "multitask_strategy">,
  ): Promise<StoredRun> {
    const at = this.time();
    await this.sql.write(
      [
        `INSERT INTO runs (run_id, thread_id, owner, created_at, updated_at, status, metadata, kwargs, multitask_strategy)
         VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?)`,
        [
          run.run_id,
          run.thread_id,
          owner,
          at,
          at,
          JSON.stringify(run.metadata),
          JSON.stringify(run.kwargs),
          run.multitask_strategy,
        ],
      ],
      [
        "UPDATE threads SET status = 'busy', updated_at = ? WHERE thread_id = ?",
        [at, run.thread_id],
      ],
    );
    return { ...run, created_at: at, updated_at: at, status: "pending" };
  }

  async run(
    owner: string,
    threadId: string | undefined,
    id: string,
  ): Promise<StoredRun | undefined> {
    const ofThread = threadId === undefined ? "" : " AND thread_id = ?";
    const [row] = await this.sql.all(
      RunRow,
      `SELECT ${RUN} FROM runs WHERE run_id = ? AND owner = ?${ofThread}`,
      [id, owner, ...(threadId === undefined ? [] : [threadId])],
    );
    return row;
  }

  /** Returns a thread's runs, newest first. */
  async runs(
    threadId: string,
    { status, limit, offset }: { status?: RunStatus | undefined; limit: number; offset: number },
  ): Promise<StoredRun[]> {
    const ofStatus = status === undefined ? "" : " AND status = ?";
    return this.sql.all(
      RunRow,
      `SELECT ${RUN} FROM runs WHERE thread_id = ?${ofStatus} ORDER BY created_at DESC, run_id DESC LIMIT ? OFFSET ?`,
      [threadId, ...(status === undefined ? [] : [status]), limit, offset],
    );
  }

  async setRunStatus(id: string, status: RunStatus): Promise<void> {
    await this.sql.write([
      "UPDATE runs SET status = ?, updated_at = ? WHERE run_id = ?",
      [status, this.time(), id],
    ]);
  }

  async deleteRun(id: string): Promise<void> {
    await this.sql.write(
      ["DELETE FROM feedback WHERE run_id = ?", [id]],
      ["DELETE FROM runs WHERE run_id = ?", [id]],
    );
  }

  /** Deletes the checkpoints that a run added, which are younger than the one it began with. */
  async rollBack(threadId: string, checkpointId: string | undefined): Promise<void> {
    const values = [threadId, checkpointId ?? ""];
    await this.sql.write(
      ["DELETE FROM writes WHERE thread_id = ? AND id > ?", values],
      ["DELETE FROM checkpoints WHERE thread_id = ? AND id > ?", values],
    );
  }

  async setFeedback(
    owner: string,
    { run_id: id, thread_id: thread }: Pick<StoredRun, "run_id" | "thread_id">,
    { score, comment }: Pick<Feedback, "score" | "comment">,
  ): Promise<void> {
    await this.sql.write([
      `INSERT INTO feedback (run_id, thread_id, owner, created_at, score, comment)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run_id) DO UPDATE
       SET score = excluded.score, comment = excluded.comment, created_at = excluded.created_at`,
      [id, thread, owner, this.time(), score, comment],
    ]);
  }

  async feedback(runId: string): Promise<Feedback | undefined> {
    const [row] = await this.sql.all(
      FeedbackRow,
      "SELECT run_id, created_at, score, comment FROM feedback WHERE run_id = ?",
      [runId],
    );
    return row;
  }

  private time(): string {
    return this.now().toISOString();
  }
}

function removing(threadId: string): Statement[] {
  const tables = ["feedback", "runs", "threads"];
  return [
    ...deleting(threadId),
    ...tables.map((table): Statement => [`DELETE FROM ${table} WHERE thread_id = ?`, [threadId]]),
  ];
}

function whereOf(
  owner: string,
  { ids, status, metadata = {} }: ThreadQuery,
): { where: string; values: SqlValue[] } {
  const terms = ["owner = ?", "is_temporary = 0"];
  const values: SqlValue[] = [owner];
  if (ids !== undefined) {
    terms.push(ids.length === 0 ? "1 = 0" : `thread_id IN (${ids.map(() => "?").join(", ")})`);
    values.push(...ids);
  }
  if (status !== undefined) {
    terms.push("status = ?");
    values.push(status);
  }
  for (const [key, value] of Object.entries(metadata)) {
    terms.push("CAST(metadata -> ? AS TEXT) = ?");
    values.push(key, JSON.stringify(value));
  }
  return { where: terms.join(" AND "), values };
}
