/** How long a text is: in tokens of a model, or in words. */
import { memoize } from "../support/cache.js";
import { UNSPACED } from "./analyse.js";

let counter: Promise<(text: string) => number> | undefined;

/** Counts tokens of the `o200k_base` encoding (gpt-4o and later), which is loaded on first use. */
export async function countTokens(text: string): Promise<number> {
  counter ??= Promise.all([
    import("js-tiktoken/lite"),
    import("js-tiktoken/ranks/o200k_base"),
  ]).then(([{ Tiktoken }, { default: ranks }]) => {
    const encoder = new Tiktoken(ranks);
    const count = (part: string): number => encoder.encode(part, [], []).length;
    return memoize({
      compute: (whole) => partsOf(whole).reduce((sum, part) => sum + count(part), 0),
    });
  });
  return (await counter)(text);
}

/**
 * The encoder takes time that grows with the square of a run without a break: 20,000 hyphens take
 * minutes. So a text with such a run is cut, which costs a token at each cut.
 */
function partsOf(text: string): string[] {
  const hasLongRun = /\S{400}|\s{400}|[^\p{L}\p{N}\s]{100}/u.test(text);
  return hasLongRun ? (text.match(/[^]{1,32}/gu) ?? []) : [text];
}

/**
 * More than these a text cannot have, since no token of a byte-level encoding is shorter than a
 * byte. Saves counting wherever a text is far below its budget.
 */
export function tokensAtMost(text: string): number {
  return Buffer.byteLength(text);
}

/** Estimates `countTokens` on the upper side, without the encoder: four Latin letters a token. */
export function estimateTokens(text: string): number {
  let dense = 0;
  for (const character of text) if (character > "\u02ff" && character.trim() !== "") dense += 1;
  return Math.ceil((text.length - dense) / 4 + dense * 0.9);
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
  return (text.match(/\S+/g) ?? []).reduce((sum, run) => sum + wordsOfRun(run), 0);
}

function wordsOfRun(run: string): number {
  if (run.length <= 24) return 1;
  const spaceless = Array.from(run).filter((character) => SPACELESS.test(character)).length;
  const ofData = run.length > MAX_RUN ? Math.ceil(run.length / CHARACTERS_OF_DATA) : 0;
  return Math.max(1, Math.ceil(spaceless / 2), ofData);
}
