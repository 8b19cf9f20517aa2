/** What clients said of answers, and of the passages below them. */
import { FeedbackRow, LabelRow, type Feedback, type StoredRun, type Sql } from "./sql.js";

export class FeedbackStore {
  constructor(
    private readonly sql: Sql,
    private readonly now: () => Date,
  ) {}

  /** @param label a question with passages that were judged */
  async set(
    owner: string,
    { run_id: id, thread_id: thread }: Pick<StoredRun, "run_id" | "thread_id">,
    { score, comment, label }: Pick<Feedback, "score" | "comment"> & { label?: object | undefined },
  ): Promise<void> {
    if (label !== undefined)
      await this.sql.write([
        `INSERT INTO labels (run_id, thread_id, label) VALUES (?, ?, ?)
         ON CONFLICT (run_id) DO UPDATE SET label = excluded.label`,
        [id, thread, JSON.stringify(label)],
      ]);
    await this.sql.write([
      `INSERT INTO feedback (run_id, thread_id, owner, created_at, score, comment)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run_id) DO UPDATE
       SET score = excluded.score, comment = excluded.comment, created_at = excluded.created_at`,
      [id, thread, owner, this.now().toISOString(), score, comment],
    ]);
  }

  async of(runId: string): Promise<Feedback | undefined> {
    const [row] = await this.sql.all(
      FeedbackRow,
      "SELECT run_id, created_at, score, comment FROM feedback WHERE run_id = ?",
      [runId],
    );
    return row;
  }

  /** Returns what a client labeled, newest first. */
  async labels(owner: string): Promise<LabelRow[]> {
    return this.sql.all(
      LabelRow,
      `SELECT feedback.run_id, created_at, score, comment, label FROM feedback
       JOIN labels ON labels.run_id = feedback.run_id WHERE owner = ? ORDER BY created_at DESC`,
      [owner],
    );
  }
}
