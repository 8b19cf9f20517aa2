/** Near-duplicate removal by MinHash with locality-sensitive hashing (Broder 1997; Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", ch. 3). */

import { createCache } from "./cache.js";

/** Taken out of the global object once: it is called millions of times. */
const { imul } = Math;

const BANDS = 16;
const ROWS_PER_BAND = 4;
const HASHES = BANDS * ROWS_PER_BAND;
/** Words to a shingle; shorter texts are compared as a whole. */
const SHINGLE_WORDS = 4;
/** Jaccard similarity of the shingles from which two texts count as one. The bands find such pairs with a probability above 0.999. */
const DUPLICATE_FROM = 0.8;

/** Two numbers for each hash function; fixed, so that the same list always gives the same result. Multipliers are odd. */
const COEFFICIENTS = Uint32Array.from({ length: HASHES * 2 }, (_, index) =>
  index % 2 === 0 ? scramble(index + 0x9e3779b9) | 1 : scramble(index + 0x7f4a7c15),
);

/** What is compared of a text. */
interface Fingerprint {
  /** Hashes of the shingles, rising, each once. */
  shingles: Uint32Array;
  /** One key for each band of the signature: texts that share one are compared. */
  keys: Uint32Array;
}

/** The rounds of a run, and runs after another, see the same passages again. About 1 KB each. */
const remembered = createCache<Fingerprint>({ maxEntries: 2_000, ttlInMs: Infinity });

/**
 * Leaves out each item whose text is nearly the same as that of an item before it, so of a ranked list the better one stays.
 * Case, punctuation and white space do not count. Texts without words are never duplicates.
 * @example removeNearDuplicates(hits, (hit) => hit.passage.text)
 */
export function removeNearDuplicates<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const buckets = new Map<number, number[]>();
  const kept: Uint32Array[] = [];
  return items.filter((item) => {
    const { shingles, keys } = fingerprint(textOf(item));
    if (shingles.length === 0) return true;
    const candidates = new Set<number>();
    for (const key of keys) for (const candidate of buckets.get(key) ?? []) candidates.add(candidate);
    for (const candidate of candidates) {
      const known = kept[candidate];
      if (known !== undefined && jaccard(known, shingles) >= DUPLICATE_FROM) return false;
    }
    const index = kept.push(shingles) - 1;
    for (const key of keys) {
      const bucket = buckets.get(key);
      if (bucket === undefined) buckets.set(key, [index]);
      else bucket.push(index);
    }
    return true;
  });
}

function fingerprint(text: string): Fingerprint {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const shingles = words.length === 0 ? new Uint32Array() : Uint32Array.from(new Set(shingleHashes(words))).sort();
  const made = { shingles, keys: bandKeys(minHash(shingles)) };
  remembered.set(text, made);
  return made;
}

function shingleHashes(words: readonly string[]): Uint32Array {
  const count = Math.max(1, words.length - SHINGLE_WORDS + 1);
  const hashes = new Uint32Array(count);
  for (let index = 0; index < count; index++) hashes[index] = fnv1a(words.slice(index, index + SHINGLE_WORDS).join(" "));
  return hashes;
}

/** The least of each of the hash functions `a·x + b`, scrambled; what two sets have in common shows in how often these agree. */
function minHash(hashes: Uint32Array): Uint32Array {
  const signature = new Uint32Array(HASHES).fill(0xffffffff);
  for (const hash of hashes) {
    for (let index = 0; index < HASHES; index++) {
      const value = scramble(imul(hash, COEFFICIENTS[index * 2] ?? 1) + (COEFFICIENTS[index * 2 + 1] ?? 0));
      if (value < (signature[index] ?? 0)) signature[index] = value;
    }
  }
  return signature;
}

/** A key of 32 bits for each band; two bands that meet by chance only cost a comparison. */
function bandKeys(signature: Uint32Array): Uint32Array {
  const keys = new Uint32Array(BANDS);
  for (let band = 0; band < BANDS; band++) {
    let key = band;
    for (let row = 0; row < ROWS_PER_BAND; row++) key = scramble(imul(key, 31) + (signature[band * ROWS_PER_BAND + row] ?? 0));
    keys[band] = key;
  }
  return keys;
}

/** Of two rising lists. */
function jaccard(left: Uint32Array, right: Uint32Array): number {
  let [shared, i, j] = [0, 0, 0];
  while (i < left.length && j < right.length) {
    const [a = 0, b = 0] = [left[i], right[j]];
    if (a === b) shared++;
    if (a <= b) i++;
    if (b <= a) j++;
  }
  return shared / (left.length + right.length - shared);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** The finaliser of MurmurHash3. */
function scramble(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = imul(mixed, 0x85ebca6b);
  mixed = imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
