import { abortable } from "../../support/waiting.js";
import {
  KnowledgeBaseError,
  type Hit,
  type KnowledgeBase,
  type SearchMode,
  type SearchRequest,
} from "../knowledge-base.js";
import { filterMatcher } from "../matches-filter.js";

export interface ReadOnlyOptions {
  name: string;
  modes: readonly SearchMode[];
  /** Identifies the content for caches; there is no way to ask a LangChain store whether it changed. */
  version?: string;
  /** Best first; may be longer than asked for. */
  find: (request: SearchRequest, count: number) => Promise<Hit[]>;
}

/** With a filter, this many times the hits are asked for, because the store itself cannot filter by it. */
const OVERFETCH = 8;

/**
 * The parts that every LangChain adapter shares: checks, filtering after the fact, duplicates, the limit. Such a store knows passages only,
 * so there are no documents to list or to read.
 */
export function readOnlyKnowledgeBase({
  name,
  modes,
  version,
  find,
}: ReadOnlyOptions): KnowledgeBase {
  const identity = version ?? `${name}#${++instances}`;
  return {
    name,
    modes,
    async search(mode, request) {
      if (!modes.includes(mode))
        throw new KnowledgeBaseError(
          `${name} cannot search by ${mode}, only by ${modes.join(" or ")}`,
        );
      if (request.query.trim() === "" || request.limit <= 0) return [];
      request.signal?.throwIfAborted();
      const matches = filterMatcher(request.filter);
      const hits = await findOrExplain(
        name,
        () => find(request, request.filter ? request.limit * OVERFETCH : request.limit),
        request.signal,
      );
      const seen = new Set<string>();
      return hits
        .filter(
          ({ passage }) =>
            matches(passage) && !seen.has(passage.id) && Boolean(seen.add(passage.id)),
        )
        .slice(0, request.limit);
    },
    documents: () => Promise.resolve([]),
    passagesOf: () => Promise.resolve([]),
    version: () => Promise.resolve(identity),
    stats: () => Promise.resolve({ documents: 0, passages: 0 }),
    close: () => Promise.resolve(),
  };
}

/** Tells apart the stores of one process that were given no version. */
let instances = 0;

async function findOrExplain(
  name: string,
  find: () => Promise<Hit[]>,
  signal: AbortSignal | undefined,
): Promise<Hit[]> {
  try {
    // Many stores take no signal, and some that do ignore it.
    return await abortable(find(), signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw new KnowledgeBaseError(
      `${name} failed: ${error instanceof Error ? error.message : String(error)}`,
      undefined,
      { cause: error },
    );
  }
}
