/** The three ways to search a collection. */
import type { Schemas } from "@qdrant/js-client-rest";
import type { Score } from "../../state/evidence.js";
import { searchTerms } from "../../text/search-terms.js";
import { mergeByBestScore, reciprocalRankFusion, RRF_K } from "../fusion.js";
import type { Embedder, Hit, SearchRequest } from "../knowledge-base.js";
import { queryVector, type SparseVector } from "./bm25-vector.js";
import { expandedQuery } from "./expansion.js";
import { DENSE, SPARSE } from "./collection.js";
import type { QdrantConnection } from "./connection.js";
import { pointsOf, type Condition } from "./filter.js";
import { readPassage } from "./payload.js";

export interface SearchContext {
  connection: QdrantConnection;
  request: SearchRequest;
  conditions: readonly Condition[];
  /** How many passages the collection holds, roughly. */
  passages: number;
}

export interface VectorContext extends SearchContext {
  embedder: Embedder;
  /** Of the query, or of each hypothetical document. */
  vectors: readonly (readonly number[])[];
}

/** How many candidates each leg gives to a fusion: deep enough that a passage weak in one leg can still be lifted by the other. */
const CANDIDATES_PER_LEG = 100;
/** The first hits that an expansion looks at. */
const FEEDBACK_PASSAGES = 10;

/** By BM25. Empty when the query has no terms. */
export async function keywordSearch(context: SearchContext): Promise<Hit[]> {
  const leg = await sparseLeg(context);
  return leg ? sparseHits(context, leg, context.request.limit) : [];
}

/** By cosine; several vectors are searched side by side and merged by best score. */
export async function vectorSearch({
  connection,
  request,
  conditions,
  embedder,
  vectors,
}: VectorContext): Promise<Hit[]> {
  const searches = vectors.map((vector) => ({
    ...denseLeg(vector, conditions),
    limit: request.limit,
    with_payload: true,
  }));
  const lists = await query(connection, searches, request.signal);
  return mergeByBestScore(
    lists.map((points) =>
      points.flatMap((point) => hitOf(point, cosineScore(point.score, embedder))),
    ),
  ).slice(0, request.limit);
}

/**
 * Both, fused by the server. With hypothetical documents the legs are fused here, since the server cannot merge vectors by best score
 * first.
 */
export async function hybridSearch(context: VectorContext): Promise<Hit[]> {
  const { connection, request, conditions, vectors } = context;
  const [vector, ...more] = vectors;
  if (!vector || more.length > 0) return fuseHere(context);
  const sparse = await sparseLeg(context);
  if (!sparse) return fuseHere(context);
  const depth = Math.max(CANDIDATES_PER_LEG, request.limit);
  const dense = denseLeg(vector, conditions);
  const [points = []] = await query(
    connection,
    [
      {
        prefetch: [
          { ...prefetchOf(sparse), limit: depth },
          { ...dense, limit: depth },
        ],
        // The server counts ranks from 0, the formula from 1.
        query: { rrf: { k: RRF_K + 1 } },
        limit: request.limit,
        with_payload: true,
      },
    ],
    request.signal,
  );
  return withLegScores(context, points, sparse, dense);
}

type Leg = Pick<Schemas["Prefetch"], "query" | "using" | "filter">;
interface SparseLeg extends Leg {
  query: SparseVector;
  /** What its scores say of who gave them. */
  by: string;
}

/** The fused list says nothing of its legs, but the fast path needs the cosine: the same queries again, on the points found only. */
async function withLegScores(
  { connection, request, embedder }: VectorContext,
  points: readonly Schemas["ScoredPoint"][],
  sparse: SparseLeg,
  dense: Leg,
): Promise<Hit[]> {
  if (points.length === 0) return [];
  const filter = { must: [{ has_id: points.map(({ id }) => id) }] };
  const legs = [prefetchOf(sparse), dense].map((leg) => ({
    ...leg,
    filter,
    limit: points.length,
    with_payload: false,
  }));
  const [keyword = [], cosine = []] = await query(connection, legs, request.signal);
  const bm25ById = new Map(keyword.map(({ id, score }) => [id, score]));
  const cosineById = new Map(cosine.map(({ id, score }) => [id, score]));
  return points.flatMap((point) => {
    const bm25 = bm25ById.get(point.id);
    const similarity = cosineById.get(point.id);
    return hitOf(
      point,
      { value: point.score, scale: "fusion", by: "rrf" },
      ...(bm25 === undefined ? [] : [bm25Score(bm25, sparse.by)]),
      ...(similarity === undefined ? [] : [cosineScore(similarity, embedder)]),
    );
  });
}

async function fuseHere(context: VectorContext): Promise<Hit[]> {
  const deep = {
    ...context,
    request: { ...context.request, limit: Math.max(CANDIDATES_PER_LEG, context.request.limit) },
  };
  const legs = await Promise.all([keywordSearch(deep), vectorSearch(deep)]);
  return reciprocalRankFusion(legs).slice(0, context.request.limit);
}

/** The query's terms, with terms of its first hits unless that is switched off; undefined for a query without terms. */
async function sparseLeg(context: SearchContext): Promise<SparseLeg | undefined> {
  const { request, conditions, passages } = context;
  const terms = searchTerms(request.query);
  if (terms.length === 0) return undefined;
  const plain: SparseLeg = {
    query: queryVector(terms),
    using: SPARSE,
    filter: pointsOf("passage", conditions),
    by: "qdrant",
  };
  if (request.expand === false) return plain;
  const first = await sparseHits(context, plain, FEEDBACK_PASSAGES);
  return first.length === 0
    ? plain
    : { ...plain, query: expandedQuery(terms, first, passages), by: "qdrant+feedback" };
}

async function sparseHits(
  { connection, request }: SearchContext,
  leg: SparseLeg,
  limit: number,
): Promise<Hit[]> {
  const [points = []] = await query(
    connection,
    [{ ...prefetchOf(leg), limit, with_payload: true }],
    request.signal,
  );
  return points.flatMap((point) => hitOf(point, bm25Score(point.score, leg.by)));
}

/** What the server understands of a leg. */
function prefetchOf({ query, using, filter }: Leg): Leg {
  return { query, using, filter };
}

function denseLeg(vector: readonly number[], conditions: readonly Condition[]): Leg {
  return { query: [...vector], using: DENSE, filter: pointsOf("passage", conditions) };
}

async function query(
  connection: QdrantConnection,
  searches: Schemas["QueryRequest"][],
  signal: AbortSignal | undefined,
): Promise<Schemas["ScoredPoint"][][]> {
  const answers = await connection.call(
    (api, init) => api.queryBatchPoints({ collection_name: connection.collection, searches }, init),
    signal,
  );
  return answers.map(({ points }) => points);
}

function hitOf(point: Schemas["ScoredPoint"], ...scores: Score[]): Hit[] {
  const stored = readPassage(point.payload);
  return stored ? [{ passage: stored.passage, scores }] : [];
}

function bm25Score(value: number, by: string): Score {
  return { value, scale: "bm25", by };
}

/** Opposite directions are as irrelevant as unrelated ones. */
function cosineScore(value: number, embedder: Embedder): Score {
  return { value: Math.min(1, Math.max(0, value)), scale: "cosine", by: embedder.model };
}
