/** What the terminal can do, and how to write to it without falling over when the reader goes away. */
import { withoutTerminalCommands } from "../text/terminal-commands.js";

/** Marks text on a terminal; gives it back unchanged where colour is not wanted. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

interface Stream {
  isTTY?: boolean;
}

/** Colour goes to terminals only, and to none where `NO_COLOR` is set (https://no-color.org) or the terminal is dumb. */
export function styleFor(
  stream: Stream,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Style {
  const wanted =
    stream.isTTY === true &&
    (environment["NO_COLOR"] ?? "") === "" &&
    environment["TERM"] !== "dumb";
  const sgr = (on: number, off: number) => (text: string) =>
    wanted ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    bold: sgr(1, 22),
    dim: sgr(2, 22),
    red: sgr(31, 39),
    green: sgr(32, 39),
    yellow: sgr(33, 39),
  };
}

// Control characters but tab and newline: a document must not be able to move the cursor or to retitle the window.
const CONTROL = /(?![\t\n])\p{Cc}/gu;

/** Text from documents, models and the web, made safe for a terminal. */
export function printable(text: string): string {
  return withoutTerminalCommands(text).replace(CONTROL, "");
}

/** Writes what is not the result: progress, notices, warnings. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Writes the one JSON document of `--json`. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
}

/** Ends the process quietly when whoever read its output has gone away (`ask … | head -1`), and says so when it cannot be written (a full disk). */
export function survivePipes(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => endUnwritten(error));
  process.stderr.on("error", (error: NodeJS.ErrnoException) =>
    process.exit(error.code === "EPIPE" ? 0 : 1),
  );
}

function endUnwritten(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(0);
  say(`error: the output could not be written (${error.message})`);
  process.exit(1);
}

/** Ends the process once everything written has gone out; open connections do not hold it up. */
export function exitWhenWritten(code: number): void {
  process.exitCode = code;
  // A stream that has failed may not have said so yet.
  if (process.stdout.errored) endUnwritten(process.stdout.errored);
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}
