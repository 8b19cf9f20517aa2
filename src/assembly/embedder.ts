import { existsSync } from "node:fs";
import type { Environment } from "../settings/environment.js";
import type { Embedder } from "../retrieval/knowledge-base.js";

const LOCAL = "local:";

/** The embedding model that `EMBEDDING_MODEL` names; undefined without one. */
export async function embedderFrom(environment: Environment): Promise<Embedder | undefined> {
  const { EMBEDDING_MODEL: model } = environment;
  if (model === undefined) return undefined;
  if (model.startsWith(LOCAL)) {
    const { localEmbedder } = await import("../retrieval/embedders/local-embedder.js");
    return localEmbedder(localModel(model.slice(LOCAL.length)));
  }
  const { openAiEmbedder } = await import("../retrieval/embedders/openai-embedder.js");
  return openAiEmbedder({
    model,
    apiKey: environment.EMBEDDING_API_KEY ?? environment.OPENAI_API_KEY,
    baseUrl: environment.EMBEDDING_BASE_URL ?? environment.OPENAI_BASE_URL,
  });
}

/** A folder on this machine is never looked for elsewhere. */
export function localModel(name: string): { model: string; offline: boolean } {
  return { model: name, offline: existsSync(name) };
}
