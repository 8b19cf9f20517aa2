import { LRUCache } from "lru-cache";
import { z } from "zod";
import { reasonOf } from "../support/errors.js";
import { HttpError, type HttpFailure } from "../support/json-client.js";
import { systemClock, TimeLimitError, withinTime, type Clock } from "../support/waiting.js";
import { oneLine } from "../text/words.js";
import {
  rowSchema,
  toWebResults,
  type WebResult,
  type WebSearch,
  type WebSearchProvider,
  type WebSearchReport,
  type WebSearchRequest,
} from "./search-provider.js";

/** A provider rests after this many failures in a row. */
const FAILURES = 3;
const REST_IN_MS = 30_000;
/** How long it rests after a refusal: retrying a wrong key or a used-up quota is useless. */
const REFUSALS: Partial<Readonly<Record<HttpFailure, number>>> = {
  unauthorized: 600_000,
  quota: 600_000,
  rate_limited: REST_IN_MS,
};
/** Caps the rest that a provider asks for. */
const LONGEST_REST_IN_MS = 3_600_000;

/**
 * Chains providers: one that fails, rests or finds nothing gives way to the next. Answers are
 * cached. Failures are data in the report; only cancellation rejects.
 * @param timeoutInMs for each provider
 * @param coolDownInMs minimum time between two searches
 * @param cacheTtlInMs 0 turns the cache off
 */
export function createWebSearch({
  providers,
  timeoutInMs = 8_000,
  coolDownInMs = 0,
  cacheTtlInMs = 900_000,
  clock = systemClock,
}: {
  providers: readonly WebSearchProvider[];
  timeoutInMs?: number;
  coolDownInMs?: number;
  cacheTtlInMs?: number;
  clock?: Clock;
}): WebSearch {
  const guarded = providers.map((provider) => guard(provider, timeoutInMs, clock));
  const remembered = new LRUCache<string, WebSearchReport>({
    max: 500,
    ttl: Math.max(1, cacheTtlInMs),
    ttlResolution: 0,
    // To the library a start of 0, as on a clock of tests, means "never stale".
    perf: { now: () => clock.now() + 1 },
  });
  let lastAt = -Infinity;
  return {
    providers: providers.map(({ name }) => name),
    async search(request) {
      request.signal?.throwIfAborted();
      const key = JSON.stringify([oneLine(request.query).toLowerCase(), request.limit]);
      const known = remembered.get(key);
      if (known !== undefined) return { ...known, attempts: [], cached: true };
      const attempts: Attempt[] = [];
      const left = lastAt + coolDownInMs - clock.now();
      if (left > 0) {
        const message = `the last search was too recent; the next may start in ${inSeconds(left)}`;
        attempts.push({ provider: "all", outcome: "cooling_down", message });
        return { results: [], attempts, cached: false };
      }
      lastAt = clock.now();
      const deadline = lastAt + (request.timeoutInMs ?? Infinity);
      for (const ask of guarded) {
        const { results = [], ...attempt } = await ask({
          ...request,
          timeoutInMs: deadline - clock.now(),
        });
        attempts.push(attempt);
        if (results.length === 0) continue;
        const report = { results, provider: attempt.provider, attempts, cached: false };
        if (cacheTtlInMs > 0) remembered.set(key, report);
        return report;
      }
      return { results: [], attempts, cached: false };
    },
  };
}

type Attempt = WebSearchReport["attempts"][number];

/** Wraps a provider with a time limit and a circuit breaker; failures become data. */
function guard(asked: WebSearchProvider, limitInMs: number, clock: Clock) {
  const { name: provider } = asked;
  let rest: { until: number; outcome: Attempt["outcome"]; because: string } | undefined;
  let failures = 0;
  /** Decides on a rest. A refusal does not count as a failure. */
  const note = ({ failure, message: because, retryAfterInMs }: HttpError): void => {
    const refusal = REFUSALS[failure];
    // After a rest one more failure is enough for the next.
    if (refusal === undefined && ++failures < FAILURES && rest === undefined) return;
    const restInMs = Math.min(retryAfterInMs ?? refusal ?? REST_IN_MS, LONGEST_REST_IN_MS);
    const outcome = refusal === undefined ? "open_circuit" : "cooling_down";
    rest = { until: clock.now() + restInMs, outcome, because };
  };
  return async (request: WebSearchRequest): Promise<Attempt & { results?: WebResult[] }> => {
    const { limit, signal } = request;
    signal?.throwIfAborted();
    const timeoutInMs = Math.min(limitInMs, request.timeoutInMs ?? Infinity);
    const failed = (message: string): Attempt => ({ provider, outcome: "failed", message });
    if (timeoutInMs <= 0) return failed("timeout: the search had no time left for it");
    const restInMs = (rest?.until ?? 0) - clock.now();
    if (rest !== undefined && restInMs > 0) {
      const message = `rests for another ${inSeconds(restInMs)}: ${rest.because}`;
      return { provider, outcome: rest.outcome, message };
    }
    try {
      const asking = (limited: AbortSignal): Promise<unknown> =>
        asked.search({ ...request, signal: limited });
      const found = await withinTime(asking, { timeoutInMs, signal, clock });
      // A custom provider may return anything.
      const rows = z.array(rowSchema).safeParse(found);
      if (!rows.success) throw new Error("it returned no list of results");
      const results = toWebResults(rows.data, { provider, limit });
      [rest, failures] = [undefined, 0];
      return { provider, outcome: results.length > 0 ? "answered" : "empty", results };
    } catch (thrown) {
      signal?.throwIfAborted();
      const error = asHttpError(thrown);
      note(error);
      return failed(`${error.failure}: ${error.message}`);
    }
  };
}

function inSeconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}

function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const failure = error instanceof TimeLimitError ? "timeout" : "malformed";
  return new HttpError(failure, oneLine(reasonOf(error), 200), { cause: error });
}
