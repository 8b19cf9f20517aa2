/** How the joint reader sees a question or claim with a passage: ids and places of parts. */

/** A question or claim with the sentences of one passage. */
export interface JointPair {
  readonly query: string;
  /** Title and headings of the passage. */
  readonly above: string;
  readonly sentences: readonly string[];
}

/** What the joint reader makes of a pair, the best of its windows: log-odds. */
export interface JointScores {
  /** The passage answers the question. */
  readonly passage: number;
  /** The sentence is (part of) the answer; those beyond the last window have none. */
  readonly sentences: readonly number[];
  /** The claim is supported. */
  readonly support: number;
}

/** Reads pairs together; one result each, in the order given. */
export type ReadTogether = (
  pairs: readonly JointPair[],
  signal?: AbortSignal,
) => Promise<JointScores[]>;

/** Tokens of each part at most; `passageTokens` includes the marks between sentences. */
type JointLimits = Readonly<
  Record<"queryTokens" | "aboveTokens" | "passageTokens" | "sentenceTokens", number>
>;

type Range = readonly [start: number, end: number];

/** Token ids, and where the query, the body (title and sentences) and each sentence stand. */
interface JointSequence {
  readonly ids: readonly number[];
  readonly query: Range;
  readonly body: Range;
  readonly sentences: readonly Range[];
}

/** Windows of one passage at most: one long text must not hold up a run. */
const MOST_WINDOWS = 6;

/**
 * Lays out `[CLS] query [SEP] title, headings [SEP] sentence [SEP] sentence … [SEP]`, in as many
 * windows of like length as the sentences need; no sentence is read twice. A window may exceed its
 * limit by half a sentence.
 * @param tokens ids of a text without marks
 */
export function layOut(
  { query, above, sentences }: JointPair,
  tokens: (text: string) => readonly number[],
  [begin, end]: readonly [begin: number, end: number],
  limits: JointLimits,
): JointSequence[] {
  const asked = [begin, ...tokens(query).slice(0, limits.queryTokens)];
  const head = [...asked, end, ...tokens(above).slice(0, limits.aboveTokens), end];
  const parts = sentences.map((text) => [...tokens(text).slice(0, limits.sentenceTokens), end]);
  const total = parts.reduce((sum, { length }) => sum + length, 0);
  const count = Math.max(1, Math.ceil(total / limits.passageTokens));
  const windows = Array.from({ length: Math.min(count, MOST_WINDOWS) }, () => ({
    ids: [...head],
    sentences: [] as Range[],
  }));
  let before = 0;
  for (const part of parts) {
    // A window begins where the middle of a sentence lies beyond its share.
    const window = windows[Math.floor(((before + part.length / 2) * count) / total)];
    if (window === undefined) break;
    const at = window.ids.length;
    window.ids.push(...part);
    window.sentences.push([at, Math.max(window.ids.length - 1, at + 1)]);
    before += part.length;
  }
  return windows.map((window) => ({
    ...window,
    query: [1, asked.length],
    body: [asked.length + 1, window.ids.length],
  }));
}

/** Makes arrays of a batch of texts' ids, padded with zeros. */
export function padded(rows: readonly (readonly number[])[]) {
  const width = Math.max(...rows.map(({ length }) => length));
  const size = rows.length * width;
  const [ids, mask] = [new BigInt64Array(size), new BigInt64Array(size)];
  for (const [row, tokens] of rows.entries()) {
    ids.set(tokens.map(BigInt), row * width);
    mask.fill(1n, row * width, row * width + tokens.length);
  }
  return { width, size, ids, mask };
}

/** Makes arrays of a batch of sequences; ranges are weights that sum to one. */
export function collate(rows: readonly JointSequence[]) {
  const { width, size, ids, mask } = padded(rows.map((row) => row.ids));
  const sentences = Math.max(1, ...rows.map((row) => row.sentences.length));
  const [query, body] = [new Float32Array(size), new Float32Array(size)];
  const spans = new Float32Array(size * sentences);
  const weigh = (into: Float32Array, offset: number, [start, end]: Range): void => {
    into.fill(1 / Math.max(1, end - start), offset + start, offset + end);
  };
  for (const [row, sequence] of rows.entries()) {
    const offset = row * width;
    weigh(query, offset, sequence.query);
    weigh(body, offset, sequence.body);
    for (const [at, range] of sequence.sentences.entries())
      weigh(spans, (row * sentences + at) * width, range);
  }
  return { width, sentences, ids, mask, query, body, spans };
}
