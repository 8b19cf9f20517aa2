/** Makes vectors with the reader, or with an endpoint that speaks OpenAI's embeddings protocol. */
import type { Reader } from "../reader/reader.js";
import { fromEmbeddings, type Embedder, type Vector } from "../reader/embedder.js";
import { reasonOf } from "../support/errors.js";
import { isRecord } from "../support/json.js";
import { isEnglish, isForeignProse } from "../text/languages.js";
import { oneLine } from "../text/words.js";
import { KnowledgeBaseError } from "./knowledge-base.js";

/**
 * Makes an index's vectors with the reader, so that passages are encoded once for search and
 * judgment. Undefined for a reader without vectors.
 * @param owned closing the index closes the reader
 */
export function readerEmbedder(
  reader: Reader,
  { owned = false }: { owned?: boolean } = {},
): Embedder | undefined {
  const { model } = reader;
  if (model === undefined || reader.embed === undefined) return undefined;
  const embed = async (
    texts: readonly string[],
    kind: "question" | "passage",
    signal: AbortSignal | undefined,
  ): Promise<Vector[]> => {
    try {
      return (await reader.embed?.(texts, signal, kind)) ?? [];
    } catch (cause) {
      signal?.throwIfAborted();
      throw new KnowledgeBaseError(
        `the encoder ${model} failed: ${reasonOf(cause)}`,
        "set CRAG_READER=lexical to do without it",
        { cause },
      );
    }
  };
  return {
    model,
    embedDocuments: (texts, signal) => embed(texts, "passage", signal),
    embedQuery: async (text, signal) => (await embed([text], "question", signal))[0] ?? [],
    // The shipped encoder knows only English.
    ...(reader.name === "trained" && {
      knows: isEnglish,
      knowsPassage: (text: string) => !isForeignProse(text),
    }),
    ...(owned && { close: () => reader.close() }),
  };
}

export interface OpenAiEmbedderOptions {
  model: string;
  apiKey?: string;
  /** Any server that speaks OpenAI's embeddings protocol, up to and including `/v1`. */
  baseUrl?: string;
  maxRetries?: number;
  timeoutInMs?: number;
  fetch?: typeof globalThis.fetch;
}

/**
 * Embeds through LangChain's `OpenAIEmbeddings`, as floats because local servers do not know
 * base64. Rejects with `KnowledgeBaseError`, whose hint names the setting.
 * @example
 * await openAiEmbedder({ model: "nomic-embed-text", baseUrl: "http://localhost:11434/v1" });
 */
export async function openAiEmbedder({
  model,
  apiKey,
  baseUrl = "https://api.openai.com/v1",
  maxRetries = 3,
  timeoutInMs = 60_000,
  fetch,
}: OpenAiEmbedderOptions): Promise<Embedder> {
  const { OpenAIEmbeddings } = await import("@langchain/openai");
  const embeddings = fromEmbeddings(
    new OpenAIEmbeddings({
      model,
      // The class would send the environment's key, which belongs to another endpoint.
      apiKey: apiKey ?? "none",
      configuration: { baseURL: baseUrl, ...(fetch && { fetch }) },
      maxRetries,
      timeout: timeoutInMs,
      stripNewLines: false,
      encodingFormat: "float",
    }),
  );
  const explained = async <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    try {
      return await work;
    } catch (cause) {
      signal?.throwIfAborted();
      // LangChain appends a link to its documentation.
      const [reason = ""] = reasonOf(cause).split("\n");
      const message = oneLine(reason.replaceAll(apiKey || "none", "[key]"), 200);
      const hint = hintFor(isRecord(cause) ? cause["status"] : undefined, cause);
      throw new KnowledgeBaseError(`the embedding model ${model} failed: ${message}`, hint, {
        cause,
      });
    }
  };
  return {
    model,
    embedDocuments: (texts, signal) => explained(embeddings.embedDocuments(texts, signal), signal),
    embedQuery: (text, signal) => explained(embeddings.embedQuery(text, signal), signal),
  };
}

function hintFor(status: unknown, cause: unknown): string {
  if (status === 401 || status === 403) return "check CRAG_EMBEDDING_API_KEY or OPENAI_API_KEY";
  if (status === 400) return "a text may be too long for the model: check CRAG_EMBEDDING_MODEL";
  // An answer without vectors.
  if (status === 404 || cause instanceof TypeError)
    return "check CRAG_EMBEDDING_MODEL and CRAG_EMBEDDING_BASE_URL";
  return "check CRAG_EMBEDDING_BASE_URL, and that the endpoint is running";
}
