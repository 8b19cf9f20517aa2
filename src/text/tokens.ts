import { memoize } from "../support/cache.js";

let counter: Promise<(text: string) => number> | undefined;

/** Tokens of the `o200k_base` encoding (gpt-4o and later). The encoder is loaded on first use, about 0.1 s; the texts counted last are remembered. */
export async function countTokens(text: string): Promise<number> {
  counter ??= import("gpt-tokenizer").then((encoder) =>
    memoize({
      compute: (input: string) => encoder.countTokens(input, { disallowedSpecial: new Set() }),
    }),
  );
  return (await counter)(text);
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
