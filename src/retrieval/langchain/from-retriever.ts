import type { DocumentInterface } from "@langchain/core/documents";
import type { BaseRetrieverInterface } from "@langchain/core/retrievers";
import type { Score } from "../../state/evidence.js";
import type { Hit, KnowledgeBase, SearchMode } from "../knowledge-base.js";
import { passageOfDocument } from "./passage-of-document.js";
import { readOnlyKnowledgeBase } from "./read-only.js";

export interface FromRetrieverOptions {
  name?: string;
  /** What the retriever does; `hybrid` by default, since a retriever does not tell and the planner prefers that. */
  mode?: SearchMode;
  /** Changes when the content does; by default the content is taken never to change while the process runs. */
  version?: string;
}

/**
 * Any LangChain retriever as a knowledge base, read-only. A retriever gives an order, not scores: each hit gets the reciprocal of its rank
 * on the scale `fusion`, unless the document carries a score whose scale is known (`bm25Score` of BM25Retriever).
 * Documents that BM25Retriever scored with zero share no word with the query and are dropped.
 *
 * A retriever returns as many documents as it was made for: filters look at those only.
 *
 * @example createCorrectiveRag({ knowledgeBase: fromRetriever(myRetriever, { mode: "keyword" }) })
 */
export function fromRetriever(
  retriever: BaseRetrieverInterface,
  { name, mode = "hybrid", version }: FromRetrieverOptions = {},
): KnowledgeBase {
  const label = name ?? `retriever:${retriever.getName?.() ?? "custom"}`;
  return readOnlyKnowledgeBase({
    name: label,
    modes: [mode],
    version,
    async find({ query, signal }) {
      const documents = await retriever.invoke(query, { signal });
      return documents.filter((document) => document.metadata["bm25Score"] !== 0).map((document, index) => hitOf(document, index, label));
    },
  });
}

function hitOf(document: DocumentInterface, index: number, by: string): Hit {
  return { passage: passageOfDocument(document), scores: [knownScore(document, by) ?? { value: 1 / (index + 1), scale: "fusion", by }] };
}

function knownScore({ metadata }: DocumentInterface, by: string): Score | undefined {
  const bm25: unknown = metadata["bm25Score"];
  return typeof bm25 === "number" ? { value: bm25, scale: "bm25", by } : undefined;
}
