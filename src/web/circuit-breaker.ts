/** `closed`: all is well. `open`: nothing is let through. `half_open`: one probe may find out whether the other side has recovered. */
export type CircuitState = "closed" | "open" | "half_open";

/** Keeps a failing service from costing every question its time limit. */
export interface CircuitBreaker {
  state(): CircuitState;
  /** Whether a call may go through now; when half-open, the first to ask becomes the probe and the others are turned away. */
  tryEnter(): boolean;
  succeed(): void;
  fail(): void;
  /** The call ended without a verdict (it was cancelled): the next may probe. */
  release(): void;
}

/**
 * @param failures consecutive failures that open the circuit
 * @param coolDownInMs how long it stays open before a probe is let through
 */
export function createCircuitBreaker({
  failures = 3,
  coolDownInMs = 30_000,
  now = Date.now,
}: { failures?: number; coolDownInMs?: number; now?: () => number } = {}): CircuitBreaker {
  let consecutive = 0;
  let openedAt: number | undefined;
  let probing = false;
  const state = (): CircuitState => {
    if (openedAt === undefined) return "closed";
    return now() - openedAt >= coolDownInMs ? "half_open" : "open";
  };
  return {
    state,
    tryEnter() {
      const current = state();
      if (current === "closed") return true;
      if (current === "open" || probing) return false;
      probing = true;
      return true;
    },
    succeed() {
      consecutive = 0;
      openedAt = undefined;
      probing = false;
    },
    fail() {
      consecutive += 1;
      // A failed probe opens it anew, whatever the count.
      if (probing || consecutive >= failures) openedAt = now();
      probing = false;
    },
    release() {
      probing = false;
    },
  };
}
