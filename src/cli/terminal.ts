/**
 * What the terminal can do, and how to write to it without falling over when the reader goes away.
 */
import { oneLine, withoutTerminalCommands } from "../text/one-line.js";

const CLEAR_LINE = "\r\u001b[2K";

/** True for a terminal that takes commands: colors, moves of the cursor. */
function takesCommands(stream: { isTTY?: boolean }, environment = process.env): boolean {
  return stream.isTTY === true && environment["TERM"] !== "dumb";
}

/** Marks text on a terminal; gives it back unchanged where color is not wanted. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/**
 * Color goes to terminals only, and to none where `NO_COLOR` is set (https://no-color.org) or the
 * terminal is dumb.
 */
export function styleFor(
  stream: { isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Style {
  const wanted = takesCommands(stream, environment) && (environment["NO_COLOR"] ?? "") === "";
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

// But tab and newline: a document must not be able to move the cursor or to retitle the window.
const CONTROL = /(?![\t\n])\p{Cc}/gu;

/** Text from documents, models and the web, made safe for a terminal. */
export function printable(text: string): string {
  return withoutTerminalCommands(text).replace(CONTROL, "");
}

/** Writes what is not the result: progress, notices, warnings. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A place to print an answer to, with what is said beside it. */
export interface Terminal {
  out: (text: string) => void;
  err: (line: string) => void;
  /** Shows what is being done on a line of its own, on a terminal only; undefined takes it away. */
  activity: (doing: string | undefined) => void;
  /** Columns; undefined where the output is no terminal. */
  width?: number;
  /** Undefined where nothing can be taken off the screen again. */
  rows?: number;
  outStyle: Style;
  errStyle: Style;
}

export function terminalFor(stream: typeof process.stdout | typeof process.stderr): Terminal {
  const errStyle = styleFor(process.stderr);
  let visible = false;
  return {
    out: (text) => void stream.write(text),
    err: say,
    activity(doing) {
      if (!takesCommands(process.stderr) || (doing === undefined && !visible)) return;
      visible = doing !== undefined;
      process.stderr.write(`${CLEAR_LINE}${doing === undefined ? "" : errStyle.dim(`${doing} …`)}`);
    },
    ...(stream.isTTY && { width: stream.columns || 80 }),
    ...(takesCommands(stream) && { rows: stream.rows }),
    outStyle: styleFor(stream),
    errStyle,
  };
}

/** Writes a line of the result. */
export function print(text: string, tone = (shown: string): string => shown): void {
  process.stdout.write(`${tone(printable(text))}\n`);
}

/** Writes the one JSON document of `--json`. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
}

/**
 * Ends the process quietly when whoever read its output has gone away (`ask … | head -1`), and says
 * so when it cannot be written (a full disk).
 */
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

/** A progress bar on one line of a terminal; silent where stderr is none. */
interface ProgressBar {
  /** @param note what is being done, shown after the bar */
  update(done: number, total: number, note?: string): void;
  /** Wipes the bar away. */
  end(): void;
}

const BAR_WIDTH = 24;
/** Redrawing more often than this only slows the work. */
const REDRAW_EVERY_MS = 80;

export function createProgressBar(
  stream: { isTTY?: boolean; columns?: number; write(text: string): unknown } = process.stderr,
  now: () => number = Date.now,
): ProgressBar {
  let drawnAt = -Infinity;
  let visible = false;
  return {
    update(done, total, note = "") {
      if (!takesCommands(stream) || (now() - drawnAt < REDRAW_EVERY_MS && done < total)) return;
      drawnAt = now();
      visible = true;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const filled = Math.round(share * BAR_WIDTH);
      const line = `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${done}/${total} ${printable(note)}`;
      stream.write(CLEAR_LINE + oneLine(line, (stream.columns || 80) - 1));
    },
    end() {
      if (visible) stream.write(CLEAR_LINE);
      visible = false;
    },
  };
}
