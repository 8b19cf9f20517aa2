/** How near the use of one word comes to that of another, by vectors of words. */
import { idf } from "../../text/background.js";
import type { Token } from "../../text/analyse.js";
import { likeness, vectorOf, type WordVector } from "../../text/word-vectors.js";
import { isAkin } from "./word-family.js";

/** A word of the same family. */
const AKIN = 0.8;
/** Rarer words count no more than this, so that one rare name does not speak for the whole question. */
const RAREST = 8;

/** What a word counts among the words of a question, by its background rarity. */
export function rarity(term: string): number {
  return Math.min(RAREST, Math.max(0.5, idf(term)));
}

/** 0–1: 1 for the same word. */
export function nearness(one: Token, other: Token): number {
  if (one.term === other.term) return 1;
  return isAkin(one.term, other.term) ? AKIN : Math.max(0, similarity(one, other) ?? 0);
}

/** To the nearest of others. */
export function nearest(token: Token, others: readonly Token[]): number {
  let best = 0;
  for (const other of others) {
    best = Math.max(best, nearness(token, other));
    if (best === 1) break;
  }
  return best;
}

/** Cosine of their vectors; undefined where one of the words is not known. */
export function similarity(one: Token, other: Token): number | undefined {
  const [a, b] = [vectorOf(one.text.toLowerCase()), vectorOf(other.text.toLowerCase())];
  return a === undefined || b === undefined ? undefined : likeness(a, b);
}

/** Cosine of the sums of the words' directions, each by its rarity; undefined where one side has no known word. */
export function cosineOfSums(left: readonly Token[], right: readonly Token[]): number | undefined {
  const [a, b] = [weighted(left), weighted(right)];
  if (a.length === 0 || b.length === 0) return undefined;
  return product(a, b) / (Math.sqrt(product(a, a) * product(b, b)) || 1);
}

interface Weighted {
  vector: WordVector;
  weight: number;
}

function weighted(tokens: readonly Token[]): Weighted[] {
  return tokens.flatMap(({ text, term }) => {
    const vector = vectorOf(text.toLowerCase());
    return vector === undefined ? [] : [{ vector, weight: rarity(term) }];
  });
}

/** Scalar product of two sums, word by word. */
function product(left: readonly Weighted[], right: readonly Weighted[]): number {
  let sum = 0;
  for (const a of left) for (const b of right) sum += a.weight * b.weight * likeness(a.vector, b.vector);
  return sum;
}
