import table from "./word-vectors.json" with { type: "json" };

/** Half-bytes hold 0 to 14 for −7 to 7. */
const ZERO = 7;

/** The vectors stand side by side in one array: a set of passages has some 700 words, and to fetch each from a place of its own took longer than to compare them. */
interface Vectors {
  /** Row by word. */
  readonly rows: ReadonlyMap<string, number>;
  readonly packed: Buffer;
  /** Whole numbers from −7 to 7, `table.dimensions` to a row; filled when a row is first asked for. */
  readonly values: Int8Array;
  /** Euclidean length by row; 0 where the row is not filled. */
  readonly lengths: Float64Array;
}

let vectors: Vectors | undefined;

function open(): Vectors {
  const words = table.words.split(" ");
  return {
    rows: new Map(words.map((word, row) => [word, row])),
    packed: Buffer.from(table.packed, "base64"),
    values: new Int8Array(words.length * table.dimensions),
    lengths: new Float64Array(words.length),
  };
}

/** A word's place among others, by its row: words that stand in the same surroundings have vectors of the same direction. */
export type WordVector = number;

/**
 * The vector of a word in lower case, from a table of the 25,000 commonest English ones; undefined for what it does not hold: rare names, numbers,
 * other languages. Words and not stems, since stemming makes one of "author" and "authority". Distributional, GloVe (Pennington, Socher and
 * Manning 2014), so opposites are neighbours too.
 */
export function vectorOf(word: string): WordVector | undefined {
  const opened = (vectors ??= open());
  const row = opened.rows.get(word);
  if (row !== undefined && opened.lengths[row] === 0) fill(opened, row);
  return row;
}

function fill({ packed, values, lengths }: Vectors, row: number): void {
  let squares = 0;
  const from = row * table.dimensions;
  for (let index = from; index < from + table.dimensions; index += 1) {
    const byte = packed[index >> 1] ?? 0;
    const value = (index % 2 === 0 ? byte & 15 : byte >> 4) - ZERO;
    values[index] = value;
    squares += value * value;
  }
  lengths[row] = Math.sqrt(squares);
}

/** Two words of which so many dimensions give no more than this of the cosine are not alike: two of three pairs are done with after a quarter of the work. */
const FIRST_DIMENSIONS = 24;
const HARDLY = 0.02;

/** How alike two words are used: the cosine of their vectors, −1 to 1; 0 where the first dimensions say that it is small. */
export function likeness(a: WordVector, b: WordVector): number {
  const { values, lengths } = (vectors ??= open());
  const { dimensions } = table;
  const scale = (lengths[a] ?? 0) * (lengths[b] ?? 0) || 1;
  const begun = product(values, a * dimensions, b * dimensions, FIRST_DIMENSIONS);
  if (begun < HARDLY * scale) return 0;
  const rest = product(
    values,
    a * dimensions + FIRST_DIMENSIONS,
    b * dimensions + FIRST_DIMENSIONS,
    dimensions - FIRST_DIMENSIONS,
  );
  return (begun + rest) / scale;
}

function product(values: Int8Array, a: number, b: number, count: number): number {
  let sum = 0;
  for (let index = 0; index < count; index += 1)
    sum += (values[a + index] ?? 0) * (values[b + index] ?? 0);
  return sum;
}
