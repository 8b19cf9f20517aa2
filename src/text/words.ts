/** Cuts and cleans texts to be shown or analyzed; counts and compares their words. */

export const RUNS = /\S+/gu;

/** Returns runs of letters and digits, to compare texts whatever their punctuation. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** @param words with spaces between them */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** Reads a yes or a no as people write it; undefined for anything else. */
export function flagOf(text: string): boolean | undefined {
  const isYes = ["on", "true", "1", "yes"].includes(text.toLowerCase());
  return isYes || (["off", "false", "0", "no"].includes(text.toLowerCase()) ? false : undefined);
}

export function hasWords(text: string): boolean {
  return wordsOf(text).length > 0;
}

export function isCapital(word: string): boolean {
  return /^\p{Lu}/u.test(word);
}

export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");
}

/** Returns `1 passage`, `2,322 passages`, … */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Scripts without spaces between words, which need a dictionary. */
export const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー々\\p{Script=Thai}\\p{Script=Lao}" +
  "\\p{Script=Khmer}\\p{Script=Myanmar}";

/** Words, groups of three digits, signs and line breaks each become one or more tokens. */
const PIECE = /\p{Script=Latin}+|\d{1,3}|\S|\n/gu;
const LETTERS_OF_A_TOKEN = 5;
/** For emoji and rare scripts, outside the Basic Multilingual Plane. */
const TOKENS_OF_A_RARE_SIGN = 3;

/**
 * Estimates the tokens of a text for current models, rather too high: 1.0 to 1.4 times those of
 * `o200k_base` in prose, code, JSON and Chinese.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECE))
    tokens +=
      (piece.codePointAt(0) ?? 0) > 0xffff
        ? TOKENS_OF_A_RARE_SIGN
        : Math.ceil(piece.length / LETTERS_OF_A_TOKEN);
  return tokens;
}

export const SPACELESS = new RegExp(`[${UNSPACED}]`, "u");
/** Longer runs are encoded data, not words or addresses. */
const MAX_RUN = 200;
/** Characters of encoded data that count as a word. */
const CHARACTERS_OF_DATA = 40;

/** Counts runs between white space; in scripts without spaces, two characters are a word. */
export function countWords(text: string): number {
  return (text.match(RUNS) ?? []).reduce((sum, run) => sum + wordsOfRun(run), 0);
}

function wordsOfRun(run: string): number {
  if (run.length <= 24) return 1;
  const spaceless = Array.from(run).filter((character) => SPACELESS.test(character)).length;
  const ofData = run.length > MAX_RUN ? Math.ceil(run.length / CHARACTERS_OF_DATA) : 0;
  return Math.max(1, Math.ceil(spaceless / 2), ofData);
}

/** Replaces each run of white space by one space. */
export function collapsed(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** Collapses white space and cuts to `length` UTF-16 code units with an ellipsis. */
export function oneLine(text: string, length = Infinity): string {
  return cutText(collapsed(text).trim(), length);
}

/**
 * Cuts to `length` UTF-16 code units, including the ellipsis, never inside a surrogate pair.
 * @param atWord cuts at the last space, unless that would cost half of the text
 */
export function cutText(
  text: string,
  length: number,
  { atWord = false, ellipsis = "…" }: { atWord?: boolean; ellipsis?: string } = {},
): string {
  if (text.length <= length) return text;
  let end = Math.max(0, length - ellipsis.length);
  const blank = Math.max(text.lastIndexOf(" ", end - 1), text.lastIndexOf("\n", end - 1));
  if (atWord && blank > length / 2) end = blank;
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end -= 1;
  return (atWord ? text.slice(0, end).trimEnd() : text.slice(0, end)) + ellipsis;
}

/** Shortens long runs of white space or of one character, which make some patterns quadratic. */
export function withoutFloods(text: string): string {
  return text.replace(/\s{20,}|(.)\1{50,}/gsu, (run) =>
    run.trim() === "" ? "\n\n" : run.slice(0, 50),
  );
}

/**
 * Removes signs at the end, by default spaces and punctuation. A regular expression anchored at the
 * end would take quadratic time on long runs of them.
 */
export function withoutEnding(text: string, signs = " \t\n\r.!?…。！？"): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Returns the last sign before closing quotation marks and brackets; a space if there is none. */
export function lastSign(text: string, closing = "\"'”’)]"): string {
  return withoutEnding(text, closing).at(-1) ?? " ";
}

/**
 * Removes terminal commands such as colors and cursor moves (ECMA-48, 5.4). Node's
 * `stripVTControlCharacters` takes the text up to a later bell along.
 */
export function withoutTerminalCommands(text: string): string {
  return text.replace(/\u001b\[[0-?]*[ -/]*[@-~]/gu, "");
}
