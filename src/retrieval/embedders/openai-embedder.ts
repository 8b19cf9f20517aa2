import pLimit from "p-limit";
import { z } from "zod";
import { KnowledgeBaseError, type Embedder } from "../knowledge-base.js";
import { EndpointError, postJson } from "../post-json.js";

export interface OpenAiEmbedderOptions {
  model: string;
  apiKey?: string;
  /** Up to and including `/v1`; any server that speaks OpenAI's embeddings protocol. */
  baseUrl?: string;
  /** Dimensions to ask for, with models that can shorten their vectors. Other sizes in the answer are then an error. */
  dimensions?: number;
  /** Put before each text, for models that were trained with prefixes (`query: `, `passage: `). */
  queryPrefix?: string;
  documentPrefix?: string;
  /** Texts per request; OpenAI takes up to 2,048, many local servers fewer. */
  batchSize?: number;
  /** Requests at a time. */
  concurrency?: number;
  /** Per attempt. */
  timeoutInMs?: number;
  maxRetries?: number;
  initialDelayInMs?: number;
  fetch?: typeof globalThis.fetch;
}

const Answer = z.object({
  data: z.array(
    z.object({ index: z.number().int().nonnegative(), embedding: z.array(z.number()).min(1) }),
  ),
});

/**
 * Embeddings from an OpenAI-compatible endpoint. Vectors come as floats, not base64, because local servers know nothing else.
 * Rejects with `KnowledgeBaseError` whose hint names the setting at fault: the key, the model, the address or the size.
 *
 * @example openAiEmbedder({ model: "nomic-embed-text", baseUrl: "http://localhost:11434/v1" })
 */
export function openAiEmbedder({
  model,
  apiKey,
  baseUrl = "https://api.openai.com/v1",
  dimensions,
  queryPrefix = "",
  documentPrefix = "",
  batchSize = 96,
  concurrency = 3,
  timeoutInMs = 30_000,
  maxRetries = 3,
  initialDelayInMs,
  fetch,
}: OpenAiEmbedderOptions): Embedder {
  const url = `${baseUrl.replace(/\/+$/, "")}/embeddings`;

  const embedBatch = async (
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number[][]> => {
    try {
      const { data } = await postJson({
        url,
        // An empty input is refused by OpenAI; a space embeds to something harmless.
        body: {
          model,
          input: texts.map((text) => text || " "),
          encoding_format: "float",
          ...(dimensions === undefined ? {} : { dimensions }),
        },
        schema: Answer,
        apiKey,
        timeoutInMs,
        maxRetries,
        initialDelayInMs,
        signal,
        fetch,
      });
      return vectorsInOrder(data, texts.length, model, dimensions);
    } catch (error) {
      throw error instanceof EndpointError ? explain(error, model) : error;
    }
  };

  const embed = async (
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number[][]> => {
    const batches = Array.from({ length: Math.ceil(texts.length / batchSize) }, (_, index) =>
      texts.slice(index * batchSize, (index + 1) * batchSize),
    );
    const limit = pLimit(concurrency);
    const failed = new AbortController();
    const anySignal = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
    const embedOrStop = async (batch: readonly string[]): Promise<number[][]> => {
      try {
        return await embedBatch(batch, anySignal);
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    };
    const results = await Promise.all(batches.map((batch) => limit(embedOrStop, batch)));
    return results.flat();
  };

  return {
    model,
    embedDocuments: (texts, signal) =>
      embed(
        texts.map((text) => documentPrefix + text),
        signal,
      ),
    async embedQuery(text, signal) {
      const [vector] = await embed([queryPrefix + text], signal);
      if (!vector) throw new KnowledgeBaseError(`The embedding model ${model} returned no vector`);
      return vector;
    },
  };
}

function vectorsInOrder(
  data: z.infer<typeof Answer>["data"],
  count: number,
  model: string,
  dimensions: number | undefined,
): number[][] {
  const vectors = new Array<number[] | undefined>(count).fill(undefined);
  for (const { index, embedding } of data) if (index < count) vectors[index] = embedding;
  const size = dimensions ?? data[0]?.embedding.length;
  return vectors.map((vector, index) => {
    if (!vector)
      throw new KnowledgeBaseError(
        `The embedding model ${model} returned no vector for text ${index + 1} of ${count}`,
      );
    if (vector.length !== size) {
      throw new KnowledgeBaseError(
        `The embedding model ${model} returned a vector of ${vector.length} dimensions where ${size} were expected`,
        "Ask for a size that the model can give, or leave the size out.",
      );
    }
    return vector;
  });
}

function explain(error: EndpointError, model: string): KnowledgeBaseError {
  return new KnowledgeBaseError(
    `The embedding model ${model} failed: ${error.message}`,
    hintFor(error),
    { cause: error },
  );
}

function hintFor(error: EndpointError): string {
  switch (error.failure) {
    case "unauthorised":
      return "The endpoint refused the key: check EMBEDDING_API_KEY or OPENAI_API_KEY.";
    case "not_found":
      return "The endpoint does not know this model, or the address is wrong: check EMBEDDING_MODEL and EMBEDDING_BASE_URL.";
    case "rejected":
      return "The endpoint refused the request: the text may be too long for the model, or the model name wrong.";
    case "rate_limited":
      return "The endpoint's rate limit was reached: try again later.";
    case "server":
    case "network":
    case "timeout":
      return "Check that the embedding endpoint is running and can be reached.";
    case "malformed":
      return "The endpoint does not speak OpenAI's embeddings protocol: check EMBEDDING_BASE_URL.";
    default:
      return error.failure satisfies never;
  }
}
