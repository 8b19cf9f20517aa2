import { abortable } from "../support/waiting.js";
import { createCircuitBreaker } from "./circuit-breaker.js";
import { systemClock, type Clock } from "../support/waiting.js";
import {
  WebSearchError,
  type WebResult,
  type WebSearchProvider,
  type WebSearchReport,
  type WebSearchRequest,
} from "./search-provider.js";
import { createTokenBucket } from "./token-bucket.js";

/** How one provider is treated. Times in milliseconds. */
export interface ProviderPolicy {
  /** For one search, its retries included. */
  timeoutInMs: number;
  /** Further tries after a failure that may pass. */
  retries: number;
  /** Pause before the first retry; it doubles with each. */
  backoffInMs: number;
  /** The longest `Retry-After` that is waited for; a longer one sends the provider to rest. */
  maxRetryAfterInMs: number;
  /** Consecutive failed searches that open the circuit. */
  failures: number;
  /** How long the circuit stays open, and how long a provider rests that limits its callers without saying for how long. */
  coolDownInMs: number;
  /** How long a provider rests that refused the key or whose quota is used up: neither mends itself soon. */
  refusedCoolDownInMs: number;
  /** Token bucket: requests that may come at once, and per second in the long run. */
  burst: number;
  requestsPerSecond: number;
}

export const DEFAULT_PROVIDER_POLICY: ProviderPolicy = {
  timeoutInMs: 8_000,
  retries: 1,
  backoffInMs: 250,
  maxRetryAfterInMs: 2_000,
  failures: 3,
  coolDownInMs: 30_000,
  refusedCoolDownInMs: 600_000,
  burst: 30,
  requestsPerSecond: 5,
};

/** What single providers are known to bear less of: DuckDuckGo blocks whoever reads its page more than a few times in a row. */
export const PROVIDER_POLICIES: Readonly<Record<string, Partial<ProviderPolicy>>> = {
  duckduckgo: { burst: 3, requestsPerSecond: 0.2, retries: 0, coolDownInMs: 120_000 },
};

export type Attempt = WebSearchReport["attempts"][number];

/** What one provider came to. */
export interface ProviderAnswer {
  attempt: Attempt;
  results: WebResult[];
}

/** A provider that never rejects but for the caller's cancellation. Its time limit is the shorter of its own and the request's. */
export type GuardedProvider = (request: WebSearchRequest) => Promise<ProviderAnswer>;

/** Puts time limit, retries, circuit breaker, rest and token bucket round one provider. */
export function guardProvider(
  provider: WebSearchProvider,
  {
    policy = DEFAULT_PROVIDER_POLICY,
    clock = systemClock,
  }: { policy?: ProviderPolicy; clock?: Clock } = {},
): GuardedProvider {
  const now = (): number => clock.now();
  const breaker = createCircuitBreaker({
    failures: policy.failures,
    coolDownInMs: policy.coolDownInMs,
    now,
  });
  const bucket = createTokenBucket({
    capacity: policy.burst,
    refillPerSecond: policy.requestsPerSecond,
    now,
  });
  let restsUntil = 0;
  let restsBecause = "";

  return async (request) => {
    request.signal?.throwIfAborted();
    const startedAt = now();
    const passedOver = (outcome: Attempt["outcome"], message?: string): ProviderAnswer => ({
      attempt: {
        provider: provider.name,
        outcome,
        durationMs: now() - startedAt,
        ...(message === undefined ? {} : { message }),
      },
      results: [],
    });
    const timeoutInMs = Math.min(policy.timeoutInMs, request.timeoutInMs ?? Infinity);
    if (timeoutInMs <= 0)
      return passedOver("failed", "timeout: the search had no time left for it");
    if (startedAt < restsUntil)
      return passedOver(
        "cooling_down",
        `rests for another ${Math.ceil((restsUntil - startedAt) / 1000)} s: ${restsBecause}`,
      );
    if (!breaker.tryEnter())
      return passedOver(
        "open_circuit",
        `failed ${policy.failures} times in a row; is tried again after ${Math.round(policy.coolDownInMs / 1000)} s`,
      );
    if (!bucket.take()) {
      breaker.release();
      return passedOver(
        "rate_limited",
        "too many searches in too little time; held back by our own limit",
      );
    }
    try {
      const results = await searchWithRetries(provider, request, {
        policy: { ...policy, timeoutInMs },
        clock,
        mayRetry: () => bucket.take(),
      });
      breaker.succeed();
      const attempt: Attempt = {
        provider: provider.name,
        outcome: results.length > 0 ? "answered" : "empty",
        durationMs: now() - startedAt,
      };
      return { attempt, results };
    } catch (error) {
      if (request.signal?.aborted) {
        breaker.release();
        throw request.signal.reason;
      }
      const failure = asSearchError(error);
      const rest = restAfter(failure, policy);
      if (rest > 0) {
        restsUntil = now() + rest;
        restsBecause = failure.message;
      }
      // A provider that refuses is healthy: its rest is enough, the circuit is for those that fail.
      if (failure.kind === "auth" || failure.kind === "quota" || failure.kind === "rate_limit")
        breaker.release();
      else breaker.fail();
      return passedOver("failed", `${failure.kind}: ${failure.message}`);
    }
  };
}

async function searchWithRetries(
  provider: WebSearchProvider,
  request: WebSearchRequest,
  { policy, clock, mayRetry }: { policy: ProviderPolicy; clock: Clock; mayRetry: () => boolean },
): Promise<WebResult[]> {
  const limit = new AbortController();
  const finished = new AbortController();
  const signal =
    request.signal === undefined ? limit.signal : AbortSignal.any([request.signal, limit.signal]);
  clock.sleep(policy.timeoutInMs, finished.signal).then(
    () =>
      limit.abort(
        new WebSearchError(
          "timeout",
          `no answer within ${Math.round(policy.timeoutInMs / 100) / 10} s`,
        ),
      ),
    () => undefined,
  );
  try {
    for (let tries = 0; ; tries += 1) {
      try {
        const results = await abortable(provider.search({ ...request, signal }), signal);
        return results.slice(0, request.limit);
      } catch (error) {
        if (limit.signal.aborted) throw limit.signal.reason;
        const pause = pauseBeforeRetry(asSearchError(error), tries, policy);
        if (pause === undefined || tries >= policy.retries || signal.aborted || !mayRetry())
          throw error;
        await clock.sleep(pause, signal);
      }
    }
  } finally {
    finished.abort();
  }
}

/** Milliseconds to wait before trying again; undefined where trying again makes no sense. */
function pauseBeforeRetry(
  error: WebSearchError,
  tries: number,
  { backoffInMs, maxRetryAfterInMs }: ProviderPolicy,
): number | undefined {
  const backoff = backoffInMs * 2 ** tries;
  const asked = error.retryAfterInMs;
  switch (error.kind) {
    case "rate_limit":
      // Without a word on when to come back, coming back at once makes it worse.
      return asked !== undefined && asked <= maxRetryAfterInMs ? asked : undefined;
    case "server":
      return asked !== undefined && asked > maxRetryAfterInMs
        ? undefined
        : Math.max(asked ?? 0, backoff);
    case "network":
      return backoff;
    case "auth":
    case "quota":
    case "timeout":
    case "bad_response":
    case "cancelled":
      return undefined;
    default:
      return error.kind satisfies never;
  }
}

function restAfter(
  error: WebSearchError,
  { coolDownInMs, refusedCoolDownInMs }: ProviderPolicy,
): number {
  if (error.kind === "auth" || error.kind === "quota") return refusedCoolDownInMs;
  // A provider may ask for more than it is worth waiting; an hour is the longest rest.
  if (error.kind === "rate_limit") return Math.min(error.retryAfterInMs ?? coolDownInMs, 3_600_000);
  return 0;
}

/** Providers are to reject with `WebSearchError`; one that does not is a provider that failed all the same. */
function asSearchError(error: unknown): WebSearchError {
  if (error instanceof WebSearchError) return error;
  return new WebSearchError(
    "bad_response",
    error instanceof Error ? error.message.replace(/\s+/g, " ").slice(0, 200) : "it failed",
    undefined,
    { cause: error },
  );
}
