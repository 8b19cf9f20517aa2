import { z } from "zod";
import { requestJson, type JsonRequest } from "../../support/json-client.js";
import type { Reranker } from "../knowledge-base.js";

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
 * Reranks with an endpoint in the style of Voyage, Cohere or Jina. Rejects with `HttpError`, or with
 * an `Error` when the scores do not match the texts.
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
