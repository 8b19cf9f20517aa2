/** Threads, runs and feedback, each of which belongs to one client. */
import { z } from "zod";
import type { RunList, ThreadCount, ThreadSearch } from "../wire.js";
import { copying, deleting, deletingBy, SIZE } from "./checkpointer.js";
import {
  FeedbackRow,
  LabelRow,
  RunRow,
  ThreadRow,
  type Feedback,
  type RunStatus,
  type StoredRun,
  type Thread,
  type ThreadStatus,
  type Sql,
  type StoreValue,
  type Statement,
} from "./sql.js";

const RunKey = RunRow.pick({ run_id: true, thread_id: true });
type RunKey = z.output<typeof RunKey>;
const LeftRow = RunKey.extend({ server: z.coerce.number(), lives: z.coerce.number() });
const Count = z.object({ n: z.coerce.number() });

// Postgres' driver would parse a JSON column itself.
const THREAD = "thread_id, created_at, updated_at, status, CAST(metadata AS TEXT) AS metadata";
const RUN = `run_id, thread_id, created_at, updated_at, status,
  CAST(metadata AS TEXT) AS metadata, kwargs, multitask_strategy`;
/** Of a run that waits or runs. */
const ACTIVE = "status IN ('pending', 'running')";

type ThreadQuery = z.output<typeof ThreadCount>;

export class Conversations {
  constructor(
    private readonly sql: Sql,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** Returns the runs that the database holds for active, though no server works on them. */
  async abandoned(isActive: (runId: string) => boolean): Promise<RunKey[]> {
    const rows = await this.sql.all(
      LeftRow,
      `SELECT run_id, thread_id, server,
         CASE WHEN server IN (${this.sql.living}) THEN 1 ELSE 0 END AS lives
       FROM runs WHERE ${ACTIVE}`,
    );
    return rows.filter(
      ({ run_id: id, server, lives }) =>
        lives === 0 || (server === this.sql.server && !isActive(id)),
    );
  }

  /**
   * Interrupts abandoned runs, so that they can be asked again, and deletes temporary threads whose
   * run has ended.
   */
  async recover(runs: readonly RunKey[]): Promise<void> {
    for (const { run_id: id, thread_id: thread } of runs)
      await this.sql.write(
        [
          `UPDATE runs SET status = 'interrupted', updated_at = ? WHERE run_id = ? AND ${ACTIVE}`,
          [this.time(), id],
        ],
        this.leaving(thread, "interrupted"),
      );
    // One that was made a moment ago may be about to get its run.
    const left = await this.sql.all(
      z.object({ thread_id: z.string() }),
      `SELECT thread_id FROM threads WHERE is_temporary = 1
       AND (status = 'interrupted' OR created_at < ?)
       AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.thread_id = threads.thread_id AND ${ACTIVE})`,
      [new Date(this.now().getTime() - 60_000).toISOString()],
    );
    for (const { thread_id: id } of left) await this.sql.write(...removing(id));
  }

  async createThread(
    owner: string,
    { id, metadata, isTemporary = false }: { id: string; metadata: object; isTemporary?: boolean },
  ): Promise<void> {
    await this.sql.write([
      `INSERT INTO threads
         (thread_id, owner, created_at, updated_at, status, metadata, is_temporary)
       VALUES (?, ?, ?, ?, 'idle', ?, ?) ON CONFLICT (thread_id) DO NOTHING`,
      [id, owner, this.time(), this.time(), JSON.stringify(metadata), isTemporary ? 1 : 0],
    ]);
  }

  /** Returns a client's thread; another's is as unknown as one that does not exist. */
  async thread(owner: string, id: string): Promise<Thread | undefined> {
    const sql = `SELECT ${THREAD} FROM threads WHERE thread_id = ? AND owner = ?`;
    return (await this.sql.all(ThreadRow, sql, [id, owner]))[0];
  }

  async searchThreads(
    owner: string,
    { sort_by: sort, sort_order: order, limit, offset, ...query }: z.output<typeof ThreadSearch>,
  ): Promise<Thread[]> {
    const { where, values } = whereOf(owner, query);
    return this.sql.all(
      ThreadRow,
      `SELECT ${THREAD} FROM threads WHERE ${where}
       ORDER BY ${sort} ${order}, thread_id LIMIT ? OFFSET ?`,
      [...values, limit, offset],
    );
  }

  async countThreads(owner: string, query: ThreadQuery): Promise<number> {
    const { where, values } = whereOf(owner, query);
    const sql = `SELECT count(*) AS n FROM threads WHERE ${where}`;
    return (await this.sql.all(Count, sql, values))[0]?.n ?? 0;
  }

  async setMetadata(id: string, metadata: object): Promise<void> {
    await this.sql.write([
      "UPDATE threads SET metadata = ?, updated_at = ? WHERE thread_id = ?",
      [JSON.stringify(metadata), this.time(), id],
    ]);
  }

  /** Counts the characters of a thread's messages. */
  async sizeOf(id: string): Promise<number> {
    return (await this.sql.all(Count, SIZE, [id]))[0]?.n ?? 0;
  }

  /** Deletes a thread with its runs, checkpoints and feedback. */
  async deleteThread(id: string): Promise<void> {
    await this.sql.write(...removing(id));
  }

  async copyThread(owner: string, from: Thread, id: string): Promise<void> {
    await this.createThread(owner, { id, metadata: from.metadata });
    await this.sql.write(...copying(from.thread_id, id));
  }

  /**
   * Stores a run. The first statement locks the thread, so that runs of all servers have one
   * order.
   * @returns the run, and the active runs of its thread that come before it
   */
  async createRun(
    owner: string,
    given: Pick<StoredRun, "run_id" | "thread_id" | "metadata" | "kwargs" | "multitask_strategy">,
  ): Promise<{ run: StoredRun; earlier: StoredRun[] }> {
    const { run_id: id, thread_id: thread, multitask_strategy: strategy } = given;
    const at = this.time();
    const [metadata, kwargs] = [JSON.stringify(given.metadata), JSON.stringify(given.kwargs)];
    await this.sql.write(
      ["UPDATE threads SET status = 'busy', updated_at = ? WHERE thread_id = ?", [at, thread]],
      [
        `INSERT INTO runs (run_id, thread_id, owner, created_at, updated_at, status, metadata,
           kwargs, multitask_strategy, server, seq)
         VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?,
           (SELECT coalesce(max(seq), 0) + 1 FROM runs WHERE thread_id = ?))`,
        [id, thread, owner, at, at, metadata, kwargs, strategy, this.sql.server, thread],
      ],
    );
    const earlier = await this.sql.all(
      RunRow,
      `SELECT ${RUN} FROM runs WHERE thread_id = ? AND ${ACTIVE}
       AND seq <= (SELECT seq FROM runs WHERE run_id = ?) ORDER BY seq`,
      [thread, id],
    );
    const run = earlier.pop();
    if (run?.run_id !== id) throw new Error("the run was deleted while it was stored");
    return { run, earlier };
  }

  /** Returns a thread's runs that wait or run, on any server. */
  async activeRuns(threadId: string): Promise<StoredRun[]> {
    const sql = `SELECT ${RUN} FROM runs WHERE thread_id = ? AND ${ACTIVE}`;
    return this.sql.all(RunRow, sql, [threadId]);
  }

  async run(owner: string, id: string, threadId?: string): Promise<StoredRun | undefined> {
    const sql = `SELECT ${RUN} FROM runs WHERE run_id = ? AND owner = ?`;
    const [run] = await this.sql.all(RunRow, sql, [id, owner]);
    return threadId === undefined || run?.thread_id === threadId ? run : undefined;
  }

  /** Returns a thread's runs, newest first. */
  async runs(
    threadId: string,
    { status, limit, offset }: z.output<typeof RunList>,
  ): Promise<StoredRun[]> {
    const ofStatus = status === undefined ? "" : " AND status = ?";
    return this.sql.all(
      RunRow,
      `SELECT ${RUN} FROM runs WHERE thread_id = ?${ofStatus}
       ORDER BY created_at DESC, run_id DESC LIMIT ? OFFSET ?`,
      [threadId, ...(status === undefined ? [] : [status]), limit, offset],
    );
  }

  async status(id: string): Promise<RunStatus | undefined> {
    const sql = "SELECT status FROM runs WHERE run_id = ?";
    return (await this.sql.all(RunRow.pick({ status: true }), sql, [id]))[0]?.status;
  }

  async setRunning(id: string): Promise<void> {
    await this.sql.write([
      "UPDATE runs SET status = 'running', updated_at = ? WHERE run_id = ?",
      [this.time(), id],
    ]);
  }

  /** Stores how a run ended. Its thread goes on to be busy if another run waits. */
  async endRun(
    { run_id: id, thread_id: thread }: RunKey,
    { status, threadStatus }: { status: RunStatus | "undone"; threadStatus: ThreadStatus },
  ): Promise<void> {
    await this.sql.write(
      status === "undone"
        ? ["DELETE FROM runs WHERE run_id = ?", [id]]
        : [
            "UPDATE runs SET status = ?, updated_at = ? WHERE run_id = ?",
            [status, this.time(), id],
          ],
      this.leaving(thread, threadStatus),
    );
  }

  /** Returns the statement for a thread that a run has left, perhaps to another one. */
  private leaving(thread: string, status: ThreadStatus): Statement {
    return [
      `UPDATE threads SET updated_at = ?, status = CASE WHEN EXISTS
         (SELECT 1 FROM runs WHERE thread_id = ? AND ${ACTIVE}) THEN 'busy' ELSE ? END
       WHERE thread_id = ?`,
      [this.time(), thread, status, thread],
    ];
  }

  async deleteRun(id: string): Promise<void> {
    await this.sql.write(...deletingBy("run_id", id, ["feedback", "labels", "runs"]));
  }

  /** Deletes the checkpoints that a run added, which are younger than the one it began with. */
  async rollBack(threadId: string, checkpointId: string | undefined): Promise<void> {
    const values = [threadId, checkpointId ?? ""];
    await this.sql.write(
      ["DELETE FROM writes WHERE thread_id = ? AND id > ?", values],
      ["DELETE FROM checkpoints WHERE thread_id = ? AND id > ?", values],
    );
  }

  /** @param label a question with passages that were judged */
  async setFeedback(
    owner: string,
    { run_id: id, thread_id: thread }: RunKey,
    { score, comment, label }: Pick<Feedback, "score" | "comment"> & { label?: object | undefined },
  ): Promise<void> {
    const labeling: Statement = [
      `INSERT INTO labels (run_id, thread_id, label) VALUES (?, ?, ?)
       ON CONFLICT (run_id) DO UPDATE SET label = excluded.label`,
      [id, thread, JSON.stringify(label)],
    ];
    await this.sql.write(...(label === undefined ? [] : [labeling]), [
      `INSERT INTO feedback (run_id, thread_id, owner, created_at, score, comment)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run_id) DO UPDATE
       SET score = excluded.score, comment = excluded.comment, created_at = excluded.created_at`,
      [id, thread, owner, this.time(), score, comment],
    ]);
  }

  async feedbackOf(runId: string): Promise<Feedback | undefined> {
    const sql = "SELECT run_id, created_at, score, comment FROM feedback WHERE run_id = ?";
    return (await this.sql.all(FeedbackRow, sql, [runId]))[0];
  }

  /** Returns what a client said of answers and passages, newest first. */
  async labels(owner: string): Promise<LabelRow[]> {
    const sql = `SELECT run_id, said.created_at, score, comment, label, kwargs FROM feedback AS said
      JOIN runs USING (run_id) LEFT JOIN labels USING (run_id)
      WHERE said.owner = ? ORDER BY said.created_at DESC`;
    return this.sql.all(LabelRow, sql, [owner]);
  }

  private time(): string {
    return this.now().toISOString();
  }
}

function removing(threadId: string): Statement[] {
  const others = ["feedback", "labels", "runs", "threads"];
  return [...deleting(threadId), ...deletingBy("thread_id", threadId, others)];
}

function whereOf(
  owner: string,
  { ids, status, metadata }: ThreadQuery,
): { where: string; values: StoreValue[] } {
  const terms = ["owner = ?", "is_temporary = 0"];
  const values: StoreValue[] = [owner];
  if (ids) {
    terms.push(ids.length === 0 ? "1 = 0" : `thread_id IN (${ids.map(() => "?").join(", ")})`);
    values.push(...ids);
  }
  if (status) {
    terms.push("status = ?");
    values.push(status);
  }
  for (const [key, value] of Object.entries(metadata ?? {})) {
    terms.push("CAST(metadata -> ? AS TEXT) = ?");
    values.push(key, JSON.stringify(value));
  }
  return { where: terms.join(" AND "), values };
}
