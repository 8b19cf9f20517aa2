/** How near the use of one word comes to that of another, by vectors of words. */
import { idf } from "../../text/background.js";
import type { Token } from "../../text/analyse.js";
import { likeness, vectorOf, type WordVector } from "../../text/word-vectors.js";
import type { QuestionFocus } from "./question-focus.js";
import { isAkin } from "./word-family.js";

/** A word with its vector, looked up once for all that it is compared with. */
export interface UsedWord {
  term: string;
  /** Absent where the table lacks the word. */
  vector: WordVector | undefined;
}

export function usedWord({ term, text }: Token): UsedWord {
  return { term, vector: vectorOf(text.toLowerCase()) };
}

/** Words of a question at most: each is compared with every word of every sentence, and a question may be half a megabyte long. */
const ASKED_AT_MOST = 60;

/** The words of a question that carry content, in order. */
export function askedWords({ form, weights }: QuestionFocus): Token[] {
  return form.tokens.filter(({ stop, term }) => !stop && weights.has(term)).slice(0, ASKED_AT_MOST);
}

/** A word of the same family. */
const AKIN = 0.8;
/** Rarer words count no more than this, so that one rare name does not speak for the whole question. */
const RAREST = 8;

/** What a word counts among the words of a question, by its background rarity. */
export function rarity(term: string): number {
  return Math.min(RAREST, Math.max(0.5, idf(term)));
}

/** 0–1: 1 for the same word. */
export function nearness(one: UsedWord, other: UsedWord): number {
  if (one.term === other.term) return 1;
  return isAkin(one.term, other.term) ? AKIN : Math.max(0, similarity(one, other) ?? 0);
}

/** To the nearest of others. */
export function nearest(word: UsedWord, others: readonly UsedWord[]): number {
  let best = 0;
  for (const other of others) {
    best = Math.max(best, nearness(word, other));
    if (best === 1) break;
  }
  return best;
}

/** Cosine of their vectors; undefined where one of the words is not known. */
export function similarity({ vector: a }: UsedWord, { vector: b }: UsedWord): number | undefined {
  return a === undefined || b === undefined ? undefined : likeness(a, b);
}

/** Where the words of a text point together: the sum of their vectors, each by its rarity. */
export interface Direction {
  words: readonly { vector: WordVector; weight: number }[];
  /** The sum's product with itself: the square of its length. */
  square: number;
}

/** Undefined where no word is known. */
export function directionOf(used: readonly UsedWord[]): Direction | undefined {
  const words = used.flatMap(({ term, vector }) =>
    vector === undefined ? [] : [{ vector, weight: rarity(term) }],
  );
  return words.length === 0 ? undefined : { words, square: product(words, words) };
}

/** Cosine of two sums. */
export function cosineOf(a: Direction, b: Direction): number {
  return product(a.words, b.words) / (Math.sqrt(a.square * b.square) || 1);
}

/** Scalar product of two sums, word by word. */
function product(left: Direction["words"], right: Direction["words"]): number {
  let sum = 0;
  for (const a of left)
    for (const b of right) sum += a.weight * b.weight * likeness(a.vector, b.vector);
  return sum;
}
