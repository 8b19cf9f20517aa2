/** The events of one run, held so that any client can read them from the start or go on reading. */
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
