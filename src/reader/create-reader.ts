import { existsSync } from "node:fs";
import { reasonOf } from "../support/errors.js";
import { contentTerms } from "../text/analyse.js";
import { isEnglish } from "../text/languages.js";
import { dot, fromEmbeddings, normalized, type EmbeddingsLike } from "./embedder.js";
import { createEncoder, type Encoder } from "./encoder.js";
import { SHIPPED_ENCODER } from "./encoder-files.js";
import {
  assertionSignals,
  readPassagesTogether,
  scoreIn,
  signalsOf,
  withoutExamples,
  type JointReading,
} from "./joint-reading.js";
import { passageText, type PassageRelevance, type ReadablePassage, type Reader } from "./reader.js";
import { measurePassage, measureSet, measureSupport } from "./signals.js";
import {
  logOdds,
  probability,
  SHIPPED_WEIGHTS,
  sigmoid,
  type LogisticModel,
  type ReaderWeights,
  type Signals,
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
 * await reader.relevance({ question: "Who wrote Emma?", passages: [{ title: "Emma", text: "…" }] });
 */
export function createReader({
  model = "trained",
  embeddings,
  weights = SHIPPED_WEIGHTS,
  notice = () => undefined,
}: ReaderOptions = {}): Reader {
  const isMissing = !embeddings && model === "trained" && !existsSync(SHIPPED_ENCODER);
  if (isMissing) notice("the encoder is not in this package: evidence is judged by words alone");
  const kind = isMissing ? "lexical" : model;
  const name = embeddings ? "embeddings" : kind;
  const encoder = embeddings ? undefined : encoderOf(kind);
  const embedder = embeddings ? fromEmbeddings(embeddings) : encoder;
  let pausedUntil = 0;
  /** The cosines of a question with passages; undefined if no encoder can give them. */
  const cosines = async (
    question: string,
    passages: readonly ReadablePassage[],
    signal?: AbortSignal,
  ): Promise<number[] | undefined> => {
    const isPaused = performance.now() < pausedUntil;
    // The shipped encoder knows only English.
    const knows = name !== "trained" || isEnglish(question);
    if (embedder === undefined || isPaused || !knows) return undefined;
    try {
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
    } catch (error) {
      signal?.throwIfAborted();
      pausedUntil = performance.now() + PAUSE_AFTER_FAILURE_IN_MS;
      notice(`the encoder does not run (${reasonOf(error)}): evidence is judged by words alone`);
      return undefined;
    }
  };

  /** Measures passages, or single units, each on its own; cosines where an encoder gives them. */
  const measure = async ({
    question,
    passages,
    unit = "passage",
    signal,
  }: {
    question: string;
    passages: readonly ReadablePassage[];
    unit?: "passage" | "sentence";
    signal?: AbortSignal;
  }): Promise<{ measured: Signals[]; kind: "trained" | "lexical" }> => {
    signal?.throwIfAborted();
    if (passages.length === 0) return { measured: [], kind: "lexical" };
    const words = passages.map((passage) => measurePassage(question, passage));
    const read =
      unit === "sentence" ? likeliest(words, weights.lexical.sentence) : [...passages.keys()];
    const readable = read.flatMap((index) => {
      const { text = "", ...above } = passages[index] ?? { title: "" };
      return { ...above, text: unit === "sentence" ? text.slice(0, MOST_OF_SENTENCE) : text };
    });
    const near = await cosines(question, readable, signal);
    const cosineAt = new Map(near?.map((value, at) => [read[at], value]));
    const measured = words.map((signals, index) => {
      const cosine = cosineAt.get(index);
      return cosine === undefined ? signals : { ...signals, cosine };
    });
    return { measured, kind: near === undefined ? "lexical" : "trained" };
  };
  const judged = (signals: Signals, unit: "passage" | "sentence"): PassageRelevance => {
    const kind = "joint" in signals ? "joint" : "cosine" in signals ? "trained" : "lexical";
    return { value: probability(signals, weights[kind][unit]), signals };
  };

  /** Has the joint reader read whole passages; undefined if it cannot. */
  const together = async (
    query: string,
    passages: readonly ReadablePassage[],
    signal?: AbortSignal,
  ): Promise<JointReading[] | undefined> => {
    if (encoder?.readTogether === undefined || performance.now() < pausedUntil) return undefined;
    try {
      return await readPassagesTogether(query, passages, (pairs) =>
        encoder.readTogether?.(pairs, signal),
      );
    } catch (error) {
      signal?.throwIfAborted();
      pausedUntil = performance.now() + PAUSE_AFTER_FAILURE_IN_MS;
      notice(`the joint reader does not run (${reasonOf(error)}): evidence is judged without it`);
      return undefined;
    }
  };
  /** Measures whole passages, with the joint reader where it knows the language. */
  const measureWhole = async (
    question: string,
    passages: readonly ReadablePassage[],
    signal?: AbortSignal,
  ) => {
    const { measured, kind } = await measure({ question, passages, signal });
    const readings =
      kind === "trained"
        ? await together(question, passages.map(withoutExamples), signal)
        : undefined;
    if (readings === undefined) return { measured, kind };
    const withReadings = measured.map((signals, index) => {
      const reading = readings[index];
      return reading === undefined ? signals : { ...signals, ...signalsOf(reading) };
    });
    return { measured: withReadings, kind: "joint" as const, readings };
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
    }),

    async relevance({ question, passages, signal }) {
      if (passages.length === 0) return { value: 0, passages: [] };
      const { measured, kind } = await measureWhole(question, passages, signal);
      const set = logOdds(measureSet(measured), weights[kind].set);
      const { slope, offset } = weights.otherLanguages;
      const isSure = kind !== "lexical" || isEnglish(question);
      const value = sigmoid(isSure ? set : slope * set + offset);
      return { value, passages: measured.map((signals) => judged(signals, "passage")) };
    },

    async read({ question, passages, signal }) {
      const { measured, readings } = await measureWhole(question, passages, signal);
      const whole = measured.map((signals) => judged(signals, "passage").value);
      if (readings !== undefined) {
        const read = passages.map(({ units }, index) => ({
          value: whole[index] ?? 0,
          units: units.map((place) =>
            probability({ answer: scoreIn(readings[index], place) }, weights.joint.sentence),
          ),
        }));
        const order = [...whole.keys()].sort((a, b) => (whole[b] ?? 0) - (whole[a] ?? 0));
        const signals = assertionSignals(order.map((index) => measured[index] ?? {}));
        const hasUnit = (read[order[0] ?? -1]?.units.length ?? 0) > 0;
        const confidence = hasUnit ? probability(signals, weights.joint.assertion) : 0;
        return { passages: read, order, confidence, signals };
      }
      const units = passages.flatMap(({ title, headings = [], units }) =>
        units.map(({ text, headings: inside = [] }) => ({
          title,
          headings: [...headings, ...inside],
          text,
        })),
      );
      const single = await measure({ question, passages: units, unit: "sentence", signal });
      let next = 0;
      const read = passages.map(({ units }, index) => ({
        value: whole[index] ?? 0,
        units: units.map(() => judged(single.measured[next++] ?? {}, "sentence").value),
      }));
      const both = read.map(({ value, units }) => meanOdds(value, Math.max(0, ...units)));
      const order = [...read.keys()].sort((a, b) => (both[b] ?? 0) - (both[a] ?? 0));
      const [first = -1] = order;
      const hasUnit = (read[first]?.units.length ?? 0) > 0;
      return { passages: read, order, confidence: hasUnit ? (both[first] ?? 0) : 0 };
    },

    async support({ claims, evidence, question = "", signal }) {
      signal?.throwIfAborted();
      const known = new Set(contentTerms(question));
      const found = claims.map((claim) => measureSupport(claim, evidence, known));
      const read: Signals[] = [];
      for (const claim of claims) {
        const likely = isEnglish(claim) ? likeliestFor(claim, evidence) : [];
        const readings = likely.length > 0 ? await together(claim, likely, signal) : undefined;
        read.push(
          readings === undefined
            ? {}
            : { joint: Math.max(...readings.map(({ support }) => support)) },
        );
      }
      return found.map(({ signals: words, best }, index) => {
        const signals = { ...words, ...read[index] };
        const model = "joint" in signals ? weights.joint : weights.lexical;
        return { value: probability(signals, model.support), signals, best };
      });
    },

    async close() {
      await encoder?.close?.();
    },
  };
}

/** The joint reader checks a claim against this many passages, those that share most with it. */
const MOST_FOR_CLAIM = 2;

function likeliestFor(claim: string, evidence: readonly ReadablePassage[]): ReadablePassage[] {
  return evidence
    .map((item) => ({ item, window: measureSupport(claim, [item]).signals["window"] ?? 0 }))
    .sort((a, b) => b.window - a.window)
    .slice(0, MOST_FOR_CLAIM)
    .map(({ item }) => item);
}

function encoderOf(model: string): Encoder | undefined {
  if (model === "lexical") return undefined;
  return createEncoder(model === "trained" ? SHIPPED_ENCODER : model);
}

/**
 * Sentences of a set that are encoded, the likeliest by their words, and characters of each. On 120
 * natural questions and 40 on these docs as many answers were right as without these limits; with
 * eight sentences, two fewer.
 */
const MOST_ENCODED = 16;
const MOST_OF_SENTENCE = 300;

/** Mean of two probabilities as log-odds, so that a good sentence in a poor passage counts less. */
function meanOdds(passage: number, unit: number): number {
  const odds = [passage, unit].map((value) => {
    const clamped = Math.min(0.999, Math.max(0.001, value));
    return Math.log(clamped / (1 - clamped));
  });
  return sigmoid(odds.reduce((sum, each) => sum + each, 0) / odds.length);
}

/** Returns the indices of the likeliest by their words, in order. */
function likeliest(measured: readonly Signals[], model: LogisticModel): number[] {
  return measured
    .map((signals, index) => ({ index, value: logOdds(signals, model) }))
    .sort((a, b) => b.value - a.value)
    .slice(0, MOST_ENCODED)
    .map(({ index }) => index)
    .sort((a, b) => a - b);
}
