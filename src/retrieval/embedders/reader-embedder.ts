import { isEnglish } from "../../text/languages.js";
import type { Reader } from "../../reader/reader.js";
import type { Embedder, Vector } from "../../reader/embedder.js";
import { KnowledgeBaseError } from "../knowledge-base.js";

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
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new KnowledgeBaseError(
        `The encoder ${model} failed: ${why}`,
        "Set CRAG_READER=lexical to do without it.",
        { cause },
      );
    }
  };
  return {
    model,
    embedDocuments: (texts, signal) => embed(texts, "passage", signal),
    embedQuery: async (text, signal) => (await embed([text], "question", signal))[0] ?? [],
    // The shipped encoder knows only English.
    ...(reader.name === "trained" && { knows: isEnglish }),
    ...(owned && { close: () => reader.close() }),
  };
}
