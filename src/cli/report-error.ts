import { CommanderError } from "commander";
import { UserError } from "../support/errors.js";
import { oneLine } from "../text/one-line.js";
import { INTERRUPTED, InterruptedError } from "./interrupt.js";
import { printable, say, styleFor } from "./terminal.js";

/** Exit codes, a contract with other programs. */
export const DONE = 0;
export const FAILED = 1;
export const WRONG_USAGE = 2;

/**
 * Says what went wrong in one line, with a hint how to mend it where there is one, and gives the exit code. The stack is shown only when
 * `DEBUG` is set: an error here is nearly always about the user's files, settings or network.
 */
export function reportError(
  error: unknown,
  { help = "run with --help to see what is possible" } = {},
): number {
  if (error instanceof CommanderError) return reportUsage(error, help);
  if (error instanceof InterruptedError || process.exitCode === INTERRUPTED) return INTERRUPTED;
  const style = styleFor(process.stderr);
  const message = error instanceof Error ? error.message : String(error);
  say(`${style.red("error:")} ${oneLine(printable(message))}`);
  const hint = hintOf(error);
  if (hint !== undefined) say(`  ${style.dim(oneLine(printable(hint)))}`);
  if ((process.env["DEBUG"] ?? "") !== "" && error instanceof Error && error.stack !== undefined)
    say(error.stack);
  return error instanceof UserError ? error.exitCode : FAILED;
}

/** The same for programs. */
export function errorJson(error: unknown): { message: string; hint?: string } {
  const hint = hintOf(error);
  const message = error instanceof Error ? error.message.replace(/^error: /, "") : String(error);
  return { message, ...(hint !== undefined && { hint }) };
}

/** Commander throws also when it has printed the help or the version that was asked for. */
export function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

function reportUsage(error: CommanderError, help: string): number {
  // Help and version were asked for and have been printed.
  if (isHelp(error)) return DONE;
  if (error.code === "commander.help") return WRONG_USAGE;
  say(
    `${styleFor(process.stderr).red("error:")} ${oneLine(printable(error.message.replace(/^error: /, "")))}`,
  );
  say(`  ${help}`);
  return WRONG_USAGE;
}

function hintOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("hint" in error)) return undefined;
  return typeof error.hint === "string" ? error.hint : undefined;
}
