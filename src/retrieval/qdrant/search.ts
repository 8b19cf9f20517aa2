/** The three ways to search a collection. */
import type { Schemas } from "@qdrant/js-client-rest";
import type { Score } from "../../state/evidence.js";
import { searchTerms } from "../../text/search-terms.js";
import { fuseLegs, mergeByBest } from "../fusion.js";
import type { Hit, SearchMode, SearchRequest, Vector } from "../knowledge-base.js";
import { dot, normalized } from "../vector-math.js";
import { queryVector } from "./bm25-vector.js";
import { DENSE, SPARSE } from "./collection.js";
import type { QdrantConnection } from "./connection.js";
import { pointsOf, type Condition } from "./filter.js";
import { readPassage } from "./payload.js";

export interface SearchContext {
  connection: QdrantConnection;
  request: SearchRequest;
  conditions: readonly Condition[];
  /** Of the query, or of each hypothetical document; none for a search by keywords. */
  vectors: readonly Vector[];
  /** The embedding model. */
  model: string;
}

/** Candidates of each leg of a hybrid search: deep enough that a passage weak in one leg can still be lifted by the other. */
const CANDIDATES_PER_LEG = 100;

const idOf = ({ passage }: Hit): string => passage.id;

/** Both legs go out in one request; they are fused here, as in the SQLite store. */
export async function searchCollection(mode: SearchMode, context: SearchContext): Promise<Hit[]> {
  const { connection, request, vectors, model } = context;
  const limit = mode === "hybrid" ? Math.max(CANDIDATES_PER_LEG, request.limit) : request.limit;
  const filter = pointsOf("passage", context.conditions);
  const common = { filter, limit, with_payload: true, with_vector: model === "" ? false : [DENSE] };
  const terms = mode === "vector" ? [] : searchTerms(request.query);
  const sparse =
    terms.length === 0 ? [] : [{ ...common, query: queryVector(terms), using: SPARSE }];
  const dense = mode === "keyword" ? [] : vectors;
  const searches: Schemas["QueryRequest"][] = [
    ...sparse,
    ...dense.map((vector) => ({ ...common, query: Array.from(vector), using: DENSE })),
  ];
  if (searches.length === 0) return [];
  const answers = await connection.call(
    (api, init) => api.queryBatchPoints({ collection_name: connection.collection, searches }, init),
    request.signal,
  );
  const lists = answers.map(({ points }) => points);
  const keyword = (sparse.length === 0 ? [] : (lists.shift() ?? [])).flatMap((point) =>
    hitOf(point, [{ value: point.score, scale: "bm25", by: "qdrant" }]),
  );
  if (mode === "keyword") return keyword;
  const near = mergeByBest(
    lists.map((points) =>
      points.flatMap((point) => hitOf(point, [cosineScore(point.score, model)])),
    ),
    idOf,
  );
  if (mode === "vector") return near.slice(0, limit);
  const units = vectors.map(normalized);
  const cosines = new Map(near.map((hit) => [idOf(hit), hit.scores[0]?.value]));
  const both = keyword.map((hit): Hit => {
    const { vector } = hit;
    const value =
      cosines.get(idOf(hit)) ?? (vector && Math.max(0, ...units.map((unit) => dot(unit, vector))));
    if (value === undefined) return hit;
    cosines.set(idOf(hit), value);
    return { ...hit, scores: [...hit.scores, cosineScore(value, model)] };
  });
  return fuseLegs(both, near, { keyOf: idOf, cosineOf: (hit) => cosines.get(idOf(hit)) }).slice(
    0,
    request.limit,
  );
}

/** The server gives vectors of length 1, since that is how it stores them for cosine distance. */
function hitOf({ payload, vector }: Schemas["ScoredPoint"], scores: Score[]): Hit[] {
  const stored = readPassage(payload);
  if (stored === undefined) return [];
  const dense: unknown =
    typeof vector === "object" && vector !== null ? Reflect.get(vector, DENSE) : undefined;
  const floats = Array.isArray(dense) ? Float32Array.from(dense.map(Number)) : undefined;
  return [{ passage: stored.passage, scores, ...(floats && { vector: floats }) }];
}

/** Opposite directions are as irrelevant as unrelated ones. */
function cosineScore(value: number, model: string): Score {
  return { value: Math.min(1, Math.max(0, value)), scale: "cosine", by: model };
}
