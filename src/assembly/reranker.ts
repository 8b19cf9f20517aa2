import type { Environment } from "../settings/environment.js";
import { UserError } from "../settings/user-error.js";
import type { Reranker } from "../retrieval/knowledge-base.js";

/** The reranker that `RERANKER` names; the embedded lexical one without a name. */
export async function rerankerFrom(environment: Environment): Promise<Reranker> {
  const { RERANKER: name = "lexical", RERANK_MODEL: model, RERANK_URL: url } = environment;
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
        voyage: environment.VOYAGE_API_KEY,
        cohere: environment.COHERE_API_KEY,
        jina: environment.JINA_API_KEY,
      }[name];
      return httpReranker({ provider: name, url, apiKey, model });
    }
    default:
      throw new UserError(`RERANKER=${name} is no reranker`, "use lexical, voyage, cohere or jina");
  }
}
