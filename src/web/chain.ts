import { LRUCache } from "lru-cache";
import { z } from "zod";
import { reasonOf } from "../support/errors.js";
import { HttpError, type HttpFailure } from "../support/json-client.js";
import { systemClock, TimeLimitError, withinTime, type Clock } from "../support/waiting.js";
import { oneLine } from "../text/one-line.js";
import type {
  WebResult,
  WebSearch,
  WebSearchProvider,
  WebSearchReport,
  WebSearchRequest,
} from "./search-provider.js";
import { rowSchema, toWebResults } from "./web-results.js";

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
  const guarded = providers.map((provider) => ({
    provider: provider.name,
    ask: guard(provider, timeoutInMs, clock),
  }));
  const now = (): number => clock.now();
  const remembered = new LRUCache<string, WebSearchReport>({
    max: 500,
    ttl: Math.max(1, cacheTtlInMs),
    ttlResolution: 0,
    // To the library a start of 0, as on a clock of tests, means "never stale".
    perf: { now: () => now() + 1 },
  });
  let lastAt = -Infinity;

  const askInOrder = async (request: WebSearchRequest): Promise<WebSearchReport> => {
    const attempts: WebSearchReport["attempts"] = [];
    const deadline = now() + (request.timeoutInMs ?? Infinity);
    for (const { provider, ask } of guarded) {
      const { results = [], ...told } = await ask({ ...request, timeoutInMs: deadline - now() });
      attempts.push({ provider, ...told });
      if (results.length > 0) return { results, provider, attempts, cached: false };
    }
    return { results: [], attempts, cached: false };
  };

  return {
    providers: providers.map(({ name }) => name),
    async search(request) {
      request.signal?.throwIfAborted();
      const key = JSON.stringify([oneLine(request.query).toLowerCase(), request.limit]);
      const known = remembered.get(key);
      if (known !== undefined) return { ...known, attempts: [], cached: true };
      const left = lastAt + coolDownInMs - now();
      if (left > 0) {
        const message = `the last search was too recent; the next may start in ${Math.ceil(left / 1000)} s`;
        const outcome = "cooling_down" as const;
        const attempts = [{ provider: "all", outcome, message }];
        return { results: [], attempts, cached: false };
      }
      lastAt = now();
      const report = await askInOrder(request);
      if (report.results.length > 0 && cacheTtlInMs > 0) remembered.set(key, report);
      return report;
    },
  };
}

type Attempt = WebSearchReport["attempts"][number];
type Told = Omit<Attempt, "provider"> & { results?: WebResult[] };

/** Wraps a provider with a time limit and a circuit breaker; failures become data. */
function guard(
  provider: WebSearchProvider,
  ownTimeoutInMs: number,
  clock: Clock,
): (request: WebSearchRequest) => Promise<Told> {
  let rest: { until: number; outcome: Attempt["outcome"]; because: string } | undefined;
  let failures = 0;

  /** Returns why the provider cannot be asked now. */
  const obstacle = (now: number, timeoutInMs: number): Told | undefined => {
    if (timeoutInMs <= 0)
      return { outcome: "failed", message: "timeout: the search had no time left for it" };
    if (rest === undefined || now >= rest.until) return undefined;
    const seconds = Math.ceil((rest.until - now) / 1000);
    return { outcome: rest.outcome, message: `rests for another ${seconds} s: ${rest.because}` };
  };
  /** Decides on a rest. A refusal does not count as a failure. */
  const note = ({ failure, message: because, retryAfterInMs }: HttpError): void => {
    const refusal = REFUSALS[failure];
    // After a rest one more failure is enough for the next.
    if (refusal === undefined && ++failures < FAILURES && rest === undefined) return;
    const restInMs = Math.min(retryAfterInMs ?? refusal ?? REST_IN_MS, LONGEST_REST_IN_MS);
    const outcome = refusal === undefined ? "open_circuit" : "cooling_down";
    rest = { until: clock.now() + restInMs, outcome, because };
  };

  return async (request) => {
    request.signal?.throwIfAborted();
    const timeoutInMs = Math.min(ownTimeoutInMs, request.timeoutInMs ?? Infinity);
    const refused = obstacle(clock.now(), timeoutInMs);
    if (refused !== undefined) return refused;
    try {
      const found = await withinTime((signal) => provider.search({ ...request, signal }), {
        timeoutInMs,
        signal: request.signal,
        clock,
      });
      // A custom provider may return anything.
      const rows = z.array(rowSchema).safeParse(found);
      if (!rows.success) throw new Error("it returned no list of results");
      const results = toWebResults(rows.data, { provider: provider.name, limit: request.limit });
      [rest, failures] = [undefined, 0];
      return { outcome: results.length > 0 ? "answered" : "empty", results };
    } catch (thrown) {
      request.signal?.throwIfAborted();
      const error = asHttpError(thrown);
      note(error);
      return { outcome: "failed", message: `${error.failure}: ${error.message}` };
    }
  };
}

function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof TimeLimitError)
    return new HttpError("timeout", error.message, { cause: error });
  return new HttpError("malformed", oneLine(reasonOf(error), 200), { cause: error });
}
