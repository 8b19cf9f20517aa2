/** Reading a collection: the three ways to search it, and all points that pass a filter. */
import type { Schemas } from "@qdrant/js-client-rest";
import { z } from "zod";
import type { Score } from "../../state/evidence.js";
import { searchTerms } from "../../text/analyse.js";
import { bestCosine, CANDIDATES_PER_LEG, cosineScore, fuseLegs, mergeByBest } from "../fusion.js";
import type { Hit, SearchFilter, SearchMode, SearchRequest } from "../knowledge-base.js";
import { folderOfGlob, isGlob, isoInstant, pathMatcher } from "../search-filter.js";
import type { QdrantConnection } from "./connection.js";
import { DENSE, queryVector, readDocument, readPassage, SPARSE, type PointType } from "./points.js";

type Condition = Schemas["FieldCondition"];

/** Returns a filter: points of this type that meet all conditions. */
export function pointsOf(
  type: PointType,
  conditions: readonly Condition[] = [],
): { must: Condition[] } {
  return { must: [has("type", type), ...conditions] };
}

export function has(key: "type" | "path" | "folders" | "kind", value: string): Condition {
  return { key, match: { value } };
}

export function pathIsOneOf(paths: readonly string[]): Condition {
  return { key: "path", match: { any: [...paths] } };
}

const ScoredPoint = z.object({
  score: z.number(),
  payload: z.unknown(),
  vector: z.object({ [DENSE]: z.array(z.number()).optional() }).nullish(),
});
const Answers = z.array(z.object({ points: z.array(ScoredPoint) }));

const idOf = ({ passage }: Hit): string => passage.id;

/**
 * Searches; both legs of a hybrid search go out in one request, and are fused here.
 * @param vectors of the query, or of each hypothetical document; none for a search by keywords
 * @param model the embedding model; undefined without one
 */
export async function searchCollection(
  connection: QdrantConnection,
  mode: SearchMode,
  request: SearchRequest,
  { vectors, model }: { vectors: readonly Float32Array[]; model: string | undefined },
): Promise<Hit[]> {
  const { query, signal } = request;
  const conditions = await conditionsOf(connection, request);
  if (conditions === undefined) return [];
  const limit = mode === "hybrid" ? Math.max(CANDIDATES_PER_LEG, request.limit) : request.limit;
  const filter = pointsOf("passage", conditions);
  const with_vector = model === undefined ? false : [DENSE];
  const common = { filter, limit, with_payload: true, with_vector };
  const terms = mode === "vector" ? [] : searchTerms(query);
  const sparse = terms.length > 0 ? [{ query: queryVector(terms), using: SPARSE }] : [];
  const dense = vectors.map((vector) => ({ query: Array.from(vector), using: DENSE }));
  const searches: Schemas["QueryRequest"][] = [...sparse, ...dense].map((leg) => ({
    ...common,
    ...leg,
  }));
  if (searches.length === 0) return [];
  const answers = await connection.send({
    path: "/points/query/batch",
    body: { searches },
    result: Answers,
    signal,
  });
  const lists = answers.map(({ points }, index) => {
    const isSparse = index < sparse.length;
    return points.flatMap((point) =>
      hitOf(
        point,
        isSparse
          ? { value: point.score, scale: "bm25", by: "qdrant" }
          : cosineScore(point.score, model ?? ""),
      ),
    );
  });
  const [keyword = []] = lists.slice(0, sparse.length);
  if (mode === "keyword") return keyword;
  const near = mergeByBest(lists.slice(sparse.length), idOf);
  if (mode === "vector") return near.slice(0, limit);
  return fuseLegs(keyword, near, {
    keyOf: idOf,
    cosineOf: ({ vector }) => vector && bestCosine(vectors, vector),
    model: model ?? "",
  }).slice(0, request.limit);
}

/** The server gives vectors of length 1, since that is how it stores them for cosine distance. */
function hitOf({ payload, vector }: z.infer<typeof ScoredPoint>, score: Score): Hit[] {
  const stored = readPassage(payload);
  if (stored === undefined) return [];
  const dense = vector?.[DENSE];
  const { passage } = stored;
  return [{ passage, scores: [score], ...(dense && { vector: Float32Array.from(dense) }) }];
}

/** Returns a filter in the server's terms; undefined where no document passes it. */
async function conditionsOf(
  connection: QdrantConnection,
  { filter = {}, signal }: SearchRequest,
): Promise<Condition[] | undefined> {
  const { path, kind } = filter;
  const conditions = [...(kind === undefined ? [] : [has("kind", kind)]), ...datesOf(filter)];
  if (path === undefined || path === "") return conditions;
  if (!isGlob(path)) return [has(path.endsWith("/") ? "folders" : "path", path), ...conditions];
  const matched = await pathsOfGlob(connection, path, signal);
  return matched.length === 0 ? undefined : [pathIsOneOf(matched), ...conditions];
}

function datesOf({ modifiedAfter: after, modifiedBefore: before }: SearchFilter): Condition[] {
  if (after === undefined && before === undefined) return [];
  return [
    {
      key: "modifiedAt",
      range: {
        ...(after !== undefined && { gte: isoInstant(after, "start") }),
        ...(before !== undefined && { lte: isoInstant(before, "end") }),
      },
    },
  ];
}

/** The server knows no globs: their paths are looked up in the folder that the glob names. */
async function pathsOfGlob(
  connection: QdrantConnection,
  pattern: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const folder = folderOfGlob(pattern);
  const filter = pointsOf("document", folder === "" ? [] : [has("folders", folder)]);
  const documents = await readAll(connection, filter, {
    read: readDocument,
    pageSize: DOCUMENTS_PER_PAGE,
    signal,
  });
  return documents.map(({ path }) => path).filter(pathMatcher(pattern));
}

const POINTS_PER_PAGE = 256;
/** Of documents, which are small. */
export const DOCUMENTS_PER_PAGE = 1000;

const Page = z.object({
  points: z.array(z.object({ payload: z.unknown() })),
  next_page_offset: z.union([z.string(), z.number()]).nullish(),
});

/** Reads all points that pass the filter, page by page, in the order of their ids. */
export async function readAll<T>(
  connection: QdrantConnection,
  filter: Schemas["Filter"],
  {
    read,
    pageSize = POINTS_PER_PAGE,
    signal,
  }: {
    /** Undefined for a point that is none of ours. */
    read: (payload: unknown) => T | undefined;
    pageSize?: number;
    signal?: AbortSignal;
  },
): Promise<T[]> {
  const all: T[] = [];
  let offset: string | number | null | undefined;
  do {
    const body: Schemas["ScrollRequest"] = {
      filter,
      limit: pageSize,
      with_payload: true,
      with_vector: false,
      offset,
    };
    const page = await connection.send({ path: "/points/scroll", body, result: Page, signal });
    all.push(...page.points.flatMap(({ payload }) => read(payload) ?? []));
    offset = page.next_page_offset;
  } while (offset !== undefined && offset !== null);
  return all;
}
