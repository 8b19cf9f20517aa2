/** Writes to the terminal as it allows, and survives a reader that goes away. */
import { stripVTControlCharacters, styleText } from "node:util";
import { oneLine, withoutTerminalCommands } from "../text/words.js";

const CLEAR_LINE = "\r\u001b[2K";

/** True for a terminal that understands cursor movement. */
function takesCommands(stream: { isTTY?: boolean }): boolean {
  return stream.isTTY === true && process.env["TERM"] !== "dumb";
}

type Tone = "bold" | "dim" | "red" | "green" | "yellow";
/** Styles text; returns it unchanged where color is not wanted. */
export type Style = Readonly<Record<Tone, (text: string) => string>>;

/** Uses color on terminals that have it, unless `NO_COLOR` (https://no-color.org) is set. */
export function styleFor(stream: NodeJS.WritableStream): Style {
  const toned = (tone: Tone) => (text: string) => styleText(tone, text, { stream });
  const [bold, dim, red] = [toned("bold"), toned("dim"), toned("red")];
  return { bold, dim, red, green: toned("green"), yellow: toned("yellow") };
}

// Except tab and newline: a document must not move the cursor, retitle the window, or turn the
// direction in which the rest of a line is read.
const CONTROL = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** What JSON leaves as it is. */
const JSON_CONTROL = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Makes text from documents, models and the web safe for a terminal. */
export function printable(text: string): string {
  return withoutTerminalCommands(text).replace(CONTROL, "");
}

// A color may stand before the name.
const COMMAND = new RegExp(
  String.raw`(?<=^|\u001b\[\d+m|[^\w./-])corrective-rag ` +
    String.raw`(ask|audit|chat|dev|doctor|documents|ingest|mcp|serve)\b(?: (?=\S))?`,
  "gu",
);

/** Names commands as they are typed here: in a clone, `npm run ingest -- PATH`. */
export function asTyped(text: string, script = process.env["npm_lifecycle_script"] ?? ""): string {
  if (!script.includes("scripts/run.js")) return text;
  return text.replace(COMMAND, (found, name: string) =>
    found.endsWith(" ") ? `npm run ${name} -- ` : `npm run ${name}`,
  );
}

/** Longer lines are hard to read, however wide the window is. */
const WIDEST = 100;

const INDENTATION = /^\s*(?:(?:[-*•·]|\d{1,3}[.)]|\[\d{1,3}\])\s+)?/u;
const FENCE = /^\W*(?:```|~~~)/u;

/**
 * Breaks lines between words, under the text of a list item; code stays as it is.
 * @param width columns; undefined leaves all lines as they are
 */
export function wrapped(text: string, width?: number): string {
  if (width === undefined) return text;
  let isCode = false;
  const lines = text.split("\n").map((line) => {
    const isFence = FENCE.test(line);
    if (isFence) isCode = !isCode;
    return isFence || isCode ? line : wrappedLine(line, Math.min(width, WIDEST));
  });
  return lines.join("\n");
}

function wrappedLine(line: string, width: number): string {
  const [start = ""] = INDENTATION.exec(stripVTControlCharacters(line)) ?? [];
  let broken = "";
  let column = 0;
  for (const [run, gap = "", word = ""] of line.matchAll(/(\s*)(\S+)/gu)) {
    const { length } = stripVTControlCharacters(word);
    const fits = column <= start.length || column + gap.length + length <= width;
    broken += fits ? run : `\n${" ".repeat(start.length)}${word}`;
    column = length + (fits ? column + gap.length : start.length);
  }
  return broken;
}

/** Returns the columns of a terminal; undefined if the stream is none. */
export function columnsOf(stream: typeof process.stdout | typeof process.stderr) {
  return stream.isTTY ? stream.columns || 80 : undefined;
}

/** Writes a line that is not part of the result: progress, a notice, a warning. */
export function say(line: string): void {
  process.stderr.write(`${wrapped(asTyped(line), columnsOf(process.stderr))}\n`);
}

export type Terminal = ReturnType<typeof terminalFor>;

/** Returns a place to print an answer, and messages beside it. */
export function terminalFor(stream: typeof process.stdout | typeof process.stderr) {
  const errStyle = styleFor(process.stderr);
  let visible = false;
  return {
    out: (text: string): void => void stream.write(text),
    err: say,
    /** Shows the current activity on a line of a terminal; undefined wipes it. */
    activity: (doing: string | undefined): void => {
      if (!takesCommands(process.stderr) || (doing === undefined && !visible)) return;
      visible = doing !== undefined;
      process.stderr.write(`${CLEAR_LINE}${doing === undefined ? "" : errStyle.dim(`${doing} …`)}`);
    },
    /** Columns; undefined if the output is not a terminal. */
    width: columnsOf(stream),
    /** Undefined if nothing can be wiped off the screen. */
    rows: takesCommands(stream) ? stream.rows : undefined,
    outStyle: styleFor(stream),
    errStyle,
  };
}

/** Writes a line of the result. */
export function print(text: string, tone = (written: string): string => written): void {
  process.stdout.write(`${tone(wrapped(printable(text), columnsOf(process.stdout)))}\n`);
}

/** Writes the one JSON document of `--json`. */
export function printJson(document: unknown): void {
  const escaped = (unsafe: string): string =>
    `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const json = JSON.stringify(document, undefined, 2).replace(JSON_CONTROL, escaped);
  process.stdout.write(`${json}\n`);
}

/**
 * Ends the process quietly when the reader of its output goes away (`ask … | head -1`), and with an
 * error when the output cannot be written (a full disk).
 */
export function survivePipes(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => endUnwritten(error));
  process.stderr.on("error", (error: NodeJS.ErrnoException) =>
    process.exit(error.code === "EPIPE" ? 0 : 1),
  );
}

/** Sends what libraries log to stderr: stdout belongs to answers, JSON and the MCP protocol. */
export function divertLogs(): void {
  for (const method of ["log", "info", "debug"] as const) console[method] = console.error;
}

function endUnwritten(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(0);
  say(`error: the output could not be written (${error.message})`);
  process.exit(1);
}

/** Ends the process once its output is flushed, whatever connections are still open. */
export function exitWhenWritten(code: number): void {
  process.exitCode = code;
  // A failed stream may not have emitted its error yet.
  if (process.stdout.errored) endUnwritten(process.stdout.errored);
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}

/** Redrawing more often only slows the work. */
const REDRAW_EVERY_MS = 80;
/** In a pipe or a log. */
const LINE_EVERY_MS = 10_000;

/** Shows progress on one line; where the stream is no terminal, a line now and then. */
export function createProgressBar(
  stream: { isTTY?: boolean; columns?: number; write(text: string): unknown } = process.stderr,
  now: () => number = Date.now,
) {
  const isTerminal = takesCommands(stream);
  let drawnAt = isTerminal ? -Infinity : now();
  let visible = false;
  return {
    update(done: number, total: number, note = ""): void {
      const isEarly = now() - drawnAt < (isTerminal ? REDRAW_EVERY_MS : LINE_EVERY_MS);
      if (isEarly && (done < total || !isTerminal)) return;
      drawnAt = now();
      visible = isTerminal;
      const line = `${done}/${total} ${printable(note)}`;
      stream.write(
        isTerminal ? CLEAR_LINE + oneLine(line, (stream.columns || 80) - 1) : `${oneLine(line)}\n`,
      );
    },
    end(): void {
      if (visible) stream.write(CLEAR_LINE);
      visible = false;
    },
  };
}
