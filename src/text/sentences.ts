import { memoize } from "../support/cache.js";
import { ABBREVIATIONS, BEFORE_ORDINALS, STOP_WORDS } from "./languages.js";

/** A piece of a text. `text === source.slice(start, end)`, offsets in UTF-16 code units. */
export interface Span {
  text: string;
  start: number;
  end: number;
}

/** Longer stretches are cut, because the segmenter takes quadratic time. */
const STRETCH_AT_MOST = 1_500;

/**
 * Splits a text into sentences with exact offsets and without surrounding white space. Headings,
 * list items, table rows, lines of code and blank lines end a sentence; "Dr.", "e.g.", initials and
 * decimals do not.
 */
export const sentences: (text: string) => readonly Span[] = memoize({
  compute: (text) => [...eachSentence(text)],
});

/** Yields sentences one by one, uncached, so that a caller with a long text can pause. */
export function* eachSentence(text: string): Generator<Span> {
  for (const block of blocks(text)) {
    const isShort = block.end - block.start <= STRETCH_AT_MOST;
    // A row stays whole, full stops or not.
    if (block.isRecord === true && isShort) yield* trimmed(text, block);
    else for (const stretch of stretches(text, block)) yield* segmented(text, stretch);
  }
}

interface Range {
  start: number;
  end: number;
  isRecord?: boolean;
}

/** The start of a heading, list item, quotation or table row. */
const OWN_LINE = /^\s*(?:#{1,6}\s|[-*+•‣▪>]\s|\d{1,3}[.)]\s|\|)/u;
/** A table row as text: "name: Ridge Tent; price: 249.00". */
const RECORD =
  /^(?!\s)(?![^:]{0,60}[.!?]\s)[^:;|]{1,60}: [^;]+; (?![^:]{0,60}[.!?]\s)[^:;|]{1,60}: /u;

/** Returns paragraphs and lines that are units of their own. */
function blocks(text: string): Range[] {
  const found: Range[] = [];
  let open: Range | undefined;
  let inFence = false;
  let previous = "";
  let start = 0;
  for (const line of text.split("\n")) {
    const range: Range = { start, end: start + line.length };
    const bare = line.trim();
    const isFence = bare.startsWith("```") || bare.startsWith("~~~");
    if (isFence) inFence = !inFence;
    const isRecord = !inFence && RECORD.test(line);
    if (bare === "" || isFence) open = undefined;
    else if (inFence || isRecord) {
      open = undefined;
      found.push({ ...range, isRecord });
    } else if (open === undefined || OWN_LINE.test(line) || isTitle(previous, bare)) {
      found.push(range);
      // Headings and table rows never continue on the next line.
      open = OWN_LINE.test(line) && "#|".includes(bare.charAt(0)) ? undefined : range;
    } else open.end = range.end;
    previous = bare;
    start = range.end + 1;
  }
  return found;
}

/** A shorter line without final punctuation, before a capital, is a title or an item. */
const SHORT_LINE = 60;
const ENDED = /[.!?:;,…。！？；：、]["'”’)\]]*$/u;

function isTitle(line: string, next: string): boolean {
  const first = next.charAt(0);
  const beginsAnew = first !== first.toLowerCase() || (first >= "0" && first <= "9");
  return line !== "" && line.length < SHORT_LINE && !ENDED.test(line) && beginsAnew;
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

const NAME_DOT = /(?<![^\s("'“‘„«`/*[])\.(?=[\p{L}\p{N}_])/gu;

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Cuts by the rules of Unicode (UAX #29) and joins what they cut at abbreviations. */
function* segmented(text: string, range: Range): Generator<Span> {
  // Line breaks and footnotes inside a paragraph become spaces, without changing the length. The sign
  // before an image in Markdown ends no sentence, nor does a dot that begins a name: "the .LCK file".
  const source = text
    .slice(range.start, range.end)
    .replace(/[\r\n\u2028\u2029\u0085]|(?<=\S)\[\d{1,3}\]/gu, ({ length }) => " ".repeat(length))
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
/** The number of a list item or section. */
const LIST_MARK = /^\s*\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[a-zA-Z])[.)]\s*$/u;

/** True if the final punctuation belongs to a word and does not end the sentence. */
function isInnerStop(sentence: string, next: string): boolean {
  if (LIST_MARK.test(sentence)) return true;
  const last = sentence.trimEnd().slice(-LAST_WORDS);
  // Part of a name: "the panic! macro", "Yahoo! was".
  const [first = ""] = next.trimStart();
  if ((last.endsWith("!") || last.endsWith("?")) && first !== first.toUpperCase()) return true;
  const word = STOPPED_WORD.exec(last)?.[1];
  if (word === undefined) return false;
  // German writes ordinals with a full stop: "am 3. Mai", "der 2. Weltkrieg".
  if (word >= "0" && word <= "999")
    return BEFORE_ORDINALS.has(last.toLowerCase().split(" ").at(-2) ?? "");
  if (isInitials(word)) {
    // "in the U.S. The law" begins a new sentence, "J. Smith" does not; the pronoun "I" ends one.
    const [nextWord = ""] = next.trimStart().split(" ", 1);
    return word !== "I" && !STOP_WORDS.has(nextWord.toLowerCase());
  }
  return ABBREVIATIONS.has(word.toLowerCase());
}

function isInitials(word: string): boolean {
  return word.split(".").every((part) => part.length === 1 && part !== part.toLowerCase());
}

function* trimmed(text: string, { start, end }: Range): Generator<Span> {
  const piece = text.slice(start, end);
  const own = piece.trim();
  const from = start + piece.length - piece.trimStart().length;
  if (own !== "") yield { text: own, start: from, end: from + own.length };
}
