/** Ends a command: exit codes, interruption, and errors in one line. */
import { CommanderError } from "commander";
import { redactText } from "../observability/redact.js";
import { CorrectiveRagError, hintOf, UserError } from "../support/errors.js";
import { oneLine } from "../text/words.js";
import { printable, say, styleFor } from "./terminal.js";

/** Exit codes, which other programs rely on. */
export const DONE = 0;
export const FAILED = 1;
const WRONG_USAGE = 2;
/** 128 + SIGINT. */
export const INTERRUPTED = 130;

/** Carries the exit code of an interrupted run to the shell. */
export class InterruptedError extends CorrectiveRagError {
  override readonly name = "InterruptedError";
  constructor() {
    super("interrupted", { code: "interrupted" });
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
 * Prints an error in one line, its hint in another, and returns the exit code. The stack is printed
 * only if `DEBUG` is set, because most errors here concern the user's files, settings or network.
 */
export function reportError(error: unknown): number {
  // Commander has printed the help or the version.
  if (isHelp(error)) return DONE;
  if (error instanceof InterruptedError) return INTERRUPTED;
  if (error instanceof CommanderError && error.code === "commander.help") return WRONG_USAGE;
  const { red, dim } = styleFor(process.stderr);
  const { message, hint } = errorJson(error);
  say(`${red("error:")} ${oneLine(printable(message))}`);
  if (error instanceof CommanderError) {
    say("  run it again with --help to see its options");
    return WRONG_USAGE;
  }
  if (hint !== undefined) say(`  ${dim(oneLine(printable(hint)))}`);
  if (process.env["DEBUG"] && error instanceof Error) say(error.stack ?? "");
  return error instanceof UserError ? error.exitCode : FAILED;
}

/** Returns an error as the JSON document of `--json` shows it, without secrets. */
export function errorJson(error: unknown): { message: string; hint?: string } {
  const hint = hintOf(error);
  const said = error instanceof Error ? error.message : String(error);
  // Commander's messages begin with the prefix that is printed here.
  const message = redactText(said.startsWith("error: ") ? said.slice("error: ".length) : said);
  return { message, ...(hint !== undefined && { hint }) };
}

/** True for the exception that commander throws after printing the help or the version. */
export function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}
