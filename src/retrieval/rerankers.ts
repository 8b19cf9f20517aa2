/** Sorts evidence by a reranker: the reader, or a service of Cohere's kind. */
import { z } from "zod";
import type { Scope } from "../observability/scope.js";
import type { ReadablePassage, Reader } from "../reader/reader.js";
import { asPassage, headedTitle, type Evidence } from "../state/evidence.js";
import { reasonOf } from "../support/errors.js";
import { requestJson, type JsonRequest } from "../support/json-client.js";
import { withinTime } from "../support/waiting.js";
import type { Reranker } from "./knowledge-base.js";

/**
 * Sorts evidence by a reranker's scores, which come first among each item's scores. If the reranker
 * fails or takes longer than a tool may, the order stays and the run gets a warning; a cancelled
 * run rejects.
 */
export async function rerankEvidence({
  question,
  evidence,
  reranker,
  scope,
}: {
  question: string;
  evidence: readonly Evidence[];
  reranker: Reranker;
  scope: Pick<Scope, "signal" | "settings" | "warn">;
}): Promise<Evidence[]> {
  if (evidence.length === 0) return [];
  const { signal, settings } = scope;
  let values: number[];
  try {
    const score = (limit: AbortSignal): Promise<number[]> =>
      reranker.scorePassages?.(question, evidence.map(asPassage), limit) ??
      reranker.score(question, evidence.map(titledText), limit);
    values = await withinTime(score, { timeoutInMs: settings.toolTimeoutInMs, signal });
    requireScores(values, evidence.length);
  } catch (error) {
    signal.throwIfAborted();
    scope.warn(
      `Reranking with ${reranker.name} failed, the order is unchanged: ${reasonOf(error)}`,
    );
    return [...evidence];
  }
  return evidence
    .map((item, index) => ({ item, value: values[index] ?? 0 }))
    .sort((a, b) => b.value - a.value)
    .map(({ item, value }) => ({
      ...item,
      scores: [
        { value, scale: "rerank", by: reranker.name },
        ...item.scores.filter((score) => score.scale !== "rerank"),
      ],
    }));
}

/** @throws Error unless there is a score in 0–1 for each text */
function requireScores(scores: readonly number[], count: number): void {
  if (scores.length !== count) throw new Error(`${scores.length} scores for ${count} texts`);
  const bad = scores.find((score) => !(score >= 0 && score <= 1));
  if (bad !== undefined) throw new Error(`a score of ${bad} is outside 0–1`);
}

function titledText(item: Evidence): string {
  const title = headedTitle(item);
  return title === "" || item.text.startsWith(title) ? item.text : `${title}\n${item.text}`;
}

/** Reranks by the reader's relevance, where no other reranker is set. */
export function readerReranker(reader: Reader): Reranker {
  const scorePassages = async (
    question: string,
    passages: readonly ReadablePassage[],
    signal?: AbortSignal,
  ): Promise<number[]> => {
    const relevance = await reader.relevance({ question, passages, signal });
    return relevance.passages.map(({ value }) => value);
  };
  return {
    name: `reader:${reader.name}`,
    // The judge reads the same passages next, and finds them in the reader's cache.
    scorePassages,
    score(question, texts, signal) {
      const passages = texts.map((text) => ({ title: "", text }));
      return scorePassages(question, passages, signal);
    },
  };
}

/** Default endpoints and models; your own server may speak any of these protocols. */
const PROVIDERS = {
  voyage: { url: "https://api.voyageai.com/v1/rerank", model: "rerank-2.5" },
  cohere: { url: "https://api.cohere.com/v2/rerank", model: "rerank-v3.5" },
  jina: { url: "https://api.jina.ai/v1/rerank", model: "jina-reranker-v2-base-multilingual" },
} as const;

export interface HttpRerankerOptions extends Pick<
  JsonRequest<unknown>,
  "apiKey" | "timeoutInMs" | "maxRetries" | "initialDelayInMs" | "fetch"
> {
  provider: keyof typeof PROVIDERS;
  url?: string;
  model?: string;
}

const Result = z.object({ index: z.number().int().nonnegative(), relevance_score: z.number() });
/** The providers differ in the name of the list only. */
const Answer = z.union([
  z.object({ results: z.array(Result) }),
  z.object({ data: z.array(Result) }).transform(({ data }) => ({ results: data })),
]);

/**
 * Reranks with an endpoint in the style of Voyage, Cohere or Jina. Rejects with `HttpError`, or
 * with an `Error` when the scores do not match the texts.
 * @example httpReranker({ provider: "jina", url: "http://localhost:8080/v1/rerank", model: "bge" })
 */
export function httpReranker({
  provider,
  url = PROVIDERS[provider].url,
  model = PROVIDERS[provider].model,
  timeoutInMs = 10_000,
  maxRetries = 2,
  ...http
}: HttpRerankerOptions): Reranker {
  return {
    name: `${provider}:${model}`,
    async score(question, texts, signal) {
      const { results } = await requestJson({
        ...http,
        url,
        body: {
          model,
          query: question,
          documents: texts,
          [provider === "voyage" ? "top_k" : "top_n"]: texts.length,
          ...(provider !== "cohere" && { return_documents: false }),
        },
        schema: Answer,
        timeoutInMs,
        maxRetries,
        signal,
      });
      return inOrderOfTexts(results, texts.length);
    },
  };
}

function inOrderOfTexts(results: readonly z.infer<typeof Result>[], count: number): number[] {
  const scores = new Map(results.map(({ index, relevance_score }) => [index, relevance_score]));
  return Array.from({ length: count }, (_, index) => {
    const score = scores.get(index);
    if (score === undefined || results.length !== count)
      throw new Error(`the endpoint's ${results.length} scores do not match the ${count} texts`);
    // Rounding may push a score past the end of the scale.
    return Math.min(1, Math.max(0, score));
  });
}
