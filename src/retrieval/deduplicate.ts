/**
 * Near-duplicate removal: of few texts every pair is compared; of many, MinHash with locality-sensitive hashing finds the pairs worth comparing
 * (Broder 1997; Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", ch. 3).
 */
import { memoised } from "../text/memo.js";

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

/** Up to here comparing all pairs is quicker than making signatures: most differ too much in length to be compared at all. */
const FEW = 100;

/**
 * Leaves out each item whose text is nearly the same as that of an item before it, so of a ranked list the better one stays.
 * Case, punctuation and white space do not count. Texts without words are never duplicates.
 * @example removeNearDuplicates(hits, (hit) => hit.passage.text)
 */
export function removeNearDuplicates<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const isDuplicate = items.length <= FEW ? comparingAll() : comparingLikely();
  return items.filter((item) => {
    const shingles = shinglesOf(textOf(item));
    return shingles.length === 0 || !isDuplicate(shingles);
  });
}

/** Says whether a text is nearly the same as one that was asked about before. */
type Comparison = (shingles: Uint32Array) => boolean;

function comparingAll(): Comparison {
  const kept: Uint32Array[] = [];
  return (shingles) => {
    if (kept.some((known) => isSimilar(known, shingles))) return true;
    kept.push(shingles);
    return false;
  };
}

function comparingLikely(): Comparison {
  const buckets = new Map<number, Uint32Array[]>();
  return (shingles) => {
    const keys = bandKeys(minHash(shingles));
    const candidates = new Set<Uint32Array>();
    for (const key of keys)
      for (const candidate of buckets.get(key) ?? []) candidates.add(candidate);
    for (const candidate of candidates) if (isSimilar(candidate, shingles)) return true;
    for (const key of keys) {
      const bucket = buckets.get(key);
      if (bucket === undefined) buckets.set(key, [shingles]);
      else bucket.push(shingles);
    }
    return false;
  };
}

/** Hashes of the shingles, rising, each once. The rounds of a run, and runs after another, see the same passages again. */
const shinglesOf: (text: string) => Uint32Array = memoised({
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

/** The least of each of the hash functions `a·x + b`, scrambled; what two sets have in common shows in how often these agree. */
function minHash(hashes: Uint32Array): Uint32Array {
  const signature = new Uint32Array(HASHES).fill(0xffffffff);
  for (const hash of hashes) {
    for (let index = 0; index < HASHES; index++) {
      const value = scramble(
        imul(hash, COEFFICIENTS[index * 2] ?? 1) + (COEFFICIENTS[index * 2 + 1] ?? 0),
      );
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
    for (let row = 0; row < ROWS_PER_BAND; row++)
      key = scramble(imul(key, 31) + (signature[band * ROWS_PER_BAND + row] ?? 0));
    keys[band] = key;
  }
  return keys;
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
    hash = imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** The finaliser of MurmurHash3. */
function scramble(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = imul(mixed, 0x85ebca6b);
  mixed = imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
