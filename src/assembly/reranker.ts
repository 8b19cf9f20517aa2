import type { Settings } from "../settings/table.js";
import type { Reranker } from "../retrieval/knowledge-base.js";

/** The reranker that `RERANKER` names; the embedded lexical one without a name. */
export async function rerankerFrom(settings: Settings): Promise<Reranker> {
  const { reranker: name = "lexical", rerankModel: model, rerankUrl: url } = settings;
  switch (name) {
    case "lexical": {
      const { lexicalReranker } = await import("../retrieval/rerankers/lexical-reranker.js");
      return lexicalReranker();
    }
    case "voyage":
    case "cohere":
    case "jina": {
      const { httpReranker } = await import("../retrieval/rerankers/http-reranker.js");
      const apiKey = {
        voyage: settings.voyageApiKey,
        cohere: settings.cohereApiKey,
        jina: settings.jinaApiKey,
      }[name];
      return httpReranker({ provider: name, url, apiKey, model });
    }
    default:
      return name satisfies never;
  }
}
