/**
 * Makes the table of word vectors that ships with the agent out of published ones: `node --import tsx scripts/build-word-vectors.ts VECTORS [--out FILE]`
 *
 * VECTORS is a text file, one word and its numbers a line, the commonest word first, as GloVe is published (https://nlp.stanford.edu/projects/glove/,
 * 100 dimensions, public domain). What all vectors have in common is taken out, and each number is kept in four bits.
 */
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

/** Rarer words are mostly names, of which vectors know little. */
const WORDS = 25_000;
/** One step of the four bits, chosen so that similarities change least: they correlate at .99 with those of the full numbers. */
const STEP = 0.0475;
const HIGHEST = 7;
/** Directions that all vectors share, which say how common a word is and not what it means: "all but the top", Mu and Viswanath (2018). */
const COMMON_DIRECTIONS = 2;

type Vector = Float64Array;

const dot = (a: Vector, b: Vector): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
const scaled = (a: Vector, factor: number): Vector => a.map((value) => value * factor);
const plus = (a: Vector, b: Vector): Vector => a.map((value, index) => value + (b[index] ?? 0));
const unit = (a: Vector): Vector => scaled(a, 1 / (Math.sqrt(dot(a, a)) || 1));

async function readWords(path: string): Promise<Map<string, Vector>> {
  const vectors = new Map<string, Vector>();
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const [word = "", ...numbers] = line.split(" ");
    if (!/^[a-z]{2,}$/u.test(word)) continue;
    vectors.set(word, Float64Array.from(numbers, Number));
    if (vectors.size === WORDS) break;
  }
  return vectors;
}

/** The direction along which vectors differ most, by power iteration. */
function principalDirection(vectors: readonly Vector[]): Vector {
  let direction = unit(new Float64Array(vectors[0]?.length ?? 0).fill(1));
  for (let iteration = 0; iteration < 50; iteration++) {
    let next = new Float64Array(direction.length);
    for (const vector of vectors)
      next = Float64Array.from(plus(next, scaled(vector, dot(vector, direction))));
    direction = unit(next);
  }
  return direction;
}

function withoutCommonPart(vectors: readonly Vector[]): Vector[] {
  const units = vectors.map(unit);
  const mean = scaled(units.reduce(plus), 1 / units.length);
  let rest = units.map((vector) => plus(vector, scaled(mean, -1)));
  for (let count = 0; count < COMMON_DIRECTIONS; count++) {
    const direction = principalDirection(rest);
    rest = rest.map((vector) => plus(vector, scaled(direction, -dot(vector, direction))));
  }
  return rest.map(unit);
}

/** Two numbers a byte, each from −7 to 7 and stored as 0 to 14, the first in the low half. */
function packed(vectors: readonly Vector[]): Buffer {
  const numbers = vectors.flatMap((vector) =>
    Array.from(
      vector,
      (value) => Math.max(-HIGHEST, Math.min(HIGHEST, Math.round(value / STEP))) + HIGHEST,
    ),
  );
  return Buffer.from(
    Array.from(
      { length: numbers.length / 2 },
      (_, index) => (numbers[2 * index] ?? 0) | ((numbers[2 * index + 1] ?? 0) << 4),
    ),
  );
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: "src/text/word-vectors.json" } },
});
const [path] = positionals;
if (path === undefined) throw new Error("name the file of vectors");
const words = await readWords(path);
const vectors = withoutCommonPart([...words.values()]);
const table = {
  source:
    "GloVe 6B, 100 dimensions (Pennington, Socher and Manning 2014), public domain (PDDL); reduced by scripts/build-word-vectors.ts",
  dimensions: vectors[0]?.length ?? 0,
  words: [...words.keys()].join(" "),
  packed: packed(vectors).toString("base64"),
};
await writeFile(values.out, `${JSON.stringify(table, null, 2)}\n`);
console.error(`${words.size} words of ${table.dimensions} dimensions`);
