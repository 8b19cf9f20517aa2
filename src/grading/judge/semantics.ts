import type { Word } from "../../text/analyse.js";
import { likeness, vectorOf } from "../../text/word-vectors.js";
import type { WordVector } from "../../text/word-vectors.js";
import type { StandsFor } from "./stand-ins.js";

/** Words whose vectors lie further apart say nothing of each other; from `SAME_USE` on they are as good as they get. */
const ALIKE_FROM = 0.35;
const SAME_USE = 0.7;
/**
 * What a word in the same use is worth: well under the word itself, since opposites and members of one kind are used alike too. The three
 * figures follow what five families of labelled questions gave for words at each degree of likeness; others near them do as well.
 */
const MOST = 0.65;

const NOTHING: readonly StandsFor[] = [];

/**
 * What words of a passage are worth for the terms of a question that they are not, by how alike they are used: "novelist" for "author". Words
 * of names and numbers stand for themselves alone, and so does what the table of vectors lacks, other languages among it.
 *
 * @param terms the word of each term in lower case; undefined for what stands for itself alone
 */
export function semanticMatches(
  terms: readonly (string | undefined)[],
): (word: Word) => readonly StandsFor[] {
  const asked = terms.flatMap((text, index): { index: number; vector: WordVector }[] => {
    const vector = text === undefined ? undefined : vectorOf(text);
    return vector === undefined ? [] : [{ index, vector }];
  });
  if (asked.length === 0) return () => NOTHING;
  const known = new Map<string, readonly StandsFor[]>();
  return ({ text }) => {
    let matches = known.get(text);
    if (matches === undefined) {
      matches = matchesOf(text, asked);
      known.set(text, matches);
    }
    return matches;
  };
}

function matchesOf(
  text: string,
  asked: readonly { index: number; vector: WordVector }[],
): readonly StandsFor[] {
  const vector = vectorOf(plainWord(text));
  if (vector === undefined) return NOTHING;
  const matches: StandsFor[] = [];
  for (const { index, vector: wanted } of asked) {
    const alike = likeness(vector, wanted);
    if (alike > ALIKE_FROM)
      matches.push({
        index,
        credit: MOST * Math.min(1, (alike - ALIKE_FROM) / (SAME_USE - ALIKE_FROM)),
      });
  }
  return matches.length === 0 ? NOTHING : matches;
}

/** A word as the table of vectors writes it: in lower case, without the ending of a possessive. */
export function plainWord(text: string): string {
  const lower = text.toLowerCase();
  const before = lower.charAt(lower.length - 2);
  return before === "'" || before === "’" ? lower.slice(0, -2) : lower;
}
