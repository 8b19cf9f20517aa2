import { HIGHEST_IDF, idf } from "../../text/background.js";
import { forEachTerm } from "./passage.js";
import type { AnalysedPassage } from "./passage.js";

/** The words of the passages of one set, numbered, so that the passages can be compared without looking at letters again. */
export interface SetVocabulary {
  /** The number of a word; none of those that were left out. */
  numbers: ReadonlyMap<string, number>;
  /** Rarity of each word, 0–1. */
  rarities: Float64Array;
  /** For each passage its words, each once, in order. */
  passages: readonly Int32Array[];
}

/** @param leftOut words that tell nothing, since all passages were found by them: those of the question */
export function readVocabulary(
  passages: readonly AnalysedPassage[],
  leftOut: ReadonlySet<string>,
): SetVocabulary {
  const words = passages.reduce(
    (sum, { content, parts }) => sum + content.length + parts.length,
    0,
  );
  const numbers = new Map<string, number>();
  const rarities = new Float64Array(words);
  /** By word, the passage that had it last, counted from 1. */
  const seenIn = new Int32Array(words);
  const entries = new Int32Array(words);
  let end = 0;
  const own = passages.map((passage, position) => {
    const start = end;
    forEachTerm(passage, (term) => {
      if (leftOut.has(term)) return;
      let number = numbers.get(term);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(term, number);
        rarities[number] = idf(term) / HIGHEST_IDF;
      }
      if (seenIn[number] === position + 1) return;
      seenIn[number] = position + 1;
      entries[end] = number;
      end += 1;
    });
    return entries.subarray(start, end);
  });
  return { numbers, rarities: rarities.subarray(0, numbers.size), passages: own };
}
