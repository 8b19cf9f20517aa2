import type { Schemas } from "@qdrant/js-client-rest";
import { z } from "zod";
import type { Score } from "../../state/evidence.js";
import { searchTerms } from "../../text/analyse.js";
import { cosineScore } from "../fusion.js";
import type { Legs } from "../indexed-text.js";
import type { Filter } from "../../settings/filter.js";
import { KnowledgeBaseError, type Hit, type SearchRequest } from "../knowledge-base.js";
import {
  asFolder,
  compileFilter,
  folderOfMatches,
  needsMatcher,
  pathMatcher,
  type FactTest,
} from "../search-filter.js";
import type { QdrantConnection } from "./collection.js";
import { DENSE, queryVector, readDocument, readPassage, SPARSE, type PointType } from "./points.js";

type Condition = Schemas["Condition"];

/** Returns a filter for points of this type that meet all conditions. */
export function pointsOf(
  type: PointType,
  conditions: readonly Condition[] = [],
): { must: Condition[] } {
  return { must: [has("type", type), ...conditions] };
}

export function has(key: "type" | "path" | "folders", value: string): Schemas["FieldCondition"] {
  return { key, match: { value } };
}

export function pathIsOneOf(paths: readonly string[]): Condition {
  return { key: "path", match: { any: [...paths] } };
}

/**
 * Searches for words and vectors in one request.
 * @param model the embedding model, if any
 */
export async function findPoints(
  connection: QdrantConnection,
  request: SearchRequest,
  {
    words,
    vectors,
    limit,
    model,
  }: { words: boolean; vectors: readonly Float32Array[]; limit: number; model: string | undefined },
): Promise<Legs<Hit>> {
  const { query, signal } = request;
  const conditions = await conditionsOf(connection, request.filter, signal);
  const terms = words ? searchTerms(query) : [];
  const sparse = terms.length > 0 ? [{ query: queryVector(terms), using: SPARSE }] : [];
  const dense = vectors.map((vector) => ({ query: Array.from(vector), using: DENSE }));
  const legs = [...sparse, ...dense];
  if (legs.length === 0) return { words: [], near: [] };
  const common = {
    filter: pointsOf("passage", conditions),
    limit,
    with_payload: true,
    with_vector: model === undefined ? false : [DENSE],
  };
  const searches: Schemas["QueryRequest"][] = legs.map((leg) => ({ ...common, ...leg }));
  const answers = await connection.call(
    (client, name) => client.queryBatch(name, { searches }),
    signal,
  );
  const lists = answers.map(({ points }, index) =>
    points
      .slice(0, limit)
      .flatMap((point) =>
        hitOf(
          point,
          index < sparse.length
            ? { value: point.score, scale: "bm25", by: "qdrant" }
            : cosineScore(point.score, model ?? ""),
        ),
      ),
  );
  return { words: lists.slice(0, sparse.length).flat(), near: lists.slice(sparse.length) };
}

const Vectors = z.object({ [DENSE]: z.array(z.number()).optional() }).nullish();

/** The server returns vectors at length 1, as it stores them for cosine distance. */
function hitOf({ payload, vector }: Schemas["ScoredPoint"], score: Score): Hit[] {
  const stored = readPassage(payload);
  if (stored === undefined) return [];
  const dense = Vectors.parse(vector)?.[DENSE];
  const { passage } = stored;
  return [{ passage, scores: [score], ...(dense && { vector: Float32Array.from(dense) }) }];
}

export async function conditionsOf(
  connection: QdrantConnection,
  filter: Filter | undefined,
  signal?: AbortSignal,
): Promise<Condition[]> {
  if (filter === undefined) return [];
  const globs = new Map<string, readonly string[]>();
  for (const pattern of pathsIn(filter).filter(needsMatcher))
    if (pattern !== "**") globs.set(pattern, await pathsMatching(connection, pattern, signal));
  const condition = compileFilter<Condition>(filter, {
    and: (all) => ({ must: [...all] }),
    // An empty list of alternatives would pass everything.
    or: (any) => (any.length === 0 ? NOTHING : { should: [...any] }),
    not: (one) => ({ must_not: [one] }),
    path(pattern) {
      if (pattern === "**") return { must_not: [NOTHING] };
      const matched = globs.get(pattern);
      if (matched !== undefined) return matched.length > 0 ? pathIsOneOf(matched) : NOTHING;
      return { should: [has("path", pattern), has("folders", asFolder(pattern))] };
    },
    fact: (key, test) => ({
      nested: {
        key: "facts",
        filter: { must: [{ key: "key", match: { value: key } }, ...factConditions(test)] },
      },
    }),
  });
  return [condition];
}

const NOTHING: Condition = { has_id: [] };

function factConditions(test: FactTest): Schemas["FieldCondition"][] {
  if (test === "any") return [];
  if ("texts" in test) return [{ key: "text", match: { any: [...test.texts] } }];
  if ("number" in test) return [{ key: "number", range: test.number }];
  return [{ key: "instant", range: test.instant }];
}

function pathsIn(filter: Filter): string[] {
  const paths: string[] = [];
  const none = (): number => 0;
  const path = (pattern: string): number => paths.push(pattern);
  compileFilter(filter, { and: none, or: none, not: none, fact: none, path });
  return paths;
}

/** The server knows no globs and no spellings of "ü", so they are resolved to paths first. */
async function pathsMatching(
  connection: QdrantConnection,
  pattern: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const folder = folderOfMatches(pattern);
  const filter = pointsOf("document", folder === "" ? [] : [has("folders", folder)]);
  const documents = await readAll(connection, filter, readDocument, signal);
  return documents.map(({ path }) => path).filter(pathMatcher(pattern));
}

const POINTS_PER_PAGE = 500;
/** A million points; a server that goes on for ever is left, as is one that takes very long. */
const MAX_PAGES = 2_000;
/** Of the time of one request. */
const MAX_LIST_TIMES = 12;

/**
 * Reads all points that pass the filter, in the order of their ids.
 * @param read returns undefined for a point to skip
 * @throws KnowledgeBaseError for a list without an end
 */
export async function readAll<T>(
  connection: QdrantConnection,
  filter: Schemas["Filter"],
  read: (payload: unknown) => T | undefined,
  signal?: AbortSignal,
): Promise<T[]> {
  const all: T[] = [];
  const limitInMs = connection.timeoutInMs * MAX_LIST_TIMES;
  const deadline = performance.now() + limitInMs;
  let offset: Schemas["ScrollRequest"]["offset"];
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    if (performance.now() > deadline)
      throw new KnowledgeBaseError(
        `Qdrant: a list of points took longer than ${Math.round(limitInMs / 1000)} s`,
        `it may take ${MAX_LIST_TIMES} times QDRANT_TIMEOUT_SECONDS: raise that`,
      );
    const asked = { filter, limit: POINTS_PER_PAGE, offset };
    const page = await connection.call((client, name) => client.scroll(name, asked), signal);
    const points = page.points.slice(0, POINTS_PER_PAGE);
    all.push(...points.flatMap(({ payload }) => read(payload) ?? []));
    const next = page.next_page_offset;
    if (typeof next !== "string" && typeof next !== "number") return all;
    if (points.length < POINTS_PER_PAGE || next === offset) break;
    offset = next;
  }
  throw new KnowledgeBaseError("Qdrant: the list of points does not end", "check QDRANT_URL");
}
