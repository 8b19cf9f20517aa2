/** The reader: signals, logistic models over them, and an encoder's cosines where there is one. */
import { contentTerms } from "../text/analyse.js";
import { cosine, type Embedder } from "./embedder.js";
import { isEnglish } from "./language.js";
import { logOdds, probability, sigmoid, type Signals, type ReaderWeights } from "./weights.js";
import { measurePassage, measureSet, measureSupport } from "./signals.js";
import { passageText, type ReadablePassage, type Reader } from "./reader.js";

/**
 * Puts a reader together.
 * @param notice is told, once, that the encoder failed and the lexical models judge
 */
export function createSignalReader({
  name,
  weights,
  embedder,
  notice = () => undefined,
}: {
  name: string;
  weights: ReaderWeights;
  embedder?: Embedder;
  notice?: (message: string) => void;
}): Reader {
  let failed = false;
  /** The cosines of a question with passages; undefined where no encoder can give them. */
  const cosines = async (
    question: string,
    passages: readonly ReadablePassage[],
    signal?: AbortSignal,
  ): Promise<number[] | undefined> => {
    if (embedder === undefined || failed || !isEnglish(question)) return undefined;
    try {
      const [[asked], read] = await Promise.all([
        embedder.embed([question], { signal, kind: "question" }),
        embedder.embed(passages.map(passageText), { signal }),
      ]);
      return asked && read.map((vector) => Math.max(0, cosine(asked, vector)));
    } catch (error) {
      signal?.throwIfAborted();
      failed = true;
      const why = error instanceof Error ? error.message : String(error);
      notice(`the encoder does not run (${why}): evidence is judged by words alone`);
      return undefined;
    }
  };

  return {
    name,
    ...(embedder && {
      model: embedder.model,
      embed: (texts, signal, kind) => embedder.embed(texts, { signal, kind }),
      prepare: () => embedder.prepare?.(),
      remember: (passages, vectors) => embedder.remember?.(passages.map(passageText), vectors),
    }),

    async relevance({ question, passages, unit = "passage", signal }) {
      signal?.throwIfAborted();
      if (passages.length === 0) return { value: 0, passages: [] };
      const near = await cosines(question, passages, signal);
      const models = near === undefined ? weights.lexical : weights.trained;
      const judged = passages.map((passage, index) => {
        const measured = measurePassage(question, passage);
        const signals: Signals =
          near === undefined ? measured : { ...measured, cosine: near[index] ?? 0 };
        return { value: probability(signals, models[unit]), signals };
      });
      const set = logOdds(measureSet(judged.map(({ signals }) => signals)), models.set);
      const { slope, offset } = weights.otherLanguages;
      const value = sigmoid(isEnglish(question) ? set : slope * set + offset);
      return { value, passages: judged };
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
      await embedder?.close();
    },
  };
}
