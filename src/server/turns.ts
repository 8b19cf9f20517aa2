/**
 * Turns between clients: a bounded number of runs at a time, and a free place goes to the client
 * that uses the fewest, so that nobody's queue delays another's question.
 */
import { UserError } from "../support/errors.js";

/** Code of the error for a client with too many runs. */
export const TOO_MANY = "too_many_runs";

/** A place that was asked for. */
export interface Ticket {
  /** Waits for the place. @throws the signal's reason */
  start(signal: AbortSignal): Promise<void>;
  /** Gives the place back, or leaves the queue; may be called again. */
  done(): void;
}

interface Waiting {
  readonly client: string;
  readonly enter: () => void;
}

export class Turns {
  private readonly queue: Waiting[] = [];
  private readonly running = new Map<string, number>();
  private readonly admitted = new Map<string, number>();

  constructor(private readonly limits: { maxRuns: number; maxPerClient: number }) {}

  /** The number of runs that have a place, and of those that wait for one. */
  get size(): { running: number; waiting: number } {
    const running = sum(this.running);
    return { running, waiting: sum(this.admitted) - running };
  }

  /** @throws UserError with code `TOO_MANY` */
  admit(client: string): Ticket {
    if ((this.admitted.get(client) ?? 0) >= this.limits.maxPerClient)
      throw new UserError(
        `${this.limits.maxPerClient} questions of yours wait already`,
        "ask again when some are answered",
        1,
        TOO_MANY,
      );
    count(this.admitted, client, 1);
    let state: "admitted" | "running" | "done" = "admitted";
    return {
      start: async (signal) => {
        signal.throwIfAborted();
        await this.placeFor(client, signal);
        state = "running";
      },
      done: () => {
        if (state === "done") return;
        if (state === "running") count(this.running, client, -1);
        count(this.admitted, client, -1);
        state = "done";
        this.fill();
      },
    };
  }

  private placeFor(client: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const place = this.queue.indexOf(waiting);
        if (place >= 0) this.queue.splice(place, 1);
        reject(reasonOf(signal));
      };
      const waiting: Waiting = {
        client,
        enter: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      this.queue.push(waiting);
      this.fill();
    });
  }

  private fill(): void {
    while (this.queue.length > 0 && sum(this.running) < this.limits.maxRuns) {
      const uses = ({ client }: Waiting): number => this.running.get(client) ?? 0;
      const next = this.queue.reduce((best, each) => (uses(each) < uses(best) ? each : best));
      this.queue.splice(this.queue.indexOf(next), 1);
      count(this.running, next.client, 1);
      next.enter();
    }
  }
}

function count(counts: Map<string, number>, key: string, change: number): void {
  const value = (counts.get(key) ?? 0) + change;
  if (value === 0) counts.delete(key);
  else counts.set(key, value);
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, each) => total + each, 0);
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));
}
