/**
 * Shares a bounded number of places for runs between clients. A free place goes to the client that
 * uses the fewest, so that one client's queue does not delay another's question.
 */
import type { Settings } from "../settings/table.js";
import { abortable, waitForTurn } from "../support/waiting.js";
import { HttpProblem } from "./http-problem.js";

/** A place that was asked for. */
export type Ticket = ReturnType<RunQueue["admit"]>;

interface Place {
  readonly client: string;
  state: "admitted" | "waiting" | "running";
  enter(): void;
}

export class RunQueue {
  /** Oldest first. */
  private readonly places = new Set<Place>();

  constructor(private readonly limits: Pick<Settings, "maxRuns" | "maxRunsPerClient">) {}

  /** The number of runs that have a place, and of those that wait for one. */
  get size(): { running: number; waiting: number } {
    const running = this.inState("running").length;
    return { running, waiting: this.places.size - running };
  }

  /** @throws HttpProblem 429 */
  admit(client: string) {
    const others = [...this.places].filter((each) => each.client === client);
    if (others.length >= this.limits.maxRunsPerClient)
      throw new HttpProblem(429, `${others.length} questions of yours wait already`, {
        hint: "ask again when some are answered",
        retryAfter: 2,
      });
    const place: Place = { client, state: "admitted", enter: () => undefined };
    this.places.add(place);
    return {
      /** Waits for the place. @throws the signal's reason */
      start: async (signal: AbortSignal): Promise<void> => {
        signal.throwIfAborted();
        const entered = new Promise<void>((resolve) => (place.enter = resolve));
        place.state = "waiting";
        this.fill();
        await abortable(entered, signal);
        // Work may hold the event loop, so requests are read between one and the next.
        await waitForTurn();
      },
      /** Gives the place back, or leaves the queue; may be called again. */
      done: (): void => {
        this.places.delete(place);
        this.fill();
      },
    };
  }

  private fill(): void {
    const running = this.inState("running");
    const waiting = new Set(this.inState("waiting"));
    const usesOf = ({ client }: Place): number =>
      running.filter((each) => each.client === client).length;
    while (running.length < this.limits.maxRuns && waiting.size > 0) {
      const next = [...waiting].reduce((best, each) => (usesOf(each) < usesOf(best) ? each : best));
      waiting.delete(next);
      running.push(next);
      next.state = "running";
      next.enter();
    }
  }

  private inState(state: Place["state"]): Place[] {
    return [...this.places].filter((each) => each.state === state);
  }
}
