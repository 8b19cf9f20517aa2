/** Near-duplicate removal by the overlap of word shingles. */
import { memoize } from "../support/cache.js";

/** Words to a shingle; shorter texts are compared as a whole. */
const SHINGLE_WORDS = 4;
/** Jaccard similarity of the shingles from which two texts count as one. */
const DUPLICATE_FROM = 0.8;

/**
 * Leaves out each item whose text is nearly the same as that of an item before it, so of a ranked
 * list the better one stays. Case, punctuation and white space do not count. Texts without words
 * are never duplicates.
 * @example removeNearDuplicates(hits, (hit) => hit.passage.text)
 */
export function removeNearDuplicates<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const kept: Uint32Array[] = [];
  return items.filter((item) => {
    const shingles = shinglesOf(textOf(item));
    if (kept.some((known) => isSimilar(known, shingles))) return false;
    if (shingles.length > 0) kept.push(shingles);
    return true;
  });
}

/** Hashes of the shingles, rising, each once. The rounds of a run, and runs after another, see the same passages again. */
const shinglesOf: (text: string) => Uint32Array = memoize({
  maxCharacters: 1_000_000,
  compute: (text) => {
    const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    return words.length === 0
      ? new Uint32Array()
      : Uint32Array.from(new Set(shingleHashes(words))).sort();
  },
});

function shingleHashes(words: readonly string[]): Uint32Array {
  const count = Math.max(1, words.length - SHINGLE_WORDS + 1);
  const hashes = new Uint32Array(count);
  for (let index = 0; index < count; index++)
    hashes[index] = fnv1a(words.slice(index, index + SHINGLE_WORDS).join(" "));
  return hashes;
}

/** Jaccard similarity of two rising lists, against the limit. */
function isSimilar(left: Uint32Array, right: Uint32Array): boolean {
  // Lists whose lengths differ more cannot share enough.
  if (Math.min(left.length, right.length) < DUPLICATE_FROM * Math.max(left.length, right.length))
    return false;
  let shared = 0;
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const a = left[i] ?? 0;
    const b = right[j] ?? 0;
    if (a === b) shared++;
    if (a <= b) i++;
    if (b <= a) j++;
  }
  return shared / (left.length + right.length - shared) >= DUPLICATE_FROM;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
