import { z } from "zod";
import type { Reranker } from "../knowledge-base.js";
import { requestJson } from "../../support/json-client.js";

export const HTTP_RERANK_PROVIDERS = ["voyage", "cohere", "jina"] as const;
export type HttpRerankProvider = (typeof HTTP_RERANK_PROVIDERS)[number];

export interface HttpRerankerOptions {
  provider: HttpRerankProvider;
  /** Full address of the endpoint, for gateways and self-hosted servers that speak the provider's form. */
  url?: string;
  apiKey?: string;
  /** The provider's current general model by default. */
  model?: string;
  /** Per attempt. */
  timeoutInMs?: number;
  maxRetries?: number;
  initialDelayInMs?: number;
  fetch?: typeof globalThis.fetch;
}

const PROVIDERS: Record<HttpRerankProvider, { url: string; model: string }> = {
  voyage: { url: "https://api.voyageai.com/v1/rerank", model: "rerank-2.5" },
  cohere: { url: "https://api.cohere.com/v2/rerank", model: "rerank-v3.5" },
  jina: { url: "https://api.jina.ai/v1/rerank", model: "jina-reranker-v2-base-multilingual" },
};

/** Providers refuse requests above a number of documents (Voyage and Cohere: 1,000). */
const MAX_TEXTS_PER_REQUEST = 500;

const Result = z.object({ index: z.number().int().nonnegative(), relevance_score: z.number() });
/** The three answer alike but for the name of the list. */
const Answer = z.union([
  z.object({ results: z.array(Result) }),
  z.object({ data: z.array(Result) }),
]);

/**
 * A reranker behind a Voyage, Cohere or Jina style endpoint. Scores are the provider's relevance scores, which all three give in 0–1;
 * rounding beyond that range is clamped. Rejects with `HttpError`, also when the answer leaves out a text or names one twice.
 *
 * @example httpReranker({ provider: "jina", url: "http://localhost:8080/v1/rerank", model: "bge-reranker-v2-m3" })
 */
export function httpReranker({
  provider,
  url = PROVIDERS[provider].url,
  apiKey,
  model = PROVIDERS[provider].model,
  timeoutInMs = 10_000,
  maxRetries = 2,
  initialDelayInMs,
  fetch,
}: HttpRerankerOptions): Reranker {
  const scoreBatch = async (
    question: string,
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number[]> => {
    const limit = provider === "voyage" ? { top_k: texts.length } : { top_n: texts.length };
    const answer = await requestJson({
      url,
      body: {
        model,
        query: question,
        documents: texts,
        ...limit,
        ...(provider === "cohere" ? {} : { return_documents: false }),
      },
      schema: Answer,
      apiKey,
      timeoutInMs,
      maxRetries,
      initialDelayInMs,
      signal,
      fetch,
    });
    return inOrderOfTexts("results" in answer ? answer.results : answer.data, texts.length);
  };
  return {
    name: `${provider}:${model}`,
    async score(question, texts, signal) {
      const scores: number[] = [];
      for (let start = 0; start < texts.length; start += MAX_TEXTS_PER_REQUEST) {
        scores.push(
          ...(await scoreBatch(
            question,
            texts.slice(start, start + MAX_TEXTS_PER_REQUEST),
            signal,
          )),
        );
      }
      return scores;
    },
  };
}

function inOrderOfTexts(results: readonly z.infer<typeof Result>[], count: number): number[] {
  const scores = new Array<number | undefined>(count).fill(undefined);
  for (const { index, relevance_score } of results) {
    if (index >= count) throw new Error(`the endpoint scored text ${index} of ${count}`);
    if (scores[index] !== undefined) throw new Error(`the endpoint scored text ${index} twice`);
    scores[index] = Math.min(1, Math.max(0, relevance_score));
  }
  return scores.map((score, index) => {
    if (score === undefined) throw new Error(`the endpoint gave no score for text ${index}`);
    return score;
  });
}
