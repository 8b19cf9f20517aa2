import { z } from "zod";
import { requestJson, type JsonRequest } from "../../support/json-client.js";
import type { Reranker } from "../knowledge-base.js";

/** Endpoints and current general models; a server of one's own may speak the form of any. */
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

/** Providers refuse requests above a number of documents (Voyage and Cohere: 1,000). */
const MAX_TEXTS_PER_REQUEST = 500;

const Result = z.object({ index: z.number().int().nonnegative(), relevance_score: z.number() });
/** The three answer alike but for the name of the list. */
const Answer = z.union([
  z.object({ results: z.array(Result) }),
  z.object({ data: z.array(Result) }).transform(({ data }) => ({ results: data })),
]);

/**
 * A reranker behind a Voyage, Cohere or Jina style endpoint. Scores lie in 0–1; rounding beyond
 * that is clamped. Rejects with `HttpError`, also when the answer leaves out a text.
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
      const scores: number[] = [];
      for (let start = 0; start < texts.length; start += MAX_TEXTS_PER_REQUEST) {
        const documents = texts.slice(start, start + MAX_TEXTS_PER_REQUEST);
        const { results } = await requestJson({
          ...http,
          url,
          body: {
            model,
            query: question,
            documents,
            [provider === "voyage" ? "top_k" : "top_n"]: documents.length,
            ...(provider !== "cohere" && { return_documents: false }),
          },
          schema: Answer,
          timeoutInMs,
          maxRetries,
          signal,
        });
        scores.push(...inOrderOfTexts(results, documents.length));
      }
      return scores;
    },
  };
}

function inOrderOfTexts(results: readonly z.infer<typeof Result>[], count: number): number[] {
  const scores = new Map(results.map(({ index, relevance_score }) => [index, relevance_score]));
  return Array.from({ length: count }, (_, index) => {
    const score = scores.get(index);
    if (score === undefined || results.length !== count)
      throw new Error(`the endpoint's ${results.length} scores do not fit ${count} texts`);
    return Math.min(1, Math.max(0, score));
  });
}
