import { z } from "zod";
import { HttpError, type HttpFailure } from "../../support/http-error.js";
import { requestJson } from "../../support/json-client.js";
import { KnowledgeBaseError, type Embedder } from "../knowledge-base.js";

export interface OpenAiEmbedderOptions {
  model: string;
  apiKey?: string;
  /** Up to and including `/v1`; any server that speaks OpenAI's embeddings protocol. */
  baseUrl?: string;
  /** Texts per request; OpenAI takes up to 2,048, many local servers fewer. */
  batchSize?: number;
  /** Per attempt. */
  timeoutInMs?: number;
  maxRetries?: number;
  initialDelayInMs?: number;
  fetch?: typeof globalThis.fetch;
}

/** Vectors of 3,072 dimensions as text take some 60 KB each. */
const MAX_BYTES = 32_000_000;

const Answer = z.object({
  data: z.array(
    z.object({ index: z.number().int().nonnegative(), embedding: z.array(z.number()).min(1) }),
  ),
});

/**
 * Embeds with an OpenAI-compatible endpoint. Vectors come as floats, not base64, because local
 * servers know nothing else. Rejects with `KnowledgeBaseError` whose hint names the setting at fault.
 *
 * @example openAiEmbedder({ model: "nomic-embed-text", baseUrl: "http://localhost:11434/v1" })
 */
export function openAiEmbedder({
  model,
  apiKey,
  baseUrl = "https://api.openai.com/v1",
  batchSize = 96,
  timeoutInMs = 30_000,
  maxRetries = 3,
  initialDelayInMs,
  fetch,
}: OpenAiEmbedderOptions): Embedder {
  const embedBatch = async (
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number[][]> => {
    try {
      const { data } = await requestJson({
        url: `${baseUrl.replace(/\/+$/, "")}/embeddings`,
        // An empty input is refused by OpenAI; a space embeds to something harmless.
        body: { model, input: texts.map((text) => text || " "), encoding_format: "float" },
        schema: Answer,
        maxBytes: MAX_BYTES,
        apiKey,
        timeoutInMs,
        maxRetries,
        initialDelayInMs,
        signal,
        fetch,
      });
      return vectorsInOrder(data, texts.length, model);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      throw new KnowledgeBaseError(
        `The embedding model ${model} failed: ${error.message}`,
        hintFor(error.failure),
        { cause: error },
      );
    }
  };
  return {
    model,
    async embedDocuments(texts, signal) {
      const vectors: number[][] = [];
      for (let start = 0; start < texts.length; start += batchSize)
        vectors.push(...(await embedBatch(texts.slice(start, start + batchSize), signal)));
      return vectors;
    },
    async embedQuery(text, signal) {
      const [vector] = await embedBatch([text], signal);
      return vector ?? [];
    },
  };
}

function vectorsInOrder(
  data: z.infer<typeof Answer>["data"],
  count: number,
  model: string,
): number[][] {
  const vectors = new Array<number[] | undefined>(count).fill(undefined);
  for (const { index, embedding } of data) if (index < count) vectors[index] = embedding;
  const size = data[0]?.embedding.length;
  return vectors.map((vector, index) => {
    if (vector === undefined)
      throw new KnowledgeBaseError(
        `The embedding model ${model} returned no vector for text ${index + 1} of ${count}`,
      );
    if (vector.length !== size)
      throw new KnowledgeBaseError(
        `The embedding model ${model} returned a vector of ${vector.length} dimensions where ${size} were expected`,
      );
    return vector;
  });
}

function hintFor(failure: HttpFailure): string {
  switch (failure) {
    case "unauthorized":
      return "The endpoint refused the key: check CRAG_EMBEDDING_API_KEY or OPENAI_API_KEY.";
    case "not_found":
      return "The endpoint does not know this model, or the address is wrong: check EMBEDDING_MODEL and CRAG_EMBEDDING_BASE_URL.";
    case "rejected":
      return "The endpoint refused the request: the text may be too long for the model, or the model name wrong.";
    case "rate_limited":
    case "quota":
      return "The endpoint's limit was reached: try again later.";
    case "server":
    case "network":
    case "timeout":
      return "Check that the embedding endpoint is running and can be reached.";
    case "malformed":
      return "The endpoint does not speak OpenAI's embeddings protocol: check CRAG_EMBEDDING_BASE_URL.";
    default:
      return failure satisfies never;
  }
}
