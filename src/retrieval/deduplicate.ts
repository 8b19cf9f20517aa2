/** Near-duplicate removal by MinHash with locality-sensitive hashing (Broder 1997; Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", ch. 3). */

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

/**
 * Leaves out each item whose text is nearly the same as that of an item before it, so of a ranked list the better one stays.
 * Case, punctuation and white space do not count. Texts without words are never duplicates.
 * @example removeNearDuplicates(hits, (hit) => hit.passage.text)
 */
export function removeNearDuplicates<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const buckets = new Map<string, number[]>();
  const kept: Set<number>[] = [];
  return items.filter((item) => {
    const words = textOf(item)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu);
    if (words === null) return true;
    const shingles = new Set(shingleHashes(words));
    const keys = bandKeys(minHash(shingles));
    const candidates = new Set(keys.flatMap((key) => buckets.get(key) ?? []));
    for (const candidate of candidates) {
      const known = kept[candidate];
      if (known !== undefined && jaccard(known, shingles) >= DUPLICATE_FROM) return false;
    }
    const index = kept.push(shingles) - 1;
    for (const key of keys) buckets.set(key, [...(buckets.get(key) ?? []), index]);
    return true;
  });
}

function shingleHashes(words: readonly string[]): Uint32Array {
  const count = Math.max(1, words.length - SHINGLE_WORDS + 1);
  const hashes = new Uint32Array(count);
  for (let index = 0; index < count; index++) hashes[index] = fnv1a(words.slice(index, index + SHINGLE_WORDS).join(" "));
  return hashes;
}

/** The least of each of the hash functions `a·x + b`, scrambled; what two sets have in common shows in how often these agree. */
function minHash(hashes: ReadonlySet<number>): Uint32Array {
  const signature = new Uint32Array(HASHES).fill(0xffffffff);
  for (const hash of hashes) {
    for (let index = 0; index < HASHES; index++) {
      const value = scramble(imul(hash, COEFFICIENTS[index * 2] ?? 1) + (COEFFICIENTS[index * 2 + 1] ?? 0));
      if (value < (signature[index] ?? 0)) signature[index] = value;
    }
  }
  return signature;
}

function bandKeys(signature: Uint32Array): string[] {
  return Array.from(
    { length: BANDS },
    (_, band) => `${band}:${signature.slice(band * ROWS_PER_BAND, (band + 1) * ROWS_PER_BAND).join(",")}`,
  );
}

function jaccard(left: ReadonlySet<number>, right: ReadonlySet<number>): number {
  let shared = 0;
  for (const shingle of left) if (right.has(shingle)) shared++;
  return shared / (left.size + right.size - shared);
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
