import { memoize } from "../support/cache.js";

let counter: Promise<(text: string) => number> | undefined;

/**
 * Counts tokens of the `o200k_base` encoding (gpt-4o and later). The encoder is loaded on first
 * use; the texts counted last are remembered.
 */
export async function countTokens(text: string): Promise<number> {
  counter ??= Promise.all([
    import("js-tiktoken/lite"),
    import("js-tiktoken/ranks/o200k_base"),
  ]).then(([{ Tiktoken }, { default: ranks }]) => {
    const encoder = new Tiktoken(ranks);
    const count = (part: string): number => encoder.encode(part, [], []).length;
    return memoize({
      compute: (input) => partsOf(input).reduce((sum, part) => sum + count(part), 0),
    });
  });
  return (await counter)(text);
}

/** The encoder takes time that grows with the square of a run without a break: 20,000 hyphens take minutes. */
const LONG_RUN = /\S{400}|\s{400}|[^\p{L}\p{N}\s]{100}/u;
const PART = 32;

/** Cuts a text with such a run, which costs a token at each cut. */
function partsOf(text: string): string[] {
  return LONG_RUN.test(text) ? (text.match(new RegExp(`[^]{1,${PART}}`, "gu")) ?? []) : [text];
}

/**
 * More than these a text cannot have: its bytes in UTF-8, since no token of a byte-level encoding is shorter than one. Saves counting, and
 * loading the encoder, wherever a text is far below its budget.
 */
export function tokensAtMost(text: string): number {
  return Buffer.byteLength(text);
}

/**
 * A cheap upper-side estimate of `countTokens` with no dependency: four characters to a token where words are spaced Latin, one character
 * in scripts that encoders know less well.
 */
export function estimateTokens(text: string): number {
  let dense = 0;
  for (const character of text) if (character > "\u02ff" && !/\s/u.test(character)) dense += 1;
  return Math.ceil((text.length - dense) / 4 + dense * 0.9);
}
