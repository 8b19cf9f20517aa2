import { existsSync } from "node:fs";
import { reasonOf } from "../support/errors.js";
import { createPauses } from "../support/waiting.js";
import { contentTerms } from "../text/analyse.js";
import { isEnglish, withoutForeignFunctionWords } from "../text/languages.js";
import { asks } from "../text/sentences.js";
import { fromEmbeddings, normalized, type EmbeddingsLike } from "./embedder.js";
import { createEncoder } from "./encoder.js";
import { SHIPPED_ENCODER } from "./encoder-files.js";
import {
  LEAST_OF_SENTENCE,
  leadsOf,
  preferNearer,
  QUOTED,
  readPassagesTogether,
  scoreIn,
  UNREAD,
} from "./joint-reading.js";
import { cosines, measurePassages, readTogether, type Means } from "./measure.js";
import {
  passageText,
  unitPassages,
  type ClaimSupport,
  type PassageReading,
  type Reader,
  type SetRelevance,
} from "./reader.js";
import { likeliestFor, measurePassage, measureSet, measureSupport, ranking } from "./signals.js";
import { logOdds, probability, SHIPPED_WEIGHTS, sigmoid, type ReaderWeights } from "./weights.js";

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

type Input<Method extends "relevance" | "read" | "support"> = Parameters<Reader[Method]>[0];

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
  const means: Means = {
    embedder,
    isEnglishOnly: name === "trained",
    readTogether: encoder?.readTogether,
    weights,
    attempt: pausing((error) =>
      notice(`the encoder does not run (${reasonOf(error)}): evidence is judged by words alone`),
    ),
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
    relevance: (input) => relevanceOf(means, input),
    read: (input) => readUnits(means, input),
    support: (input) => supportOf(means, input),
    async close() {
      await encoder?.close?.();
    },
  };
}

/**
 * Makes attempts resolve to undefined when they fail; then nothing is attempted for a while. Only
 * an abort rejects.
 */
function pausing(onFailure: (error: unknown) => void): Means["attempt"] {
  let pausedUntil = 0;
  return async (work, signal) => {
    if (performance.now() < pausedUntil) return undefined;
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      pausedUntil = performance.now() + PAUSE_AFTER_FAILURE_IN_MS;
      onFailure(error);
      return undefined;
    }
  };
}

async function relevanceOf(means: Means, input: Input<"relevance">): Promise<SetRelevance> {
  const { question, passages } = input;
  if (passages.length === 0) return { value: 0, passages: [] };
  const { measured, kind } = await measurePassages(means, input);
  const models = means.weights[kind];
  const set = logOdds(measureSet(measured), models.set);
  const { slope, offset } = means.weights.otherLanguages;
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
      return { value: probability(signals, models.passage), signals };
    }),
  };
}

async function readUnits(means: Means, input: Input<"read">): Promise<PassageReading> {
  const { question, passages, signal } = input;
  const { measured, kind, readings } = await measurePassages(means, input);
  const models = means.weights[kind];
  const units = passages.map((passage, index) =>
    unitPassages(passage).map((unit, at) => {
      // As in a list of review questions: a question answers nothing.
      if (asks(unit.text)) return UNREAD;
      const place = passage.units[at];
      return readings && place
        ? logOdds({ answer: scoreIn(readings[index], place) }, models.sentence)
        : logOdds(measurePassage(question, unit), means.weights.lexical.sentence);
    }),
  );
  const odds = measured.map((signals) => logOdds(signals, models.passage));
  const order = ranking(odds);
  const [first = -1] = order;
  const chosen = readings
    ? await preferNearer({ question, passages, order, odds: units }, (texts) =>
        cosines(means, { question, passages: texts, signal }),
      )
    : units;
  // Words and cosines do not tell a right quotation from a wrong one.
  const isSure = kind === "joint" && Math.max(...(chosen[first] ?? [])) >= LEAST_OF_SENTENCE;
  const signals = leadsOf(
    order.map((index) => ({ odds: odds[index] ?? 0, found: measured[index]?.["found"] ?? 0 })),
  );
  return {
    passages: odds.map((value, index) => ({
      value: sigmoid(value),
      units: (chosen[index] ?? []).map(sigmoid),
    })),
    order,
    confidence: isSure ? probability(signals, means.weights.joint.assertion) : 0,
  };
}

async function supportOf(
  means: Means,
  { claims, evidence, question = "", signal, hurry }: Input<"support">,
): Promise<ClaimSupport[]> {
  const { lexical, joint } = means.weights;
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
          ? await readTogether(means, (read) => readPassagesTogether(claim, likely, read), signal)
          : undefined;
      const signals = readings
        ? { ...words, joint: Math.max(...readings.map(({ support }) => support)) }
        : words;
      const byWords = probability(words, lexical.support);
      const judged = readings ? probability(signals, joint.support) : byWords;
      const value = isQuoted ? QUOTED : judged;
      const sense = words["window"] === 1 ? signals["joint"] : undefined;
      supports[index] = { value, words: byWords, sense, signals, best };
    }
  };
  // One claim each is read by the encoder's threads, of which there may be more.
  await Promise.all([work(), work()]);
  return supports;
}
