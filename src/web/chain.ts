import { createCache } from "../support/cache.js";
import { abortable, systemClock, type Clock } from "../support/waiting.js";
import {
  DEFAULT_PROVIDER_POLICY,
  PROVIDER_POLICIES,
  guardProvider,
  type Attempt,
  type GuardedProvider,
  type ProviderPolicy,
} from "./guarded-provider.js";
import type {
  WebSearch,
  WebSearchProvider,
  WebSearchReport,
  WebSearchRequest,
} from "./search-provider.js";

/** A search on its way, shared by those who ask the same. */
interface SharedSearch {
  report: Promise<WebSearchReport>;
  controller: AbortController;
  callers: number;
}

/**
 * The chain of providers: the first that has results answers; one that fails, rests or finds
 * nothing lets the next one try. Answers are remembered for a while, and identical queries at the
 * same time are asked once. Failures are data in the report; only cancellation rejects.
 *
 * @param coolDownInMs least time between two searches that reach a provider, and between two for
 *   the same question; 0 for none
 * @param policy for all providers; `policies` for one of them by name
 * @param cache `ttlInMs: 0` remembers nothing
 */
export function createWebSearch({
  providers,
  coolDownInMs = 0,
  policy = {},
  policies = {},
  cache: { ttlInMs = 900_000, maxEntries = 500 } = {},
  clock = systemClock,
}: {
  providers: readonly WebSearchProvider[];
  coolDownInMs?: number;
  policy?: Partial<ProviderPolicy>;
  policies?: Readonly<Record<string, Partial<ProviderPolicy>>>;
  cache?: { ttlInMs?: number; maxEntries?: number };
  clock?: Clock;
}): WebSearch {
  const guarded = providers.map((provider) =>
    guardProvider(provider, {
      policy: {
        ...DEFAULT_PROVIDER_POLICY,
        ...policy,
        ...PROVIDER_POLICIES[provider.name],
        ...policies[provider.name],
      },
      clock,
    }),
  );
  const now = (): number => clock.now();
  const remembered = createCache<WebSearchReport>({ ttlInMs, maxEntries, now });
  const byQuestion = createCache<WebSearchReport>({ ttlInMs: coolDownInMs, maxEntries, now });
  const running = new Map<string, SharedSearch>();
  let lastAt = -Infinity;

  const start = (key: string, request: WebSearchRequest): SharedSearch => {
    lastAt = clock.now();
    const controller = new AbortController();
    const report = askInOrder(guarded, { ...request, signal: controller.signal }, clock).then(
      (found) => {
        if (found.results.length > 0) remembered.set(key, found);
        byQuestion.set(questionOf(request), found);
        return found;
      },
    );
    const shared: SharedSearch = { report, controller, callers: 0 };
    running.set(key, shared);
    const forget = (): void => {
      if (running.get(key) === shared) running.delete(key);
    };
    report.then(forget, forget);
    return shared;
  };
  const coolingDown = (request: WebSearchRequest): WebSearchReport | undefined => {
    const known = byQuestion.get(questionOf(request));
    if (known !== undefined && known.results.length > 0)
      return { ...known, attempts: [], cached: true };
    const left = lastAt + coolDownInMs - clock.now();
    if (left <= 0) return undefined;
    const message = `the last search was too recent; the next may start in ${Math.ceil(left / 1000)} s`;
    return {
      results: [],
      attempts: [{ provider: "all", outcome: "cooling_down", message, durationMs: 0 }],
      cached: false,
    };
  };

  return {
    providers: providers.map(({ name }) => name),
    async search(request) {
      request.signal?.throwIfAborted();
      const key = JSON.stringify([normalized(request.query), request.limit]);
      const known = remembered.get(key);
      if (known !== undefined) return { ...known, attempts: [], cached: true };
      const joined = running.get(key);
      if (joined === undefined) {
        const refused = coolingDown(request);
        if (refused !== undefined) return refused;
      }
      const shared = joined ?? start(key, request);
      shared.callers += 1;
      try {
        const report = await abortable(shared.report, request.signal);
        return joined === undefined ? report : { ...report, cached: true };
      } finally {
        shared.callers -= 1;
        // Nobody waits any more: the requests on the wire are called off, and a newcomer must not join them.
        if (shared.callers === 0 && request.signal?.aborted) {
          running.delete(key);
          shared.controller.abort(request.signal.reason);
        }
      }
    },
  };
}

function questionOf({ question, query }: WebSearchRequest): string {
  return normalized(question ?? query);
}

function normalized(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

async function askInOrder(
  providers: readonly GuardedProvider[],
  request: WebSearchRequest,
  clock: Clock,
): Promise<WebSearchReport> {
  const attempts: Attempt[] = [];
  const deadline = clock.now() + (request.timeoutInMs ?? Infinity);
  for (const ask of providers) {
    const { attempt, results } = await ask({ ...request, timeoutInMs: deadline - clock.now() });
    attempts.push(attempt);
    if (results.length > 0) return { results, provider: attempt.provider, attempts, cached: false };
  }
  return { results: [], attempts, cached: false };
}
