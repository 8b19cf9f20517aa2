/**
 * The events of runs, held so that any client can read them from the start or go on reading. Of
 * several servers on one database any lets a client join and cancel a run: who carries it out
 * writes its events down as soon as another server asks for them.
 */
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { parsedJson } from "../support/json.js";
import { apiJson } from "./run-stream.js";
import type { Conversations } from "./store/conversations.js";
import type { Peers, Sql, StoredRun } from "./store/sql.js";
import { Cancel } from "./wire.js";

interface RunEvent {
  /** Its place in the run, from 1. */
  readonly id: number;
  readonly event: string;
  /** JSON. */
  readonly data: string;
}

/** Beyond this size the first half is dropped; a client that joins later misses it. */
const MAX_BYTES = 16_777_216;

export class RunLog {
  /** Clients that read at the moment. */
  readers = 0;
  /** What a client that waits for the run gets at its end, as JSON; by default its state. */
  result: string | undefined;
  /** The size of all events that are held. */
  bytes = 0;
  private events: RunEvent[] = [];
  private next = 1;
  private isOpen = true;
  private readonly waiting = new Set<() => void>();

  push(event: string, data: string, id = this.next): void {
    this.next = id + 1;
    this.events.push({ id, event, data });
    this.bytes += data.length;
    if (this.bytes > MAX_BYTES) {
      const dropped = this.events.splice(0, Math.ceil(this.events.length / 2));
      this.bytes -= dropped.reduce((total, each) => total + each.data.length, 0);
    }
    this.notify();
  }

  end(): void {
    this.isOpen = false;
    this.notify();
  }

  /** Waits for the end of the run. */
  async ended(): Promise<void> {
    while (this.isOpen) await this.news();
  }

  /**
   * Yields the events after a place, and those to come, until the run ends.
   * @param signal ends the reading, without an error
   */
  async *after(place: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const notify = (): void => this.notify();
    signal.addEventListener("abort", notify, { once: true });
    this.readers += 1;
    try {
      for (let last = place; !signal.aborted;) {
        // Numbers follow each other, so the next one's place is known.
        const next = this.events[Math.max(0, last + 1 - (this.events[0]?.id ?? 0))];
        if (next !== undefined) {
          last = next.id;
          yield next;
        } else if (this.isOpen) await this.news();
        else return;
      }
    } finally {
      this.readers -= 1;
      signal.removeEventListener("abort", notify);
    }
  }

  private news(): Promise<void> {
    return new Promise((resolve) => this.waiting.add(resolve));
  }

  private notify(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const wake of waiting) wake();
  }
}

/** What servers tell each other. */
const Message = z.object({
  kind: z.enum(["read", "news", "cancel"]),
  run: z.string(),
  action: Cancel.shape.action,
});
export type StopAction = z.output<typeof Message>["action"];
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
    stopHere(runId: string, action: StopAction): void;
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

  async cancel(run: string, action: StopAction): Promise<void> {
    await this.tell({ kind: "cancel", run, action });
  }

  /** Deletes what was written down for readers that have it by now. */
  async tidy(before: Date): Promise<void> {
    await this.parts.sql.write(["DELETE FROM relayed WHERE at < ?", [before.toISOString()]]);
  }

  private hear(text: string): void {
    // A server of another version may say what this one does not understand.
    const { data: message } = Message.safeParse(parsedJson(text));
    if (message === undefined) return;
    const { kind, run, action } = message;
    if (kind === "news") this.mirrors.get(run)?.wake();
    else if (kind === "cancel") this.parts.runs.stopHere(run, action);
    else void this.forward(run).catch(() => undefined);
  }

  private async tell(message: z.input<typeof Message>): Promise<void> {
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
