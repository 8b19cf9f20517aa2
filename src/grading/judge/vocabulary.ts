import { HIGHEST_IDF, idf } from "../../text/background.js";
import { forEachTerm } from "./passage.js";
import type { AnalysedPassage } from "./passage.js";

/** The words of the passages of one set, numbered, so that the passages can be compared without looking at letters again. */
export interface SetVocabulary {
  /** The number of a word; none of those that were left out. */
  numbers: ReadonlyMap<string, number>;
  /** Rarity of each word, 0–1. */
  rarities: readonly number[];
  /** For each passage its words, each once, in order. */
  passages: readonly (readonly number[])[];
}

/** @param leftOut words that tell nothing, since all passages were found by them: those of the question */
export function readVocabulary(passages: readonly AnalysedPassage[], leftOut: ReadonlySet<string>): SetVocabulary {
  const numbers = new Map<string, number>();
  const rarities: number[] = [];
  /** By word, the passage that had it last. */
  const seenIn: number[] = [];
  const numberOf = (term: string): number => {
    const number = rarities.length;
    numbers.set(term, number);
    rarities.push(idf(term) / HIGHEST_IDF);
    seenIn.push(-1);
    return number;
  };
  const words = passages.map((passage, position) => {
    const own: number[] = [];
    forEachTerm(passage, (term) => {
      if (leftOut.has(term)) return;
      const number = numbers.get(term) ?? numberOf(term);
      if (seenIn[number] === position) return;
      seenIn[number] = position;
      own.push(number);
    });
    return own;
  });
  return { numbers, rarities, passages: words };
}
