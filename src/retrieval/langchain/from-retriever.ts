import type { DocumentInterface } from "@langchain/core/documents";
import type { BaseRetrieverInterface } from "@langchain/core/retrievers";
import type { Score } from "../../state/evidence.js";
import { searchTerms } from "../../text/search-terms.js";
import type { Hit, KnowledgeBase, SearchMode } from "../knowledge-base.js";
import { passageOfDocument } from "./passage-of-document.js";
import { readOnlyKnowledgeBase } from "./read-only.js";

export interface FromRetrieverOptions {
  name?: string;
  /** What the retriever does; `keyword` for BM25Retriever, else `hybrid`, since a retriever does not tell and the planner prefers that. */
  mode?: SearchMode;
  /** Changes when the content does; by default the content is taken never to change while the process runs. */
  version?: string;
}

/**
 * Any LangChain retriever as a knowledge base, read-only. A retriever gives an order, not scores: each hit gets the reciprocal of its rank
 * on the scale `fusion`, unless the document carries a score whose scale is known (`bm25Score` of BM25Retriever).
 * In mode `keyword`, documents that share no term with the query are dropped: BM25Retriever fills its list up with those.
 *
 * A retriever returns as many documents as it was made for: filters look at those only.
 *
 * @example createCorrectiveRag({ knowledgeBase: fromRetriever(myRetriever, { mode: "keyword" }) })
 */
export function fromRetriever(
  retriever: BaseRetrieverInterface,
  { name, mode, version }: FromRetrieverOptions = {},
): KnowledgeBase {
  const type = retriever.getName?.() ?? "custom";
  const label = name ?? `retriever:${type}`;
  const served = mode ?? (type === "BM25Retriever" ? "keyword" : "hybrid");
  return readOnlyKnowledgeBase({
    name: label,
    modes: [served],
    version,
    async find({ query, signal }) {
      const documents = await retriever.invoke(query, { signal });
      const relevant = served === "keyword" ? documents.filter(sharesTermWith(query)) : documents;
      return relevant.map((document, index) => hitOf(document, index, label));
    },
  });
}

function sharesTermWith(query: string): (document: DocumentInterface) => boolean {
  const wanted = new Set(searchTerms(query));
  return ({ pageContent, metadata }) => {
    const score: unknown = metadata["bm25Score"];
    if (typeof score === "number") return score !== 0;
    return searchTerms(`${String(metadata["title"] ?? "")}\n${pageContent}`).some((term) =>
      wanted.has(term),
    );
  };
}

function hitOf(document: DocumentInterface, index: number, by: string): Hit {
  return {
    passage: passageOfDocument(document),
    scores: [knownScore(document, by) ?? { value: 1 / (index + 1), scale: "fusion", by }],
  };
}

function knownScore({ metadata }: DocumentInterface, by: string): Score | undefined {
  const bm25: unknown = metadata["bm25Score"];
  return typeof bm25 === "number" ? { value: bm25, scale: "bm25", by } : undefined;
}
