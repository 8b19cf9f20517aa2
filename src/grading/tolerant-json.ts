/**
 * A reader for what models write when they were asked for JSON: single or curly quotes, bare words, trailing commas, comments, percentages,
 * a missing end. It never throws and takes time linear in the text; what it cannot read is `undefined`.
 */

/** Deeper nesting than this is not an answer. */
const MAX_DEPTH = 40;

const CLOSING_QUOTE: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "‘": "’",
  "„": "“",
};

/** The value that starts at `from`; whatever follows it is ignored. */
export function readTolerantJson(text: string, from = 0): unknown {
  try {
    return JSON.parse(text.slice(from));
  } catch {
    return new Reader(text, from).value(0);
  }
}

class Reader {
  constructor(
    private readonly text: string,
    private at: number,
  ) {}

  value(depth: number): unknown {
    this.skip();
    const first = this.text[this.at];
    if (first === undefined || depth > MAX_DEPTH) return undefined;
    if (first === "[") return this.list(depth);
    if (first === "{") return this.record(depth);
    return first in CLOSING_QUOTE ? this.quoted(first) : literal(this.word(/[,\]}\n]/));
  }

  private list(depth: number): unknown[] {
    const items: unknown[] = [];
    this.at += 1;
    while (!this.closed("]")) {
      const before = this.at;
      items.push(this.value(depth + 1));
      this.separator(before, "}");
    }
    return items;
  }

  private record(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.at += 1;
    while (!this.closed("}")) {
      const before = this.at;
      const first = this.text[this.at] ?? "";
      const key = first in CLOSING_QUOTE ? this.quoted(first) : this.word(/[:=,}\]\n]/);
      this.skip();
      if (/[:=]/.test(this.text[this.at] ?? "")) {
        this.at += 1;
        entries.push([key, this.value(depth + 1)]);
      }
      this.separator(before, "]");
    }
    return Object.fromEntries(entries);
  }

  /** At the end of a list or record, or of the text. */
  private closed(bracket: string): boolean {
    this.skip();
    if (this.at >= this.text.length) return true;
    if (this.text[this.at] !== bracket) return false;
    this.at += 1;
    return true;
  }

  /** Steps over a comma, a stray bracket of the other kind, and in any case forwards. */
  private separator(before: number, stray: string): void {
    this.skip();
    const here = this.text[this.at];
    if (here === "," || here === ";" || here === stray || this.at === before) this.at += 1;
  }

  private quoted(open: string): string {
    const close = CLOSING_QUOTE[open] ?? open;
    let read = "";
    for (this.at += 1; this.at < this.text.length; this.at += 1) {
      const here = this.text[this.at];
      if (here === close) {
        this.at += 1;
        break;
      }
      if (here === "\\") {
        this.at += 1;
        read += ESCAPES[this.text[this.at] ?? ""] ?? this.text[this.at] ?? "";
      } else read += here ?? "";
    }
    return read;
  }

  private word(until: RegExp): string {
    const start = this.at;
    while (this.at < this.text.length && !until.test(this.text[this.at] ?? "")) this.at += 1;
    return this.text.slice(start, this.at).trim();
  }

  /** White space and comments. */
  private skip(): void {
    for (;;) {
      while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
      const end = this.text.startsWith("//", this.at)
        ? this.text.indexOf("\n", this.at)
        : this.text.startsWith("/*", this.at)
          ? this.text.indexOf("*/", this.at)
          : null;
      if (end === null) return;
      this.at = end === -1 ? this.text.length : end + (this.text[end] === "*" ? 2 : 1);
    }
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["none", null],
  ["undefined", null],
  ["nan", Number.NaN],
]);

function literal(word: string): unknown {
  if (LITERALS.has(word.toLowerCase())) return LITERALS.get(word.toLowerCase());
  return word !== "" && Number.isFinite(Number(word)) ? Number(word) : word;
}
