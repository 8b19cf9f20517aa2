/** Joins the lines of a column to paragraphs. */
import { hasLeader, type Line } from "./pdf-lines.js";

/** Share of the width from which a line was broken by the layout and not by its writer. */
const FULL_LINE = 0.8;
/** Shorter lines are cells or items, however narrow their column is. */
const FULL_LINE_CHARACTERS = 20;
/** A gap this many times the usual one separates paragraphs. */
const WIDE_GAP = 1.45;
const BULLETS = ["• ", "‣ ", "▪ ", "● ", "○ "];
const LIST_MARK = /^(?:[–—*-]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s/;
/** A word hyphenated at the end of a line. */
const CUT_WORD = /^\p{Ll}-\n\p{Ll}/u;

interface Layout {
  /** Usual distance from one line to the next. */
  gap: number;
  /** From this right edge on, a line was broken by the layout. */
  fullFrom: number;
}

function gapsIn(lines: readonly Line[]): number[] {
  return lines.slice(1).map(({ y }, index) => (lines[index]?.y ?? 0) - y);
}

/** Shorter runs end evenly by chance. */
const EVEN_LINES = 4;

/** True for justified text, whose column may be narrower than other text of the page. */
export function endsEvenly(run: readonly Line[]): boolean {
  const ends = run.map(({ right }) => right).sort((a, b) => a - b);
  const usual = ends[Math.floor(ends.length / 2)] ?? 0;
  const even = run.filter(({ right, size }) => Math.abs(right - usual) < size / 4);
  return run.length >= EVEN_LINES && even.length * 2 > run.length;
}

export function layoutOf(lines: readonly Line[]): Layout {
  const gaps = gapsIn(lines);
  const gap = gaps.filter((each) => each > 0).sort((a, b) => a - b)[Math.floor(gaps.length / 3)];
  const left = lines.reduce((least, line) => Math.min(least, line.left), Infinity);
  const right = lines.reduce((most, line) => Math.max(most, line.right), 0);
  return { gap: gap ?? 0, fullFrom: left + (right - left) * FULL_LINE };
}

/** @param written compounds of the document, from {@link compoundsIn} */
export function paragraphsOf(
  lines: readonly Line[],
  { gap: usual, fullFrom }: Layout,
  written: ReadonlySet<string>,
): string[] {
  const gaps = gapsIn(lines);
  const paragraphs: string[] = [];
  let text = "";
  lines.forEach((line, index) => {
    const before = lines[index - 1];
    const gap = gaps[index - 1] ?? 0;
    const isFull =
      before !== undefined &&
      !hasLeader(before) &&
      before.right >= fullFrom &&
      before.text.length >= FULL_LINE_CHARACTERS;
    if (before === undefined) text = line.text;
    else if (gap < 0 || gap > usual * WIDE_GAP) {
      paragraphs.push(text);
      text = line.text;
    } else if (CUT_WORD.test(`${text.slice(-2)}\n${line.text}`))
      text = joined(text, line.text, written);
    else text += (isFull && !beginsItem(line.text, text) ? " " : "\n") + line.text;
  });
  return [...paragraphs, text].filter(Boolean);
}

/** Joins a word that was cut; its hyphen stays where the document writes it elsewhere. */
function joined(before: string, text: string, written: ReadonlySet<string>): string {
  const [cut = ""] = /(?<!\p{L})\p{L}+-$/u.exec(before) ?? [];
  const [rest = ""] = /^\p{L}+/u.exec(text) ?? [];
  return (written.has((cut + rest).toLowerCase()) ? before : before.slice(0, -1)) + text;
}

/** Returns the words with a hyphen within a line, each hyphen with its two sides. */
export function compoundsIn(lines: readonly Line[]): Set<string> {
  const found = lines.flatMap(({ text }) => [
    ...text.toLowerCase().matchAll(/(?<!\p{L})(\p{L}+-)(?=(\p{L}+))/gu),
  ]);
  return new Set(found.map(([, start = "", end = ""]) => start + end));
}

/** True for a list mark, unless the sentence goes on: "… on page\n4. The next". */
function beginsItem(line: string, before: string): boolean {
  if (BULLETS.some((bullet) => line.startsWith(bullet))) return true;
  return LIST_MARK.test(line) && ".:;!?".includes(before.at(-1) ?? " ");
}
