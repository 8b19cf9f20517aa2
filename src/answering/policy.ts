/** An optional filter on what may be said: moderation, house rules. */

/** Gets a sentence of the answer; a string is the reason why it must not be said, `undefined` lets it pass. */
export type PolicyFilter = (sentence: string) => string | undefined;

/** A filter from a list of words or phrases; whole words, any case. Blank entries are ignored. */
export function wordListPolicy(words: readonly string[]): PolicyFilter {
  const entries = words.map((word) => word.trim()).filter((word) => word !== "");
  const patterns = entries.map((word) => ({
    word,
    // Escaped because the list holds words, not patterns; the borders are written out because \b knows only ASCII.
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}_])${word.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&").replace(/\s+/gu, "\\s+")}(?![\\p{L}\\p{N}_])`,
      "iu",
    ),
  }));
  return (sentence) => {
    const hit = patterns.find(({ pattern }) => pattern.test(sentence));
    return hit === undefined ? undefined : `"${hit.word}" is on the list of blocked words`;
  };
}
