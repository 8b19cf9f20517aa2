import { createHash } from "node:crypto";
import type { DocumentInterface } from "@langchain/core/documents";
import type { BaseRetrieverInterface } from "@langchain/core/retrievers";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import { z } from "zod";
import { DOCUMENT_KINDS, kindOfFile } from "../../formats/document-formats.js";
import type { Score } from "../../state/evidence.js";
import { readMetadata } from "../../state/metadata.js";
import { reasonOf } from "../../support/errors.js";
import { abortable } from "../../support/waiting.js";
import { isWebAddress } from "../../support/web-address.js";
import { searchTerms } from "../../text/analyse.js";
import { bestFirst, cosineScore } from "../fusion.js";
import {
  KnowledgeBaseError,
  type Hit,
  type KnowledgeBase,
  type Passage,
  type SearchMode,
  type SearchRequest,
} from "../knowledge-base.js";
import { filterMatcher } from "../search-filter.js";

/**
 * Wraps a LangChain retriever as a read-only knowledge base. Since a retriever gives an order and
 * no scores, a hit's score is the reciprocal of its rank, or BM25Retriever's score.
 * BM25Retriever also lists documents that do not match, so keyword search drops those that share no
 * term with the query. Filters apply only to what the retriever returned.
 * @param options its mode: by default `keyword` for BM25Retriever, else `hybrid`
 * @example createCorrectiveRag({ knowledgeBase: fromRetriever(myRetriever, { mode: "keyword" }) })
 */
export function fromRetriever(
  retriever: BaseRetrieverInterface,
  options: { mode?: SearchMode } = {},
): KnowledgeBase {
  const type = retriever.getName?.() ?? "custom";
  const name = `retriever:${type}`;
  const mode = options.mode ?? (type === "BM25Retriever" ? "keyword" : "hybrid");
  return readOnlyKnowledgeBase(name, mode, async ({ query, signal }) => {
    const terms = new Set(searchTerms(query));
    const isMatch = ({ title, text }: Passage): boolean =>
      searchTerms(`${title}\n${text}`).some((term) => terms.has(term));
    const found = await retriever.invoke(query, { signal });
    return found.flatMap((document, index): Hit[] => {
      const passage = passageOfDocument(document);
      const value: unknown = document.metadata?.["bm25Score"];
      const score: Score =
        typeof value === "number" ? { value, scale: "bm25", by: name } : orderScore(index, name);
      const isFound = typeof value === "number" ? value !== 0 : isMatch(passage);
      return mode === "keyword" && !isFound ? [] : [{ passage, scores: [score] }];
    });
  });
}

function orderScore(index: number, by: string): Score {
  return { value: 1 / (index + 1), scale: "fusion", by };
}

const WITH_COSINES = ["qdrant", "memory"];

/**
 * Wraps a LangChain vector store as a read-only knowledge base. Filters apply only to what the
 * store returned.
 * @param options the meaning of the store's scores: by default `cosine` for Qdrant and the
 *   in-memory store, else `order`, since LangChain does not define what a store returns, and a
 *   distance mistaken for a similarity would approve the worst hits
 * @example createCorrectiveRag({ knowledgeBase: fromVectorStore(store) })
 */
export function fromVectorStore(
  store: VectorStoreInterface,
  options: { score?: "cosine" | "order" } = {},
): KnowledgeBase {
  const type = store._vectorstoreType();
  const name = `vector-store:${type}`;
  const isCosine = (options.score ?? (WITH_COSINES.includes(type) && "cosine")) === "cosine";
  return readOnlyKnowledgeBase(name, "vector", async ({ query, hypotheticals = [] }, count) => {
    const texts = hypotheticals.length > 0 ? hypotheticals : [query];
    const lists = await Promise.all(
      texts.map(async (text): Promise<Hit[]> => {
        const found = await store.similaritySearchWithScore(text, count);
        return found.map(([document, score], index) => ({
          passage: passageOfDocument(document),
          scores: [isCosine ? cosineScore(score, name) : orderScore(index, name)],
        }));
      }),
    );
    return bestFirst(lists.flat());
  });
}

/** How many times more hits to ask for when there is a filter. */
const OVERFETCH = 8;

/**
 * Adds checks, filters and the limit to a search. Such a store has no documents to list or read.
 * @param find returns hits, best first, and possibly more than asked for
 */
function readOnlyKnowledgeBase(
  name: string,
  mode: SearchMode,
  find: (request: SearchRequest, count: number) => Promise<Hit[]>,
): KnowledgeBase {
  return {
    name,
    modes: [mode],
    async search(asked, request) {
      if (asked !== mode)
        throw new KnowledgeBaseError(`${name} cannot search by ${asked}, only by ${mode}`);
      const { query, limit, filter, signal } = request;
      if (query.trim() === "" || limit <= 0) return [];
      signal?.throwIfAborted();
      const matches = filterMatcher(filter);
      let hits: Hit[];
      try {
        // Many stores ignore the signal.
        hits = await abortable(find(request, filter ? limit * OVERFETCH : limit), signal);
      } catch (cause) {
        signal?.throwIfAborted();
        throw new KnowledgeBaseError(`${name} failed: ${reasonOf(cause)}`, undefined, { cause });
      }
      // In the store's order: a reranker's is worth more than the scores that it passes on.
      const byId = new Map<string, Hit>();
      for (const { passage, ...hit } of hits) {
        // Another text under a known id gets an id of its own.
        const known = byId.get(passage.id)?.passage.text ?? passage.text;
        const id = known === passage.text ? passage.id : `${passage.id}:${hash(passage.text)}`;
        if (!byId.has(id)) byId.set(id, { ...hit, passage: { ...passage, id } });
      }
      return [...byId.values()].filter(({ passage }) => matches(passage)).slice(0, limit);
    },
    documents: async () => [],
    passagesOf: async () => [],
    version: async () => undefined,
    stats: async () => ({ documents: 0, passages: 0 }),
    close: async () => undefined,
  };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

const Text = z.string().min(1).optional().catch(undefined);
/** Some loaders count from 0, which cannot be cited. */
const Ordinal = z.number().int().min(1).optional().catch(undefined);
/** Qdrant's ids may be numbers. */
const Identifier = z.union([z.string().min(1), z.number()]).transform(String);
const IsoDate = z
  .union([z.string(), z.number(), z.date()])
  .pipe(z.coerce.date())
  .transform((date) => date.toISOString())
  .optional()
  .catch(undefined);

/**
 * Names used by LangChain's loaders (`source`), text splitters (`loc.lines`) and PDF loader
 * (`loc.pageNumber`), and our own.
 */
const Metadata = z.object({
  id: Identifier.optional().catch(undefined),
  path: Text,
  source: Text,
  url: Text,
  title: Text,
  heading: Text,
  kind: z.enum(DOCUMENT_KINDS).optional().catch(undefined),
  startLine: Ordinal,
  endLine: Ordinal,
  page: Ordinal,
  loc: z
    .object({
      lines: z.object({ from: Ordinal, to: Ordinal }).optional().catch(undefined),
      pageNumber: Ordinal,
    })
    .optional()
    .catch(undefined),
  modifiedAt: IsoDate,
  lastModified: IsoDate,
});

/** Without an id, one is made of source and content: text found twice is the same evidence. */
export function passageOfDocument(document: DocumentInterface): Passage {
  if (typeof document?.pageContent !== "string")
    throw new TypeError("it returned something that is not a document");
  const { id, pageContent, metadata } = document;
  // Custom retrievers may omit the metadata.
  const given = Metadata.parse(metadata ?? {});
  const { loc, heading } = given;
  // Without what becomes part of the passage itself.
  const rest = Object.entries(metadata ?? {}).filter(
    ([key]) => key === "url" || !(key in Metadata.shape || key === "bm25Score"),
  );
  const described = readMetadata(Object.fromEntries(rest));
  const contentId = hash(JSON.stringify([given.source ?? given.path ?? null, pageContent]));
  const path = given.path ?? given.source ?? given.url ?? `document-${contentId.slice(0, 12)}`;
  const name = path.replaceAll("\\", "/").split("/").filter(Boolean).at(-1);
  return {
    // An id in the metadata is often shared by all chunks of a document.
    id: Identifier.safeParse(id).data ?? (given.id ? `${given.id}:${contentId}` : contentId),
    text: pageContent,
    title: given.title ?? name ?? path,
    path,
    kind: given.kind ?? (isWebAddress(path) ? "web" : kindOfFile(path)),
    startLine: given.startLine ?? loc?.lines?.from,
    endLine: given.endLine ?? loc?.lines?.to,
    page: given.page ?? loc?.pageNumber,
    heading,
    modifiedAt: given.modifiedAt ?? given.lastModified,
    ...(Object.keys(described).length > 0 && { metadata: described }),
  };
}
