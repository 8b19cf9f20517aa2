import type { Environment } from "../settings/environment.js";
import type { Embedder } from "../retrieval/knowledge-base.js";

/** The embedding model that `EMBEDDING_MODEL` names; undefined without one. */
export async function embedderFrom(environment: Environment): Promise<Embedder | undefined> {
  const { EMBEDDING_MODEL: model } = environment;
  if (model === undefined) return undefined;
  const { openAiEmbedder } = await import("../retrieval/embedders/openai-embedder.js");
  return openAiEmbedder({
    model,
    apiKey: environment.EMBEDDING_API_KEY ?? environment.OPENAI_API_KEY,
    baseUrl: environment.EMBEDDING_BASE_URL ?? environment.OPENAI_BASE_URL,
  });
}
