/** How long a text is: in tokens of a model, or in words. */
import { UNSPACED } from "./analyse.js";
import { RUNS } from "./words.js";

/** Words, three digits, signs and line breaks: a tokenizer makes at least one token of each. */
const PIECE = /\p{Script=Latin}+|\d{1,3}|\S|\n/gu;
const LETTERS_OF_A_TOKEN = 5;
/** Emoji and rare scripts, each outside the Basic Multilingual Plane. */
const TOKENS_OF_A_RARE_SIGN = 3;

/**
 * Estimates the tokens of a text on the upper side, for the encodings of today's models: of
 * `o200k_base` between 1.0 and 1.4 times as many as there are, in prose, code, JSON and Chinese.
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

/** Scripts that are written without spaces. */
export const SPACELESS = new RegExp(`[${UNSPACED}]`, "u");
/**
 * No word or address is longer; what is, is encoded data, of which so many characters are a word.
 */
const MAX_RUN = 200;
const CHARACTERS_OF_DATA = 40;

/** Runs between white space; in scripts without spaces every two characters count as a word. */
export function countWords(text: string): number {
  return (text.match(RUNS) ?? []).reduce((sum, run) => sum + wordsOfRun(run), 0);
}

function wordsOfRun(run: string): number {
  if (run.length <= 24) return 1;
  const spaceless = Array.from(run).filter((character) => SPACELESS.test(character)).length;
  const ofData = run.length > MAX_RUN ? Math.ceil(run.length / CHARACTERS_OF_DATA) : 0;
  return Math.max(1, Math.ceil(spaceless / 2), ofData);
}
