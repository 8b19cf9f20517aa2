import type { Settings } from "../settings/table.js";
import type { Embedder } from "../retrieval/knowledge-base.js";

/** The embedding model that `EMBEDDING_MODEL` names; undefined without one. */
export async function embedderFrom(settings: Settings): Promise<Embedder | undefined> {
  const { embeddingModel: model } = settings;
  if (model === undefined) return undefined;
  const { openAiEmbedder } = await import("../retrieval/embedders/openai-embedder.js");
  return openAiEmbedder({
    model,
    apiKey: settings.embeddingApiKey ?? settings.openaiApiKey,
    baseUrl: settings.embeddingBaseUrl ?? settings.openaiBaseUrl,
  });
}
