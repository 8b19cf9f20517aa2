/** The exit code of a process that was interrupted: 128 + SIGINT. */
export const INTERRUPTED = 130;

/** Carries the exit code of an interrupted run to the shell. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
  constructor() {
    super("interrupted");
  }
}

/** A signal that fires at the first Ctrl-C (or SIGTERM), so that models, tools and fetches stop; the second one ends the process at once. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    controller.abort(new InterruptedError());
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return controller.signal;
}
