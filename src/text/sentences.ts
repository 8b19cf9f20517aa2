import { memoize } from "../support/cache.js";
import { contentTerms } from "./analyse.js";
import {
  blocksOf,
  linesOf,
  type BlockSpan,
  type BlockText,
  type Range,
  type Span,
} from "./passage-blocks.js";
import { lastSign } from "./words.js";
import { ABBREVIATIONS, BEFORE_ORDINALS, STOP_WORDS } from "./languages.js";

/** Longer stretches are cut, because the segmenter takes quadratic time. */
const STRETCH_AT_MOST = 1_500;

/**
 * Splits a text into sentences with exact offsets and without surrounding white space. Its blocks
 * end a sentence, as do the rows of a table and the lines of code; "Dr.", "e.g.", initials and
 * decimals do not.
 * @param blocks where they are known: see `BlockText`
 */
export const sentences: (text: string, blocks?: string) => readonly Span[] = memoize({
  compute: (text, blocks) =>
    blocksOf({ text, blocks }).flatMap((block) => [...sentencesOf(text, block)]),
});

/**
 * Returns the questions of a message with other sentences, which may be beside the point: "Hi, I am
 * new here. How do I …?"; none that says too little by itself.
 */
export function questionsIn(message: string): string[] {
  const parts = sentences(message).map(({ text }) => text);
  const isQuestion = (text: string): boolean => asks(text) && contentTerms(text).length >= ENOUGH;
  return parts.length > 1 ? parts.filter(isQuestion) : [];
}

export function asks(text: string): boolean {
  return text.endsWith("?") || text.endsWith("？");
}

/** Content words that a complete question has; "What can I do?" has none. */
const ENOUGH = 2;

function sentencesOf(text: string, { form, ...range }: BlockSpan): Iterable<Span> {
  switch (form) {
    case "heading":
    case "row":
      // Stays whole, full stops or not.
      return trimmed(text, range);
    case "lines":
      return linesIn(text, range);
    case "code":
    case "table":
      return linesIn(text, range)
        .filter((line) => !["```", "~~~"].includes(line.text.slice(0, 3)))
        .flatMap((line) => [...sentencesIn(text, line)]);
    case "item":
      // Its mark belongs to the sentence, however the list is shown.
      return sentencesIn(text, { ...range, start: text.lastIndexOf("\n", range.start - 1) + 1 });
    case "paragraph":
      return sentencesIn(text, range);
    default:
      return form satisfies never;
  }
}

/**
 * One of the smallest parts of a passage that may be quoted: a sentence, a list item, a row of a
 * table or its column heads, a heading, a block of code.
 */
export interface Unit extends Span {
  kind: "sentence" | "item" | "row" | "columns" | "heading" | "code";
  /** Number of the block to which it belongs, from 0. */
  block: number;
}

/** Cuts a passage into units in reading order, without rules, blank lines and marks of lists. */
export function unitsOf({ text, blocks }: BlockText): readonly Unit[] {
  return readUnits(text, blocks);
}

const readUnits: (text: string, blocks?: string) => readonly Unit[] = memoize({
  compute: (text, blocks) =>
    blocksOf({ text, blocks }).flatMap((span, block) =>
      partsOf(text, span).map((part) => ({ ...part, block })),
    ),
});

function partsOf(text: string, block: BlockSpan): Omit<Unit, "block">[] {
  const { form: kind, start, end } = block;
  switch (kind) {
    case "heading":
    case "code":
      return [{ kind, text: text.slice(start, end), start, end }];
    case "row":
    case "lines":
      return linesIn(text, block).map((line) => {
        return { ...line, kind: line.text.startsWith("|") ? "row" : "sentence" };
      });
    case "table": {
      const [heads, , ...rows] = linesIn(text, block).map(
        (line) => ({ ...line, kind: "row" }) as const,
      );
      return heads === undefined ? [] : [{ ...heads, kind: "columns" }, ...rows];
    }
    case "item":
      return [...sentencesIn(text, block)].map((span) => ({ ...span, kind }));
    case "paragraph":
      return [...sentencesIn(text, block)].map((span) => ({ ...span, kind: "sentence" }));
    default:
      return kind satisfies never;
  }
}

/** Yields the sentences of a paragraph one by one, so that a caller with a long text can pause. */
export function* sentencesIn(
  text: string,
  range: Range = { start: 0, end: text.length },
): Generator<Span> {
  for (const run of untitled(text, range))
    for (const stretch of stretches(text, run)) yield* segmented(text, stretch);
}

/** Returns the lines that are not blank. */
export function linesIn(text: string, { start, end }: Range): Span[] {
  return linesOf(text.slice(start, end), start).filter((line) => line.text !== "");
}

/** Cuts a paragraph behind the lines that are titles. */
function* untitled(text: string, range: Range): Generator<Range> {
  let { start } = range;
  let before: Span | undefined;
  for (const line of linesIn(text, range)) {
    if (before !== undefined && isTitle(before.text, line.text)) {
      yield { start, end: before.end };
      start = line.start;
    }
    before = line;
  }
  yield { start, end: range.end };
}

/** A shorter line without final punctuation, before a capital, is a title or an item. */
const SHORT_LINE = 60;
const ENDS_LINE = ".!?:;,…。！？；：、";

function isTitle(line: string, next: string): boolean {
  const first = next.charAt(0);
  const beginsAnew = first !== first.toLowerCase() || (first >= "0" && first <= "9");
  // No list begins with "250.": the line before leads up to the number.
  const isNumber = LIST_MARK.test(next.split(" ", 1)[0] ?? "");
  return line.length < SHORT_LINE && !ENDS_LINE.includes(lastSign(line)) && beginsAnew && !isNumber;
}

/** Cuts at the end of a sentence if one is near, or else at a space. */
function* stretches(text: string, { start: from, end }: Range): Generator<Range> {
  let start = from;
  while (end - start > STRETCH_AT_MOST) {
    const piece = text.slice(start, start + STRETCH_AT_MOST);
    const [ended = ""] = /^[^]*[.!?。！？]["'”’)\]]*\s*(?=[\p{Lu}\p{Lo}"“(])/u.exec(piece) ?? [];
    const cut =
      ended.length > STRETCH_AT_MOST / 3
        ? ended.length
        : piece.lastIndexOf(" ") + 1 || STRETCH_AT_MOST;
    yield { start, end: start + cut };
    start += cut;
  }
  yield { start, end };
}

/** References to footnotes, as encyclopedias write them: `[7]`, `[citation needed]`. */
export const FOOTNOTE = new RegExp(
  String.raw`(?<=[\p{L}\p{N}.!?,;:"'”’)\]])\[(?:\d{1,3}|[a-z]|note \d{1,3}|[a-z ]+ needed|` +
    String.raw`not in citation given|who\?|when\?)\](?!\()`,
  "giu",
);
const NAME_DOT = /(?<![^\s("'“‘„«`/*[])\.(?=[\p{L}\p{N}_])/gu;

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Cuts by the rules of Unicode (UAX #29) and joins what they cut at abbreviations. */
function* segmented(text: string, range: Range): Generator<Span> {
  // Line breaks and footnotes inside a paragraph become spaces, without changing the length. The
  // sign before an image in Markdown ends no sentence, nor does a dot that begins a name: "the .LCK
  // file".
  const source = text
    .slice(range.start, range.end)
    .replace(/[\r\n\u2028\u2029\u0085]/gu, " ")
    .replace(FOOTNOTE, ({ length }) => " ".repeat(length))
    .replaceAll("![", "X[")
    .replace(NAME_DOT, "x");
  let from = 0;
  for (const { index, segment } of segmenter.segment(source)) {
    const end = index + segment.length;
    if (end < source.length && isInnerStop(source.slice(from, end), source.slice(end, end + 20)))
      continue;
    yield* trimmed(text, { start: range.start + from, end: range.start + end });
    from = end;
  }
}

/** Longer than any abbreviation; bounds the time of patterns anchored at the end. */
const LAST_WORDS = 40;
/** Group 1: the word before a full stop, or a number, which may be an ordinal. */
const STOPPED_WORD = /(?:^|[\s("“„'])([\p{L}.]+|\d{1,3})\.["'”’)]*\s*$/u;
const SPACED = /(?<=[\s("“„'])(\p{L})\.\s(?=\p{L}\.$)/u;
/** The number of a list item or section. */
const LIST_MARK = /^\s*\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[a-zA-Z])[.)]\s*$/u;

/** True if the final punctuation belongs to a word and does not end the sentence. */
function isInnerStop(sentence: string, next: string): boolean {
  if (LIST_MARK.test(sentence)) return true;
  // "z. B." is one abbreviation.
  const last = sentence.trimEnd().slice(-LAST_WORDS).replace(SPACED, "$1.");
  // Part of a name: "the panic! macro", "Yahoo! was".
  const [first = ""] = next.trimStart();
  if ((last.endsWith("!") || last.endsWith("?")) && first !== first.toUpperCase()) return true;
  const word = STOPPED_WORD.exec(last)?.[1];
  // A full stop inside of a name: "status.*".
  const behind = next.split("").find((sign) => sign !== "*" && sign !== "_") ?? " ";
  if (last === sentence.slice(-LAST_WORDS) && last.endsWith(".") && behind.trim() !== "")
    return true;
  if (word === undefined) return false;
  if (word.length === 1 && next.charAt(1) === "." && next.charAt(2).trim() === "") return true;
  // German writes ordinals with a full stop: "am 3. Mai", "der 2. Weltkrieg".
  if (word >= "0" && word <= "999")
    return BEFORE_ORDINALS.has(last.toLowerCase().split(" ").at(-2) ?? "");
  const isInitials = word
    .split(".")
    .every((part) => part.length === 1 && part !== part.toLowerCase());
  if (isInitials) {
    // "in the U.S. The law" begins a new sentence, "J. Smith" does not; the pronoun "I" ends one.
    const [nextWord = ""] = next.trimStart().split(" ", 1);
    return word !== "I" && !STOP_WORDS.has(nextWord.toLowerCase());
  }
  return ABBREVIATIONS.has(word.toLowerCase());
}

function trimmed(text: string, { start, end }: Range): Span[] {
  const piece = text.slice(start, end);
  const trimmed = piece.trim();
  const from = start + piece.length - piece.trimStart().length;
  return trimmed === "" ? [] : [{ text: trimmed, start: from, end: from + trimmed.length }];
}
