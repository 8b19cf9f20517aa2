/**
 * Measures passages by all means that know the question's language: words, cosines, and the joint
 * reader.
 */
import { isEnglish } from "../text/languages.js";
import { questionsIn } from "../text/sentences.js";
import { dot, hybridScore, normalized, type Embedder } from "./embedder.js";
import type { ReadTogether } from "./joint-layout.js";
import {
  readExcerpts,
  readPassagesTogether,
  UNREAD,
  withoutExamples,
  type JointReading,
} from "./joint-reading.js";
import { passageText, unitPassages, type ReadablePassage, type UnitPassage } from "./reader.js";
import { measurePassage, ranking } from "./signals.js";
import { logOdds, type ReaderWeights, type SignalValues } from "./weights.js";

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
interface Asked<Passage = ReadablePassage> {
  readonly question: string;
  readonly passages: readonly Passage[];
  readonly signal?: AbortSignal | undefined;
}

interface Measured {
  readonly measured: readonly SignalValues[];
  /** By words alone, with cosines, or with the joint reader's log-odds too. */
  readonly kind: "lexical" | "trained" | "joint";
  /** In the order of the passages; absent without the joint reader. */
  readonly readings?: readonly JointReading[];
}

/** Measures whole passages, each by the way to ask that it answers better. */
export async function measurePassages(means: Means, asked: Asked): Promise<Measured> {
  const { question, passages } = asked;
  const whole = await measureAsked(means, asked);
  const [alone, another] = questionsIn(question);
  if (alone === undefined || another !== undefined || passages.length === 0) return whole;
  const other = await measureAsked(means, { ...asked, question: alone });
  if (whole.kind !== other.kind) return whole;
  const odds = ({ measured, kind }: Measured): number[] =>
    measured.map((signals) => logOdds(signals, means.weights[kind].passage));
  const [byWhole, byOther] = [odds(whole), odds(other)];
  const better = byWhole.map((value, at) => (value >= (byOther[at] ?? value) ? whole : other));
  const readings = better.flatMap((way, at) => way.readings?.[at] ?? []);
  return {
    kind: whole.kind,
    measured: better.map(({ measured }, at) => measured[at] ?? {}),
    ...(readings.length === passages.length && { readings }),
  };
}

async function measureAsked(means: Means, asked: Asked): Promise<Measured> {
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

/** An embedding service is paid for each unit of a passage. */
const MOST_UNITS = 16;

/** Measures the units of passages by words, and by cosines too those that share most. */
export async function measureUnits(
  means: Means,
  { question, passages, signal }: Asked<UnitPassage>,
): Promise<SignalValues[]> {
  const units = passages.flatMap(unitPassages);
  const words: SignalValues[] = units.map((unit) => measurePassage(question, unit));
  const likely = ranking(words.map((signals) => logOdds(signals, means.weights.lexical.sentence)));
  const read = likely.slice(0, MOST_UNITS);
  const chosen = read.flatMap((index) => units[index] ?? []);
  const { measured } = await measurePassages(means, { question, passages: chosen, signal });
  for (const [at, index] of read.entries()) words[index] = measured[at] ?? {};
  return words;
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
