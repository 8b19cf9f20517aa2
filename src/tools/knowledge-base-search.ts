/** What the three searches of the knowledge base have in common: several queries at once, filters, hypothetical answers, the cache. */
import type { Scope } from "../observability/scope.js";
import type { Cache } from "../support/cache.js";
import { reciprocalRankFusion } from "../retrieval/fusion.js";
import type { Hit, KnowledgeBase, SearchMode, SearchRequest } from "../retrieval/knowledge-base.js";
import { evidenceFromHit } from "./evidence-from-hit.js";
import { readSearchArgs, SEARCH_PARAMETERS } from "./search-args.js";
import type { AgentTool, RetrievalStrategy } from "./tool.js";

export interface SearchToolOptions {
  knowledgeBase: KnowledgeBase;
  /** Results of identical searches of an unchanged knowledge base. */
  cache?: Cache<Hit[]>;
  /** Hypothetical answers for HyDE, asked for when the settings say so; none where they cannot be had. */
  hypothesize?: (question: string, scope: Scope) => Promise<readonly string[]>;
  timeoutInMs?: number;
}

export const DEFAULT_TOOL_TIMEOUT_IN_MS = 15_000;

/** Where a reranker may choose, it gets this many times `topK`. */
const CANDIDATES_PER_PASSAGE = 4;

export function createSearchTool({
  name,
  description,
  mode,
  knowledgeBase,
  cache,
  hypothesize,
  timeoutInMs = DEFAULT_TOOL_TIMEOUT_IN_MS,
}: SearchToolOptions & { name: string; description: string; mode: SearchMode }): AgentTool {
  return {
    name,
    description,
    strategy: mode satisfies RetrievalStrategy,
    external: false,
    parameters: SEARCH_PARAMETERS,
    timeoutInMs,
    async run({ args, question, round, scope, signal }) {
      const { queries, filter, limit = candidates(scope) } = readSearchArgs(args);
      const hypotheticals =
        mode === "keyword" || !scope.settings.hyde
          ? []
          : await hypotheticalsFor(question, scope, hypothesize);
      const version = cache && (await knowledgeBase.version());
      const searches = await Promise.all(
        queries.map(async (query): Promise<{ hits: Hit[]; cached: boolean }> => {
          const request: SearchRequest = {
            query,
            limit,
            ...(filter && { filter }),
            ...(hypotheticals.length > 0 && { hypotheticals }),
          };
          const key = JSON.stringify([version ?? "", knowledgeBase.name, mode, request]);
          const known = cache?.get(key);
          if (known) return { hits: known, cached: true };
          const { hits, whole } = await searchOrByKeywords({
            knowledgeBase,
            mode,
            request: { ...request, signal },
            scope,
          });
          if (whole) cache?.set(key, hits);
          return { hits, cached: false };
        }),
      );
      const lists = searches.map(({ hits }) => hits);
      const merged =
        lists.length === 1 ? (lists[0] ?? []) : reciprocalRankFusion(lists).slice(0, limit);
      return {
        evidence: merged.map((hit) => evidenceFromHit(hit, { tool: name, round })),
        summary: `${merged.length} ${merged.length === 1 ? "passage" : "passages"}${queries.length > 1 ? ` for ${queries.length} queries` : ""}`,
        cached: searches.every(({ cached }) => cached),
      };
    },
  };
}

/** Where the vectors of a hybrid search fail (the embedding model is down, its key is refused), its other half still answers. */
async function searchOrByKeywords({
  knowledgeBase,
  mode,
  request,
  scope,
}: {
  knowledgeBase: KnowledgeBase;
  mode: SearchMode;
  request: SearchRequest;
  scope: Scope;
}): Promise<{ hits: Hit[]; whole: boolean }> {
  try {
    return { hits: await knowledgeBase.search(mode, request), whole: true };
  } catch (error) {
    request.signal?.throwIfAborted();
    if (mode !== "hybrid") throw error;
    const hits = await knowledgeBase.search("keyword", request).catch(() => undefined);
    if (hits === undefined) throw error;
    scope.warn(
      `hybrid search went on by keywords alone (${error instanceof Error ? error.message : "vectors failed"})`,
    );
    return { hits, whole: false };
  }
}

/** On failure the question itself is searched with. */
async function hypotheticalsFor(
  question: string,
  scope: Scope,
  hypothesize: SearchToolOptions["hypothesize"],
): Promise<readonly string[]> {
  try {
    return (await hypothesize?.(question, scope)) ?? [];
  } catch (error) {
    scope.signal.throwIfAborted();
    scope.warn(
      `no hypothetical answers, the question itself is searched with (${error instanceof Error ? error.message : "failed"})`,
    );
    return [];
  }
}

function candidates({ settings }: Scope): number {
  return settings.rerank === "off" ? settings.topK : settings.topK * CANDIDATES_PER_PASSAGE;
}
