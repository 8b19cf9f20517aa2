/** LangChain's retrievers and vector stores as knowledge bases, read-only. */
import { createHash } from "node:crypto";
import type { DocumentInterface } from "@langchain/core/documents";
import type { BaseRetrieverInterface } from "@langchain/core/retrievers";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import { z } from "zod";
import type { Score } from "../../state/evidence.js";
import { reasonOf } from "../../support/errors.js";
import { abortable } from "../../support/waiting.js";
import { isWebAddress } from "../../support/web-address.js";
import { searchTerms } from "../../text/analyse.js";
import { bestFirst, cosineScore } from "../fusion.js";
import {
  DOCUMENT_KINDS,
  KnowledgeBaseError,
  type DocumentKind,
  type Hit,
  type KnowledgeBase,
  type Passage,
  type SearchMode,
  type SearchRequest,
} from "../knowledge-base.js";
import { filterMatcher } from "../search-filter.js";

/**
 * Any LangChain retriever as a knowledge base, read-only. A retriever gives an order, not scores:
 * each hit gets the reciprocal of its rank on the scale `fusion`, or BM25Retriever's score. In mode
 * `keyword`, documents that share no term with the query are dropped: BM25Retriever fills its list
 * up with those. Filters look only at what the retriever returned.
 * @param options its mode, which a retriever does not tell: `keyword` for BM25Retriever, else
 *   `hybrid`
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
    const wanted = new Set(searchTerms(query));
    const found = (await retriever.invoke(query, { signal })).filter((document) => {
      if (mode !== "keyword") return true;
      const score = bm25Of(document);
      if (score !== undefined) return score !== 0;
      const { title, text } = passageOfDocument(document);
      return searchTerms(`${title}\n${text}`).some((term) => wanted.has(term));
    });
    return found.map((document, index) => {
      const value = bm25Of(document);
      const score: Score =
        value === undefined ? orderScore(index, name) : { value, scale: "bm25", by: name };
      return { passage: passageOfDocument(document), scores: [score] };
    });
  });
}

function bm25Of({ metadata }: DocumentInterface): number | undefined {
  const score: unknown = metadata?.["bm25Score"];
  return typeof score === "number" ? score : undefined;
}

/** What an order is worth: the best first, and nothing more. */
function orderScore(index: number, by: string): Score {
  return { value: 1 / (index + 1), scale: "fusion", by };
}

const WITH_COSINES = ["qdrant", "memory"];

/**
 * Any LangChain vector store as a knowledge base, read-only. Hypothetical documents are searched
 * with in place of the query. Filters look only at what the store returned.
 * @param options the meaning of the store's score: a cosine, or something of which only the order
 *   is used. Known for Qdrant and the in-memory store; `order` for all others, since LangChain does
 *   not fix what a store returns, and a distance taken for a similarity would approve the worst hits
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

/** With a filter, this many times the hits are asked for: the store itself cannot filter by it. */
const OVERFETCH = 8;

/**
 * Adds checks, filtering after the fact and the limit. Such a store knows passages only, so there
 * are no documents to list or to read.
 * @param find best first; may return more than asked for
 */
function readOnlyKnowledgeBase(
  name: string,
  mode: SearchMode,
  find: (request: SearchRequest, count: number) => Promise<Hit[]>,
): KnowledgeBase {
  return {
    name,
    modes: [mode],
    async search(wanted, request) {
      if (wanted !== mode)
        throw new KnowledgeBaseError(`${name} cannot search by ${wanted}, only by ${mode}`);
      const { query, limit, filter, signal } = request;
      if (query.trim() === "" || limit <= 0) return [];
      signal?.throwIfAborted();
      const matches = filterMatcher(filter);
      let hits: Hit[];
      try {
        // Many stores take no signal, and some that do ignore it.
        hits = await abortable(find(request, filter ? limit * OVERFETCH : limit), signal);
      } catch (cause) {
        signal?.throwIfAborted();
        throw new KnowledgeBaseError(`${name} failed: ${reasonOf(cause)}`, undefined, { cause });
      }
      return distinct(hits)
        .filter(({ passage }) => matches(passage))
        .slice(0, limit);
    },
    documents: async () => [],
    passagesOf: async () => [],
    version: async () => undefined,
    stats: async () => ({ documents: 0, passages: 0 }),
    close: async () => undefined,
  };
}

/** Each passage once, the best first; other text under the same id gets an id of its own. */
function distinct(hits: readonly Hit[]): Hit[] {
  const texts = new Map<string, Set<string>>();
  return hits.flatMap((hit): Hit[] => {
    const { id, text } = hit.passage;
    const known = texts.get(id) ?? new Set();
    if (known.has(text)) return [];
    texts.set(id, known.add(text));
    return known.size === 1
      ? [hit]
      : [{ ...hit, passage: { ...hit.passage, id: `${id}:${hash(text)}` } }];
  });
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

const Text = z.string().min(1).optional().catch(undefined);
/** Some loaders count from 0, and a 0 is no place that we could cite. */
const Ordinal = z.number().int().min(1).optional().catch(undefined);
/** A numeric id is what Qdrant gives. */
const Identifier = z.union([z.string().min(1), z.number()]).transform(String);
const IsoDate = z
  .union([z.string(), z.number(), z.date()])
  .pipe(z.coerce.date())
  .transform((date) => date.toISOString())
  .optional()
  .catch(undefined);

/**
 * Loaders and stores agree on little: `source` names the file or page, lines stand in `loc.lines`
 * (text splitters), pages in `loc.pageNumber` (PDF loader); our own names are understood as well.
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

/**
 * Returns a LangChain document as a passage. Without an id it gets one made of its source and
 * content, so that the same text found twice is the same evidence.
 */
function passageOfDocument({ id, pageContent, metadata }: DocumentInterface): Passage {
  // A retriever of the user's own may leave it out.
  const given = Metadata.parse(metadata ?? {});
  const { loc, heading } = given;
  const contentId = hash(JSON.stringify([given.source ?? given.path ?? null, pageContent]));
  const path = given.path ?? given.source ?? given.url ?? `document-${contentId.slice(0, 12)}`;
  const name = path.replaceAll("\\", "/").split("/").filter(Boolean).at(-1);
  return {
    // An id among the metadata is often the document's, and shared by all of its pieces.
    id: Identifier.safeParse(id).data ?? (given.id ? `${given.id}:${contentId}` : contentId),
    text: pageContent,
    title: given.title ?? name ?? path,
    path,
    kind: given.kind ?? kindOf(path),
    startLine: given.startLine ?? loc?.lines?.from,
    endLine: given.endLine ?? loc?.lines?.to,
    page: given.page ?? loc?.pageNumber,
    heading,
    modifiedAt: given.modifiedAt ?? given.lastModified,
  };
}

/** Most kinds are called like their files' extension. */
function kindOf(path: string): DocumentKind {
  if (isWebAddress(path)) return "web";
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  if (extension === "md") return "markdown";
  if (extension === "htm") return "html";
  return DOCUMENT_KINDS.find((kind) => kind === extension) ?? "text";
}
