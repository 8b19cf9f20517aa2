/** How the joint reader sees a question or claim together with a passage: ids and places of parts. */

/** A question or claim with the sentences of one passage. */
export interface JointPair {
  readonly query: string;
  /** Title and headings of the passage. */
  readonly above: string;
  readonly sentences: readonly string[];
}

/** What the joint reader makes of a pair: log-odds. */
export interface JointScores {
  /** The passage answers the question. */
  readonly passage: number;
  /** The sentence is (part of) the answer; sentences beyond the limit of tokens have none. */
  readonly sentences: readonly number[];
  /** The claim is supported. */
  readonly support: number;
}

/** Tokens of each part at most; `passageTokens` includes the marks between sentences. */
export type JointLimits = Readonly<
  Record<"queryTokens" | "aboveTokens" | "passageTokens" | "sentenceTokens", number>
>;

type Range = readonly [start: number, end: number];

/** Token ids, and where the query, the body (title and sentences) and each sentence stand. */
export interface JointSequence {
  readonly ids: readonly number[];
  readonly query: Range;
  readonly body: Range;
  readonly sentences: readonly Range[];
}

/** Fewer tokens than this are no sentence any more. */
const LEAST_LEFT = 4;

/**
 * Lays out `[CLS] query [SEP] title, headings [SEP] sentence [SEP] sentence … [SEP]`.
 * @param tokens ids of a text without marks
 */
export function layOut(
  { query, above, sentences }: JointPair,
  tokens: (text: string) => readonly number[],
  [begin, end]: readonly [begin: number, end: number],
  limits: JointLimits,
): JointSequence {
  const ids = [begin, ...tokens(query).slice(0, limits.queryTokens)];
  const asked: Range = [1, ids.length];
  ids.push(end);
  const start = ids.length;
  ids.push(...tokens(above).slice(0, limits.aboveTokens), end);
  const first = ids.length;
  const places: Range[] = [];
  for (const sentence of sentences) {
    const left = limits.passageTokens - (ids.length - first);
    if (left < LEAST_LEFT) break;
    const at = ids.length;
    ids.push(...tokens(sentence).slice(0, Math.min(limits.sentenceTokens, left)));
    places.push([at, Math.max(ids.length, at + 1)]);
    ids.push(end);
  }
  return { ids, query: asked, body: [start, ids.length], sentences: places };
}

/** Makes arrays of a batch of sequences, padded with zeros; ranges are weights that sum to one. */
export function collate(rows: readonly JointSequence[]) {
  const width = Math.max(...rows.map(({ ids }) => ids.length));
  const sentences = Math.max(1, ...rows.map((row) => row.sentences.length));
  const size = rows.length * width;
  const [ids, mask] = [new BigInt64Array(size), new BigInt64Array(size)];
  const [query, body] = [new Float32Array(size), new Float32Array(size)];
  const spans = new Float32Array(size * sentences);
  const weigh = (into: Float32Array, offset: number, [start, end]: Range): void => {
    into.fill(1 / Math.max(1, end - start), offset + start, offset + end);
  };
  for (const [row, sequence] of rows.entries()) {
    const offset = row * width;
    ids.set(sequence.ids.map(BigInt), offset);
    mask.fill(1n, offset, offset + sequence.ids.length);
    weigh(query, offset, sequence.query);
    weigh(body, offset, sequence.body);
    for (const [at, range] of sequence.sentences.entries())
      weigh(spans, (row * sentences + at) * width, range);
  }
  return { width, sentences, ids, mask, query, body, spans };
}
