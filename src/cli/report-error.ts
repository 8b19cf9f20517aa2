/** How a command ends: exit codes, interruption, and mistakes in one line. */
import { CommanderError } from "commander";
import { hintOf, UserError } from "../support/errors.js";
import { oneLine } from "../text/one-line.js";
import { printable, say, styleFor } from "./terminal.js";

/** Exit codes, a contract with other programs. */
export const DONE = 0;
export const FAILED = 1;
const WRONG_USAGE = 2;
/** 128 + SIGINT. */
export const INTERRUPTED = 130;

/** Carries the exit code of an interrupted run to the shell. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
  constructor() {
    super("interrupted");
  }
}

/**
 * Returns a signal that fires at the first Ctrl-C (or SIGTERM), so that models, tools and fetches
 * stop; the second one ends the process at once.
 */
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

/**
 * Says what went wrong in one line, with a hint how to mend it where there is one, and gives the
 * exit code. The stack is shown only when `DEBUG` is set: an error here is nearly always about the
 * user's files, settings or network.
 */
export function reportError(
  error: unknown,
  { help = "run with --help to see what is possible" } = {},
): number {
  // Help and version were asked for and have been printed.
  if (isHelp(error)) return DONE;
  if (error instanceof InterruptedError || process.exitCode === INTERRUPTED) return INTERRUPTED;
  if (error instanceof CommanderError && error.code === "commander.help") return WRONG_USAGE;
  const { red, dim } = styleFor(process.stderr);
  const { message, hint } = errorJson(error);
  say(`${red("error:")} ${oneLine(printable(message))}`);
  if (error instanceof CommanderError) {
    say(`  ${help}`);
    return WRONG_USAGE;
  }
  if (hint !== undefined) say(`  ${dim(oneLine(printable(hint)))}`);
  if (process.env["DEBUG"] && error instanceof Error) say(error.stack ?? "");
  return error instanceof UserError ? error.exitCode : FAILED;
}

/** The same for programs. */
export function errorJson(error: unknown): { message: string; hint?: string } {
  const hint = hintOf(error);
  const said = error instanceof Error ? error.message : String(error);
  // Commander begins with the word that we begin with.
  const message = said.startsWith("error: ") ? said.slice("error: ".length) : said;
  return { message, ...(hint !== undefined && { hint }) };
}

/** Commander throws also when it has printed the help or the version that was asked for. */
export function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}
