import { existsSync } from "node:fs";
import { contentTerms } from "../text/analyse.js";
import { isEnglish } from "../text/languages.js";
import { dot, fromEmbeddings, normalized, type EmbeddingsLike } from "./embedder.js";
import { createEncoder, type Encoder } from "./encoder.js";
import { SHIPPED_ENCODER } from "./encoder-files.js";
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
      const why = error instanceof Error ? error.message : String(error);
      notice(`the encoder does not run (${why}): evidence is judged by words alone`);
      return undefined;
    }
  };

  /** Judges passages, or single units, each on its own. */
  const judge = async ({
    question,
    passages,
    unit = "passage",
    signal,
  }: {
    question: string;
    passages: readonly ReadablePassage[];
    unit?: "passage" | "sentence";
    signal?: AbortSignal;
  }): Promise<{ judged: PassageRelevance[]; hasCosines: boolean }> => {
    signal?.throwIfAborted();
    if (passages.length === 0) return { judged: [], hasCosines: false };
    const measured = passages.map((passage) => measurePassage(question, passage));
    const read =
      unit === "sentence" ? likeliest(measured, weights.lexical.sentence) : [...passages.keys()];
    const readable = read.flatMap((index) => {
      const { text = "", ...above } = passages[index] ?? { title: "" };
      return { ...above, text: unit === "sentence" ? text.slice(0, MOST_OF_SENTENCE) : text };
    });
    const near = await cosines(question, readable, signal);
    const cosineAt = new Map(near?.map((value, at) => [read[at], value]));
    const judged = measured.map((words, index) => {
      const cosine = cosineAt.get(index);
      return cosine === undefined
        ? { value: probability(words, weights.lexical[unit]), signals: words }
        : {
            value: probability({ ...words, cosine }, weights.trained[unit]),
            signals: { ...words, cosine },
          };
    });
    return { judged, hasCosines: near !== undefined };
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
      const { judged, hasCosines } = await judge({ question, passages, signal });
      if (passages.length === 0) return { value: 0, passages: [] };
      const models = hasCosines ? weights.trained : weights.lexical;
      const set = logOdds(measureSet(judged.map(({ signals }) => signals)), models.set);
      const { slope, offset } = weights.otherLanguages;
      const isSure = hasCosines || isEnglish(question);
      const value = sigmoid(isSure ? set : slope * set + offset);
      return { value, passages: judged };
    },

    async read({ question, passages, signal }) {
      const units = passages.flatMap(({ title, headings = [], units }) =>
        units.map(({ text, headings: inside = [] }) => ({
          title,
          headings: [...headings, ...inside],
          text,
        })),
      );
      const [whole, single] = await Promise.all([
        judge({ question, passages, signal }),
        judge({ question, passages: units, unit: "sentence", signal }),
      ]);
      let next = 0;
      const read = passages.map(({ units }, index) => ({
        value: whole.judged[index]?.value ?? 0,
        units: units.map(() => single.judged[next++]?.value ?? 0),
      }));
      const both = read.map(({ value, units }) => together(value, Math.max(0, ...units)));
      const order = [...read.keys()].sort((a, b) => (both[b] ?? 0) - (both[a] ?? 0));
      const [first = -1] = order;
      const hasUnit = (read[first]?.units.length ?? 0) > 0;
      return { passages: read, order, confidence: hasUnit ? (both[first] ?? 0) : 0 };
    },

    async support({ claims, evidence, question = "", signal }) {
      signal?.throwIfAborted();
      const known = new Set(contentTerms(question));
      return claims.map((claim) => {
        const { signals, best } = measureSupport(claim, evidence, known);
        return { value: probability(signals, weights.lexical.support), signals, best };
      });
    },

    async close() {
      await encoder?.close?.();
    },
  };
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
function together(passage: number, unit: number): number {
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
