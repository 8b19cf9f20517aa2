import { existsSync } from "node:fs";
import { reasonOf } from "../support/errors.js";
import { createPauses } from "../support/waiting.js";
import { contentTerms } from "../text/analyse.js";
import { isEnglish, withoutForeignFunctionWords } from "../text/languages.js";
import { asks, questionsIn } from "../text/sentences.js";
import { dot, fromEmbeddings, hybridScore, normalized, type EmbeddingsLike } from "./embedder.js";
import { createEncoder } from "./encoder.js";
import { SHIPPED_ENCODER } from "./encoder-files.js";
import {
  LEAST_OF_SENTENCE,
  LONGEST_LEAD,
  preferNearer,
  QUOTED,
  readExcerpts,
  readPassagesTogether,
  scoreIn,
  UNREAD,
  withoutExamples,
  type JointReading,
} from "./joint-reading.js";
import type { JointPair, JointScores } from "./joint-layout.js";
import {
  passageText,
  unitPassages,
  type ClaimSupport,
  type ReadablePassage,
  type Reader,
  type UnitPassage,
} from "./reader.js";
import { ranking, likeliestFor, measurePassage, measureSet, measureSupport } from "./signals.js";
import {
  logOdds,
  probability,
  SHIPPED_WEIGHTS,
  sigmoid,
  type ReaderWeights,
  type SignalValues,
} from "./weights.js";

export interface ReaderOptions {
  /** `trained` (default), `lexical`, or the folder of your own encoder. */
  readonly model?: string;
  /** LangChain's `Embeddings` in place of the encoder. */
  readonly embeddings?: EmbeddingsLike;
  /** Fitted by `calibrate`; the shipped ones by default. */
  readonly weights?: ReaderWeights;
  /** Told when the encoder does not run. */
  readonly notice?: (message: string) => void;
}

/** An embedding service may recover; an encoder that failed fails at once. */
const PAUSE_AFTER_FAILURE_IN_MS = 60_000;

/**
 * Creates a reader. Nothing is loaded before its first use.
 * @throws UserError when the folder named holds no encoder
 * @example
 * const reader = createReader({ model: "lexical" });
 * const passages = [{ title: "Emma", text: "…" }];
 * await reader.relevance({ question: "Who wrote Emma?", passages });
 */
export function createReader({
  model = "trained",
  embeddings,
  weights = SHIPPED_WEIGHTS,
  notice = () => undefined,
}: ReaderOptions = {}): Reader {
  const isMissing = !embeddings && model === "trained" && !existsSync(SHIPPED_ENCODER);
  if (isMissing) notice("the encoder is not in this package: evidence is judged by words alone");
  const name = embeddings ? "embeddings" : isMissing ? "lexical" : model;
  const encoder =
    embeddings || name === "lexical"
      ? undefined
      : createEncoder(name === "trained" ? SHIPPED_ENCODER : name);
  const embedder = embeddings ? fromEmbeddings(embeddings) : encoder;
  let pausedUntil = 0;

  /** Resolves to undefined, with a notice, if the encoder fails; only an abort rejects. */
  const attempt = async <T>(
    work: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T | undefined> => {
    if (performance.now() < pausedUntil) return undefined;
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      pausedUntil = performance.now() + PAUSE_AFTER_FAILURE_IN_MS;
      notice(`the encoder does not run (${reasonOf(error)}): evidence is judged by words alone`);
      return undefined;
    }
  };

  /** Returns the cosines of a question with passages; undefined if no encoder can give them. */
  const cosines = async (
    question: string,
    passages: readonly ReadablePassage[],
    signal: AbortSignal | undefined,
  ): Promise<number[] | undefined> => {
    // The shipped encoder knows only English.
    if (embedder === undefined || (name === "trained" && !isEnglish(question))) return undefined;
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
  };

  /** Has the joint reader read passages in the given way; undefined if it cannot. */
  const readTogether = async <T>(
    way: (read: (pairs: readonly JointPair[]) => Promise<JointScores[]>) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T | undefined> => {
    if (encoder?.readTogether === undefined) return undefined;
    return attempt(
      () => way(async (pairs) => (await encoder.readTogether?.(pairs, signal)) ?? []),
      signal,
    );
  };

  /** Measures whole passages, each by the way to ask that it answers better. */
  const measure: Measuring = async (question, passages, signal) => {
    const whole = await measureOne(question, passages, signal);
    const [alone, another] = questionsIn(question);
    if (alone === undefined || another !== undefined || passages.length === 0) return whole;
    const other = await measureOne(alone, passages, signal);
    if (whole.kind !== other.kind) return whole;
    const odds = ({ measured }: Measured): number[] =>
      measured.map((signals) => logOdds(signals, weights[whole.kind].passage));
    const [byWhole, byOther] = [odds(whole), odds(other)];
    const better = byWhole.map((value, at) => (value >= (byOther[at] ?? value) ? whole : other));
    const readings = better.flatMap((way, at) => way.readings?.[at] ?? []);
    return {
      kind: whole.kind,
      measured: better.map(({ measured }, at) => measured[at] ?? {}),
      ...(readings.length === passages.length && { readings }),
    };
  };

  /** Measures by all means that know the language. */
  const measureOne: Measuring = async (question, passages, signal) => {
    signal?.throwIfAborted();
    const words = passages.map((passage) => measurePassage(question, passage));
    const near = passages.length > 0 ? await cosines(question, passages, signal) : undefined;
    if (near === undefined) return { measured: words, kind: "lexical" };
    const measured = words.map((signals, index) => ({ ...signals, cosine: near[index] ?? 0 }));
    const plain = passages.map(withoutExamples);
    const read = await readTogether(async (way) => {
      const readings = await readPassagesTogether(question, plain, way);
      return { readings, excerpts: await readExcerpts(question, plain, readings, way) };
    }, signal);
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
  };

  /** Measures the units of passages by words, and by cosines too those that share most. */
  const measureUnits = async (
    question: string,
    passages: readonly UnitPassage[],
    signal: AbortSignal | undefined,
  ): Promise<SignalValues[]> => {
    const units = passages.flatMap(unitPassages);
    const words: SignalValues[] = units.map((unit) => measurePassage(question, unit));
    const likely = ranking(words.map((signals) => logOdds(signals, weights.lexical.sentence)));
    const read = likely.slice(0, MOST_UNITS);
    const { measured } = await measure(
      question,
      read.flatMap((index) => units[index] ?? []),
      signal,
    );
    for (const [at, index] of read.entries()) words[index] = measured[at] ?? {};
    return words;
  };

  return {
    name,
    ...(embedder && {
      model: embedder.model,
      async embed(texts, signal, kind) {
        const vectors =
          kind === "question"
            ? await Promise.all(texts.map((text) => embedder.embedQuery(text, signal)))
            : await embedder.embedDocuments(texts, signal);
        return vectors.map(normalized);
      },
    }),
    ...(encoder && {
      remember: (passages, vectors) => encoder.remember(passages.map(passageText), vectors),
      prepare: () => encoder.prepare(),
    }),

    async relevance({ question, passages, signal }) {
      if (passages.length === 0) return { value: 0, passages: [] };
      const { measured, kind } = await measure(question, passages, signal);
      const set = logOdds(measureSet(measured), weights[kind].set);
      const { slope, offset } = weights.otherLanguages;
      const isSure = kind !== "lexical" || isEnglish(question);
      const bare = withoutForeignFunctionWords(question);
      return {
        value: sigmoid(isSure ? set : slope * set + offset),
        passages: passages.map((passage, at) => {
          const signals = {
            ...measured[at],
            // "Die" is in every German passage.
            ...(bare !== question && measurePassage(bare, passage)),
          };
          return { value: probability(signals, weights[kind].passage), signals };
        }),
      };
    },

    async read({ question, passages, signal }) {
      const { measured, kind, readings } = await measure(question, passages, signal);
      const alone = readings ? [] : await measureUnits(question, passages, signal);
      const units = passages.map(({ units }, index) =>
        units.map((place) => {
          const signals = readings ? { answer: scoreIn(readings[index], place) } : alone.shift();
          // As in a list of review questions: a question answers nothing.
          if (asks(place.text)) return UNREAD;
          return logOdds(signals ?? {}, weights[kind].sentence);
        }),
      );
      const odds = measured.map((signals) => logOdds(signals, weights[kind].passage));
      const order = ranking(odds);
      const [first = -1, second = -1] = order;
      const sentence = Math.max(...(units[first] ?? []));
      const passage = odds[first] ?? 0;
      const lead = Math.min(LONGEST_LEAD, passage - (odds[second] ?? -Infinity));
      const excerpt = measured[first]?.["excerpt"] ?? 0;
      const signals = { passage, lead, sentence, excerpt };
      const near = (texts: readonly ReadablePassage[]) => cosines(question, texts, signal);
      const chosen = readings ? await preferNearer({ passages, order, odds: units }, near) : units;
      // Words and cosines do not tell a right quotation from a wrong one.
      const isSure = kind === "joint" && sentence >= LEAST_OF_SENTENCE;
      return {
        passages: odds.map((value, index) => ({
          value: sigmoid(value),
          units: (chosen[index] ?? []).map(sigmoid),
        })),
        order,
        confidence: isSure ? probability(signals, weights.joint.assertion) : 0,
      };
    },

    async support({ claims, evidence, question = "", signal, hurry }) {
      const pause = createPauses(signal);
      const known = new Set(contentTerms(question));
      const supports: ClaimSupport[] = [];
      const todo = claims.entries();
      const work = async (): Promise<void> => {
        for (const [index, claim] of todo) {
          await pause();
          const { signals: words, best, isQuoted } = measureSupport(claim, evidence, known);
          const isRead = !isQuoted && isEnglish(claim) && hurry?.aborted !== true;
          const likely = isRead ? likeliestFor(claim, evidence) : [];
          const readings =
            likely.length > 0
              ? await readTogether((read) => readPassagesTogether(claim, likely, read), signal)
              : undefined;
          const signals = readings
            ? { ...words, joint: Math.max(...readings.map(({ support }) => support)) }
            : words;
          const byWords = probability(words, weights.lexical.support);
          const judged = readings ? probability(signals, weights.joint.support) : byWords;
          const value = isQuoted ? QUOTED : judged;
          const sense = words["window"] === 1 ? signals["joint"] : undefined;
          supports[index] = { value, words: byWords, sense, signals, best };
        }
      };
      // One claim each is read by the encoder's threads, of which there may be more.
      await Promise.all([work(), work()]);
      return supports;
    },

    async close() {
      await encoder?.close?.();
    },
  };
}

/** An embedding service is paid for each unit of a passage. */
const MOST_UNITS = 16;

/** What passages are measured by: words, with cosines, and with a joint reader. */
type Kind = "lexical" | "trained" | "joint";
type Measured = { measured: SignalValues[]; kind: Kind; readings?: JointReading[] };
type Measuring = (
  question: string,
  passages: readonly ReadablePassage[],
  signal: AbortSignal | undefined,
) => Promise<Measured>;
