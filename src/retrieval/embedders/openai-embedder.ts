import { z } from "zod";
import {
  HttpError,
  type HttpFailure,
  type JsonRequest,
  requestJson,
} from "../../support/json-client.js";
import { endpoint } from "../../support/web-address.js";
import type { Embedder } from "../../reader/embedder.js";
import { KnowledgeBaseError } from "../knowledge-base.js";

export interface OpenAiEmbedderOptions extends Pick<
  JsonRequest<unknown>,
  "apiKey" | "timeoutInMs" | "maxRetries" | "initialDelayInMs" | "fetch"
> {
  model: string;
  /** Any server that speaks OpenAI's embeddings protocol, up to and including `/v1`. */
  baseUrl?: string;
  /** Texts per request; OpenAI accepts 2,048, many local servers fewer. */
  batchSize?: number;
}

/** A vector of 3,072 dimensions takes some 60 KB as text. */
const MAX_BYTES = 32_000_000;

const Answer = z.object({
  data: z.array(
    z.object({ index: z.number().int().nonnegative(), embedding: z.array(z.number()).min(1) }),
  ),
});

/**
 * Embeds with an OpenAI-compatible endpoint, as floats because local servers do not know base64.
 * Rejects with `KnowledgeBaseError`, whose hint names the setting.
 * @example openAiEmbedder({ model: "nomic-embed-text", baseUrl: "http://localhost:11434/v1" })
 */
export function openAiEmbedder({
  model,
  baseUrl = "https://api.openai.com/v1",
  batchSize = 96,
  maxRetries = 3,
  ...http
}: OpenAiEmbedderOptions): Embedder {
  const failed = (what: string, hint?: string, cause?: unknown): KnowledgeBaseError =>
    new KnowledgeBaseError(`The embedding model ${model} ${what}`, hint, { cause });
  const embedBatch = async (
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number[][]> => {
    const { data } = await requestJson({
      ...http,
      url: endpoint(baseUrl, "/embeddings"),
      // OpenAI refuses empty inputs.
      body: { model, input: texts.map((text) => text || " "), encoding_format: "float" },
      schema: Answer,
      maxBytes: MAX_BYTES,
      maxRetries,
      signal,
    }).catch((error: unknown) => {
      if (!(error instanceof HttpError)) throw error;
      throw failed(`failed: ${error.message}`, HINTS[error.failure], error);
    });
    const vectors = new Map(data.map(({ index, embedding }) => [index, embedding]));
    return texts.map((_, index) => {
      const vector = vectors.get(index);
      if (vector !== undefined) return vector;
      throw failed(`returned no vector for text ${index + 1} of ${texts.length}`);
    });
  };
  return {
    model,
    async embedDocuments(texts, signal) {
      const vectors: number[][] = [];
      for (let start = 0; start < texts.length; start += batchSize)
        vectors.push(...(await embedBatch(texts.slice(start, start + batchSize), signal)));
      return vectors;
    },
    embedQuery: async (text, signal) => (await embedBatch([text], signal))[0] ?? [],
  };
}

const UNREACHABLE = "Check CRAG_EMBEDDING_BASE_URL, and that the endpoint is running.";
const UNKNOWN = "Check CRAG_EMBEDDING_MODEL and CRAG_EMBEDDING_BASE_URL.";
const HINTS: Partial<Readonly<Record<HttpFailure, string>>> = {
  unauthorized: "Check CRAG_EMBEDDING_API_KEY or OPENAI_API_KEY.",
  not_found: UNKNOWN,
  malformed: UNKNOWN,
  rejected: "A text may be too long for the model: check CRAG_EMBEDDING_MODEL.",
  server: UNREACHABLE,
  network: UNREACHABLE,
  timeout: UNREACHABLE,
};
