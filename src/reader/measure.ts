/**
 * Measures passages by all means that know the question's language: words, cosines, and the joint
 * reader.
 */
import { isEnglish } from "../text/languages.js";
import { dot, hybridScore, normalized, type Embedder } from "./embedder.js";
import type { ReadTogether } from "./joint-layout.js";
import {
  readExcerpts,
  readPassagesTogether,
  UNREAD,
  withoutExamples,
  type JointReading,
} from "./joint-reading.js";
import { passageText, type ReadablePassage } from "./reader.js";
import { measurePassage } from "./signals.js";
import type { ReaderWeights, SignalValues } from "./weights.js";

/** What a reader measures with. */
export interface Means {
  readonly embedder?: Embedder | undefined;
  /** The shipped encoder knows no other language. */
  readonly isEnglishOnly: boolean;
  readonly readTogether?: ReadTogether | undefined;
  readonly weights: ReaderWeights;
  /** Resolves to undefined if the encoder fails; only an abort rejects. */
  readonly attempt: <T>(
    work: () => Promise<T>,
    signal: AbortSignal | undefined,
  ) => Promise<T | undefined>;
}

/** What passages are measured for. */
interface Asked {
  readonly question: string;
  readonly passages: readonly ReadablePassage[];
  readonly signal?: AbortSignal | undefined;
}

interface Measured {
  readonly measured: readonly SignalValues[];
  /** By words alone, with cosines, or with the joint reader's log-odds too. */
  readonly kind: "lexical" | "trained" | "joint";
  /** In the order of the passages; absent without the joint reader. */
  readonly readings?: readonly JointReading[];
}

/** Measures whole passages. */
export async function measurePassages(means: Means, asked: Asked): Promise<Measured> {
  const { question, passages, signal } = asked;
  signal?.throwIfAborted();
  const words = passages.map((passage) => measurePassage(question, passage));
  const near = passages.length > 0 ? await cosines(means, asked) : undefined;
  if (near === undefined) return { measured: words, kind: "lexical" };
  const measured = words.map((signals, index) => ({ ...signals, cosine: near[index] ?? 0 }));
  const plain = passages.map(withoutExamples);
  const read = await readTogether(
    means,
    async (way) => {
      const readings = await readPassagesTogether(question, plain, way);
      return { readings, excerpts: await readExcerpts(question, plain, readings, way) };
    },
    signal,
  );
  if (read === undefined) return { measured, kind: "trained" };
  const { readings, excerpts } = read;
  const mostShared = Math.max(Number.MIN_VALUE, ...words.map(({ matched }) => matched));
  const together = measured.map((signals, index) => ({
    ...signals,
    joint: readings[index]?.passage ?? UNREAD,
    excerpt: excerpts[index] ?? UNREAD,
    found: passages[index]?.found ?? hybridScore(signals.matched / mostShared, signals.cosine),
  }));
  return { measured: together, kind: "joint", readings };
}

/** Returns the cosines of a question with passages; undefined if no encoder can give them. */
export async function cosines(
  { embedder, isEnglishOnly, attempt }: Means,
  { question, passages, signal }: Asked,
): Promise<number[] | undefined> {
  if (embedder === undefined || (isEnglishOnly && !isEnglish(question))) return undefined;
  return attempt(async () => {
    const [asked, read] = await Promise.all([
      embedder.embedQuery(question, signal),
      embedder.embedDocuments(passages.map(passageText), signal),
    ]);
    const query = normalized(asked);
    const near = read.map((vector) =>
      vector.length === query.length ? Math.max(0, dot(query, normalized(vector))) : NaN,
    );
    if (near.length === passages.length && !near.some(Number.isNaN)) return near;
    throw new Error("it returned invalid vectors");
  }, signal);
}

/** Has the joint reader read passages in the given way; undefined if it cannot. */
export async function readTogether<T>(
  { readTogether: together, attempt }: Means,
  way: (read: ReadTogether) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (together === undefined) return undefined;
  return attempt(() => way((pairs) => together(pairs, signal)), signal);
}
