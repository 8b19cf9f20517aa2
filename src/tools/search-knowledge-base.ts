/** Keyword, vector and hybrid search of the knowledge base. */
import type { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Scope } from "../observability/scope.js";
import { reciprocalRankFusion } from "../retrieval/fusion.js";
import type { Hit, KnowledgeBase, SearchMode, SearchRequest } from "../retrieval/knowledge-base.js";
import { readFilter, type Filter } from "../settings/filter.js";
import { reasonOf } from "../support/errors.js";
import type { ReadablePassage } from "../reader/reader.js";
import { asPassage } from "../state/evidence.js";
import { evidenceFromHit } from "./make-evidence.js";
import { defineTool, type AgentTool } from "./tool.js";
import { counted } from "../text/words.js";

const DESCRIPTIONS: Readonly<Record<SearchMode, string>> = {
  keyword:
    "Finds passages with the words of the query (BM25). " +
    "Best for names, identifiers and rare words.",
  vector:
    "Finds passages of similar meaning (embeddings). Best for words that documents may not use.",
  hybrid:
    "Keyword and vector search at once, their scores fused. " +
    "The best first choice for most questions.",
};

export interface SearchToolOptions {
  knowledgeBase: KnowledgeBase;
  /** Results of identical searches of an unchanged knowledge base. */
  cache?: LRUCache<string, Hit[]>;
  /** Writes hypothetical answers, if the settings ask for HyDE; none where it fails. */
  hypothesize?: (question: string, scope: Scope) => Promise<readonly string[]>;
  /** Receives the vectors of the hits, so that the judge need not compute them again. */
  remember?: (passages: readonly ReadablePassage[], vectors: readonly Float32Array[]) => void;
}

const MAX_QUERIES = 8;
const MAX_QUERY_CHARACTERS = 4_000;
/** A reranker chooses from this many times `topK`. */
const CANDIDATES_PER_PASSAGE = 4;

const searchArgs = z.object({
  query: z.string().describe("What to look for"),
  queries: z
    .array(z.string())
    .describe("Several ways to ask at once; the results are merged")
    .optional(),
  filter: z
    .string()
    .describe('Narrows the search: path = "reports/**" and kind = pdf and date >= 2025-01-01')
    .optional(),
});

interface Found {
  hits: Hit[];
  cached: boolean;
}

export function createSearchTool(
  mode: SearchMode,
  { knowledgeBase, cache, hypothesize, remember }: SearchToolOptions,
): AgentTool {
  const name = `${mode}_search`;
  return defineTool({
    name,
    description: DESCRIPTIONS[mode],
    strategy: mode,
    origin: "documents",
    args: searchArgs,
    async run(args, { question, round, scope, signal }) {
      const asked = [args.query, ...(args.queries ?? [])];
      const cut = asked.map((each) => each.trim().slice(0, MAX_QUERY_CHARACTERS));
      const queries = [...new Set(cut)].filter((each) => each !== "").slice(0, MAX_QUERIES);
      if (queries.length === 0) throw new Error("a query is needed");
      const { topK, rerank, hyde } = scope.settings;
      const limit = rerank === "off" ? topK : topK * CANDIDATES_PER_PASSAGE;
      const given = args.filter?.trim() ? readFilter(args.filter) : undefined;
      const asksModel = mode !== "keyword" && hyde;
      const failed = (error: unknown): [] => {
        signal.throwIfAborted();
        scope.warn(`HyDE failed, so the question itself is the query (${reasonOf(error)})`);
        return [];
      };
      const hypotheticals =
        (asksModel && (await hypothesize?.(question, scope).catch(failed))) || [];
      const version = cache && (await knowledgeBase.version());
      const searchOne = async (query: string, filter?: Filter): Promise<Found> => {
        const request: SearchRequest = { query, limit, filter, hypotheticals };
        const key = JSON.stringify([version, knowledgeBase.name, mode, request]);
        const known = version === undefined ? undefined : cache?.get(key);
        if (known) return { hits: known, cached: true };
        const searchBy = (by: SearchMode) => knowledgeBase.search(by, { ...request, signal });
        try {
          const hits = await searchBy(mode);
          if (version !== undefined) cache?.set(key, hits);
          return { hits, cached: false };
        } catch (error) {
          signal.throwIfAborted();
          // Where the vectors fail (model down, key refused), words answer alone.
          const hits = mode === "hybrid" && (await searchBy("keyword").catch(() => false as const));
          if (hits === false) throw error;
          scope.warn(`hybrid search used keywords alone (${reasonOf(error)})`);
          return { hits, cached: false };
        }
      };
      const search = async (filter?: Filter): Promise<Found> => {
        const found = await Promise.all(queries.map((query) => searchOne(query, filter)));
        const lists = found.map(({ hits }) => hits);
        const [first = []] = lists;
        const hits = lists.length === 1 ? first : reciprocalRankFusion(lists).slice(0, limit);
        return { hits, cached: found.every(({ cached }) => cached) };
      };
      const narrow = given && (await search(given));
      const isTooNarrow = narrow?.hits.length === 0;
      const { hits, cached } = narrow && !isTooNarrow ? narrow : await search();
      const evidence = hits.map((hit) => evidenceFromHit(hit, { tool: name, round }));
      for (const [at, { vector }] of hits.entries()) {
        const item = evidence[at];
        if (!cached && vector && item) remember?.([asPassage(item)], [vector]);
      }
      const forQueries = queries.length > 1 ? ` for ${queries.length} queries` : "";
      const dropped = isTooNarrow ? `, without the filter ${args.filter}, which leaves none` : "";
      const summary = `${counted(hits.length, "passage")}${forQueries}${dropped}`;
      return { evidence, summary, cached };
    },
  });
}
