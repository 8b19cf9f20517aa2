import type { BaseRetrieverInterface } from "@langchain/core/retrievers";
import { searchTerms } from "../../text/search-terms.js";
import type { KnowledgeBase, SearchMode } from "../knowledge-base.js";
import { passageOfDocument, readOnlyKnowledgeBase } from "./read-only.js";

export interface FromRetrieverOptions {
  name?: string;
  /** `keyword` for BM25Retriever, else `hybrid`: a retriever does not tell. */
  mode?: SearchMode;
  /** Changes when the content does; by default it is taken never to change. */
  version?: string;
}

/**
 * Any LangChain retriever as a knowledge base, read-only. A retriever gives an order, not scores:
 * each hit gets the reciprocal of its rank on the scale `fusion`, or BM25Retriever's score. In mode
 * `keyword`, documents that share no term with the query are dropped: BM25Retriever fills its list
 * up with those. Filters look only at what the retriever returned.
 * @example createCorrectiveRag({ knowledgeBase: fromRetriever(myRetriever, { mode: "keyword" }) })
 */
export function fromRetriever(
  retriever: BaseRetrieverInterface,
  options: FromRetrieverOptions = {},
): KnowledgeBase {
  const type = retriever.getName?.() ?? "custom";
  const { name = `retriever:${type}`, version } = options;
  const mode = options.mode ?? (type === "BM25Retriever" ? "keyword" : "hybrid");
  return readOnlyKnowledgeBase({
    name,
    mode,
    version,
    async find({ query, signal }) {
      const wanted = new Set(searchTerms(query));
      const found = (await retriever.invoke(query, { signal })).map((document) => {
        const bm25: unknown = document.metadata["bm25Score"];
        return {
          passage: passageOfDocument(document),
          bm25: typeof bm25 === "number" ? bm25 : undefined,
        };
      });
      return found
        .filter(({ passage: { title, text }, bm25 }) => {
          if (mode !== "keyword") return true;
          if (bm25 !== undefined) return bm25 !== 0;
          return searchTerms(`${title}\n${text}`).some((term) => wanted.has(term));
        })
        .map(({ passage, bm25 }, index) => ({
          passage,
          scores: [
            bm25 === undefined
              ? { value: 1 / (index + 1), scale: "fusion", by: name }
              : { value: bm25, scale: "bm25", by: name },
          ],
        }));
    },
  });
}
