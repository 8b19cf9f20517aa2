/**
 * Runs of other servers on the same database: any server lets a client join and cancel them. Who
 * carries a run out writes its events down as soon as another server asks for them.
 */
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { RunLog } from "./run-log.js";
import { apiJson } from "./run-stream.js";
import type { Conversations } from "./store/conversations.js";
import type { Peers, Sql, StoredRun } from "./store/sql.js";

const Message = z.object({
  kind: z.enum(["read", "news", "cancel"]),
  run: z.string(),
  action: z.enum(["interrupt", "rollback"]).optional(),
});
type Message = z.output<typeof Message>;
const EventRow = z.object({ id: z.number(), event: z.string(), data: z.string() });

/** The name of the last row, which holds the run's result. */
const RESULT = "";
/** News may be lost with a connection, so a reader also looks by itself. */
const LOOK_AFTER_MS = 1_000;
const NEXT_EVENTS =
  "SELECT id, event, data FROM relayed WHERE run_id = ? AND id > ? ORDER BY id LIMIT 100";
const CUT_OFF = {
  error: "Interrupted",
  message: "the server that worked on the answer is gone; ask again",
};

interface RelayParts {
  readonly sql: Sql;
  readonly peers: Peers;
  readonly conversations: Conversations;
  /** Those of this server. */
  readonly runs: {
    localLog(runId: string): RunLog | undefined;
    stopHere(runId: string, action: "interrupt" | "rollback"): void;
  };
}

export class Relay {
  private readonly forwarded = new Set<string>();
  private readonly mirrors = new Map<string, { log: RunLog; wake: () => void }>();

  constructor(private readonly parts: RelayParts) {
    parts.peers.listen((text) => this.hear(text));
  }

  /** Returns the events of a run that another server carries out, from its first one. */
  log(run: StoredRun): RunLog {
    const known = this.mirrors.get(run.run_id);
    if (known !== undefined) return known.log;
    const mirror = { log: new RunLog(), wake: (): void => undefined };
    this.mirrors.set(run.run_id, mirror);
    void this.follow(run, mirror)
      .catch(() => cutOff(mirror.log))
      .finally(() => this.mirrors.delete(run.run_id));
    return mirror.log;
  }

  async cancel(run: string, action: "interrupt" | "rollback"): Promise<void> {
    await this.tell({ kind: "cancel", run, action });
  }

  /** Deletes what was written down for readers that have it by now. */
  async tidy(before: Date): Promise<void> {
    await this.parts.sql.write(["DELETE FROM relayed WHERE at < ?", [before.toISOString()]]);
  }

  private hear(text: string): void {
    const { kind, run, action = "interrupt" } = Message.parse(JSON.parse(text));
    if (kind === "news") this.mirrors.get(run)?.wake();
    else if (kind === "cancel") this.parts.runs.stopHere(run, action);
    else void this.forward(run).catch(() => undefined);
  }

  private async tell(message: Message): Promise<void> {
    await this.parts.peers.tell(JSON.stringify(message));
  }

  /** Writes the events of a run down, those of the past first. */
  private async forward(run: string): Promise<void> {
    const log = this.parts.runs.localLog(run);
    if (log === undefined || this.forwarded.has(run)) return;
    this.forwarded.add(run);
    let last = 0;
    const write = async (id: number, event: string, data: string): Promise<void> => {
      await this.parts.sql.write([
        `INSERT INTO relayed (run_id, id, event, data, at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
        [run, id, event, data, new Date().toISOString()],
      ]);
      await this.tell({ kind: "news", run });
      last = id;
    };
    try {
      for await (const { id, event, data } of log.after(0, new AbortController().signal))
        await write(id, event, data);
      await write(last + 1, RESULT, log.result ?? "null");
    } finally {
      this.forwarded.delete(run);
    }
  }

  private async follow(run: StoredRun, mirror: { log: RunLog; wake: () => void }): Promise<void> {
    const { sql, conversations } = this.parts;
    const { run_id: id } = run;
    const { log } = mirror;
    let last = 0;
    for (let isOver = false, hasNews = false; ;) {
      const rows = await sql.all(EventRow, NEXT_EVENTS, [id, last]);
      for (const { id: place, event, data } of rows) {
        last = place;
        if (event !== RESULT) log.push(event, data, place);
        else {
          log.result = data;
          return log.end();
        }
      }
      if (rows.length > 0) continue;
      if (isOver && !hasNews)
        return (await conversations.status(id)) === "success" ? log.end() : cutOff(log);
      const status = await conversations.status(id);
      isOver = status !== "pending" && status !== "running";
      const news = new Promise<true>((resolve) => (mirror.wake = () => resolve(true)));
      if (!hasNews) await this.tell({ kind: "read", run: id });
      hasNews = await Promise.race([news, wait(LOOK_AFTER_MS, false)]);
    }
  }
}

/** Ends the events of a run whose server is gone. */
function cutOff(log: RunLog): void {
  log.push("error", apiJson(CUT_OFF));
  log.result = apiJson({ __error__: CUT_OFF });
  log.end();
}
