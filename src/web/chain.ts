import { createCache } from "../support/cache.js";
import { systemClock, type Clock } from "../support/waiting.js";
import { guardProvider, type ProviderPolicy } from "./guarded-provider.js";
import type {
  WebSearch,
  WebSearchProvider,
  WebSearchReport,
  WebSearchRequest,
} from "./search-provider.js";

/**
 * The chain of providers: the first that has results answers; one that fails, rests or finds
 * nothing lets the next one try. Answers are remembered for a while. Failures are data in the
 * report; only cancellation rejects.
 *
 * @param coolDownInMs least time between two searches that reach a provider, and between two for
 *   the same question; 0 for none
 * @param cache `ttlInMs: 0` remembers nothing
 */
export function createWebSearch({
  providers,
  coolDownInMs = 0,
  policy,
  cache: { ttlInMs = 900_000, maxEntries = 500 } = {},
  clock = systemClock,
}: {
  providers: readonly WebSearchProvider[];
  coolDownInMs?: number;
  policy?: Partial<ProviderPolicy>;
  cache?: { ttlInMs?: number; maxEntries?: number };
  clock?: Clock;
}): WebSearch {
  const guarded = providers.map((provider) => guardProvider(provider, { policy, clock }));
  const now = (): number => clock.now();
  const remembered = createCache<WebSearchReport>({ ttlInMs, maxEntries, now });
  const byQuestion = createCache<WebSearchReport>({ ttlInMs: coolDownInMs, maxEntries, now });
  let lastAt = -Infinity;

  const askInOrder = async (request: WebSearchRequest): Promise<WebSearchReport> => {
    const attempts: WebSearchReport["attempts"] = [];
    const deadline = now() + (request.timeoutInMs ?? Infinity);
    for (const ask of guarded) {
      const { attempt, results } = await ask({ ...request, timeoutInMs: deadline - now() });
      attempts.push(attempt);
      if (results.length > 0)
        return { results, provider: attempt.provider, attempts, cached: false };
    }
    return { results: [], attempts, cached: false };
  };

  return {
    providers: providers.map(({ name }) => name),
    async search(request) {
      request.signal?.throwIfAborted();
      const key = JSON.stringify([normalized(request.query), request.limit]);
      const question = normalized(request.question ?? request.query);
      const known = remembered.get(key) ?? byQuestion.get(question);
      if (known !== undefined && known.results.length > 0)
        return { ...known, attempts: [], cached: true };
      const left = lastAt + coolDownInMs - now();
      if (left > 0) {
        const message = `the last search was too recent; the next may start in ${Math.ceil(left / 1000)} s`;
        const outcome = "cooling_down" as const;
        const attempts = [{ provider: "all", outcome, message, durationMs: 0 }];
        return { results: [], attempts, cached: false };
      }
      lastAt = now();
      const report = await askInOrder(request);
      if (report.results.length > 0) remembered.set(key, report);
      byQuestion.set(question, report);
      return report;
    },
  };
}

function normalized(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}
