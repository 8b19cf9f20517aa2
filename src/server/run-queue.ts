/**
 * Shares a bounded number of places for runs between clients. A free place goes to the client that
 * uses the fewest, so that one client's queue does not delay another's question.
 */
import { abortable } from "../support/waiting.js";
import { HttpProblem } from "./http-problem.js";

/** A place that was asked for. */
export interface Ticket {
  /** Waits for the place. @throws the signal's reason */
  start(signal: AbortSignal): Promise<void>;
  /** Gives the place back, or leaves the queue; may be called again. */
  done(): void;
}

interface Admitted {
  readonly client: string;
  state: "admitted" | "waiting" | "running";
  enter(): void;
}

export class RunQueue {
  /** Oldest first. */
  private readonly admitted = new Set<Admitted>();

  constructor(private readonly limits: { maxRuns: number; maxPerClient: number }) {}

  /** The number of runs that have a place, and of those that wait for one. */
  get size(): { running: number; waiting: number } {
    const running = [...this.admitted].filter(({ state }) => state === "running").length;
    return { running, waiting: this.admitted.size - running };
  }

  /** @throws HttpProblem 429 */
  admit(client: string): Ticket {
    const others = [...this.admitted].filter((each) => each.client === client);
    if (others.length >= this.limits.maxPerClient)
      throw new HttpProblem(429, `${others.length} questions of yours wait already`, {
        hint: "ask again when some are answered",
        retryAfter: 2,
      });
    const place: Admitted = { client, state: "admitted", enter: () => undefined };
    this.admitted.add(place);
    return {
      start: async (signal) => {
        signal.throwIfAborted();
        const entered = new Promise<void>((resolve) => (place.enter = resolve));
        place.state = "waiting";
        this.fill();
        await abortable(entered, signal);
      },
      done: () => {
        this.admitted.delete(place);
        this.fill();
      },
    };
  }

  private fill(): void {
    const uses = new Map<string, number>();
    let free = this.limits.maxRuns;
    const begin = ({ client }: Admitted): void => {
      uses.set(client, (uses.get(client) ?? 0) + 1);
      free -= 1;
    };
    const waiting = new Set<Admitted>();
    for (const each of this.admitted)
      if (each.state === "running") begin(each);
      else if (each.state === "waiting") waiting.add(each);
    while (free > 0 && waiting.size > 0) {
      const usesOf = ({ client }: Admitted): number => uses.get(client) ?? 0;
      const next = [...waiting].reduce((best, each) => (usesOf(each) < usesOf(best) ? each : best));
      waiting.delete(next);
      begin(next);
      next.state = "running";
      next.enter();
    }
  }
}
