import table from "./word-vectors.json" with { type: "json" };

/** Half-bytes hold 0 to 14 for −7 to 7. */
const ZERO = 7;

interface Vectors {
  /** Row by word. */
  readonly rows: ReadonlyMap<string, number>;
  readonly packed: Buffer;
}

let vectors: Vectors | undefined;
const opened = (): Vectors =>
  (vectors ??= { rows: new Map(table.words.split(" ").map((word, row) => [word, row])), packed: Buffer.from(table.packed, "base64") });

/** A word's place among others: words that stand in the same surroundings have vectors of the same direction. */
export interface WordVector {
  /** Whole numbers from −7 to 7. */
  readonly values: Int8Array;
  /** Euclidean length of `values`. */
  readonly length: number;
}

/** At most as many as the table has rows: 2 MB. */
const unpacked = new Map<string, WordVector>();

/**
 * The vector of a word in lower case, from a table of the 25,000 commonest English ones; undefined for what it does not hold: rare names, numbers,
 * other languages. Words and not stems, since stemming makes one of "author" and "authority". Distributional, GloVe (Pennington, Socher and
 * Manning 2014), so opposites are neighbours too.
 */
export function vectorOf(word: string): WordVector | undefined {
  const known = unpacked.get(word);
  if (known !== undefined) return known;
  const { rows, packed } = opened();
  const row = rows.get(word);
  if (row === undefined) return undefined;
  const { dimensions } = table;
  const values = new Int8Array(dimensions);
  let squares = 0;
  for (let index = 0; index < dimensions; index++) {
    const byte = packed[(row * dimensions + index) >> 1] ?? 0;
    const value = (index % 2 === 0 ? byte & 15 : byte >> 4) - ZERO;
    values[index] = value;
    squares += value * value;
  }
  const vector = { values, length: Math.sqrt(squares) };
  unpacked.set(word, vector);
  return vector;
}

/** Two words of which so many dimensions give no more than this of the cosine are not alike: two of three pairs are done with after a quarter of the work. */
const FIRST_DIMENSIONS = 24;
const HARDLY = 0.02;

/** How alike two words are used: the cosine of their vectors, −1 to 1; 0 where the first dimensions say that it is small. */
export function likeness(a: WordVector, b: WordVector): number {
  const scale = a.length * b.length || 1;
  const begun = product(a.values, b.values, 0, FIRST_DIMENSIONS);
  return begun < HARDLY * scale ? 0 : (begun + product(a.values, b.values, FIRST_DIMENSIONS, a.values.length)) / scale;
}

function product(a: Int8Array, b: Int8Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
