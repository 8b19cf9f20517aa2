import { reasonOf } from "../support/errors.js";
import { HttpError } from "../support/http-error.js";
import {
  retry,
  systemClock,
  TimeLimitError,
  withinTime,
  type Clock,
  type RetryDecision,
} from "../support/waiting.js";
import type {
  WebResult,
  WebSearchProvider,
  WebSearchReport,
  WebSearchRequest,
} from "./search-provider.js";

/** Treatment of a provider. Times in milliseconds. */
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
  /** The circuit stays open, and a provider that limits its callers rests, for so long. */
  coolDownInMs: number;
  /** A provider that refused the key, or whose quota is used up, rests for so long. */
  refusedCoolDownInMs: number;
  /** Least time between two searches. */
  intervalInMs: number;
}

const DEFAULT_POLICY: ProviderPolicy = {
  timeoutInMs: 8_000,
  retries: 1,
  backoffInMs: 250,
  maxRetryAfterInMs: 2_000,
  failures: 3,
  coolDownInMs: 30_000,
  refusedCoolDownInMs: 600_000,
  intervalInMs: 0,
};

/** DuckDuckGo blocks whoever reads its page more than a few times in a row. */
const POLICIES: Readonly<Record<string, Partial<ProviderPolicy>>> = {
  duckduckgo: { intervalInMs: 3_000, retries: 0, coolDownInMs: 120_000 },
};

/** A provider may ask for more time than it is worth waiting. */
const LONGEST_REST_IN_MS = 3_600_000;

type Attempt = WebSearchReport["attempts"][number];

/** A provider that never rejects but for the caller's cancellation. */
type GuardedProvider = (
  request: WebSearchRequest,
) => Promise<{ attempt: Attempt; results: WebResult[] }>;

/** Puts a time limit, retries, a circuit breaker and rests round one provider. */
export function guardProvider(
  provider: WebSearchProvider,
  { policy: given, clock = systemClock }: { policy?: Partial<ProviderPolicy>; clock?: Clock } = {},
): GuardedProvider {
  const { name } = provider;
  const policy = { ...DEFAULT_POLICY, ...given, ...POLICIES[name] };
  let rest: { until: number; outcome: Attempt["outcome"]; because: string } | undefined;
  let failures = 0;
  let isProbing = false;
  let lastAt = -Infinity;

  /** Says why it is not asked now. After a rest one search at a time finds out how it is. */
  const obstacle = (
    at: number,
    timeoutInMs: number,
  ): Pick<Attempt, "outcome" | "message"> | null => {
    if (timeoutInMs <= 0)
      return { outcome: "failed", message: "timeout: the search had no time left for it" };
    if (rest !== undefined && at < rest.until) {
      const seconds = Math.ceil((rest.until - at) / 1000);
      return { outcome: rest.outcome, message: `rests for another ${seconds} s: ${rest.because}` };
    }
    if (isProbing) return { outcome: "open_circuit", message: "one search is trying it again" };
    if (at - lastAt < policy.intervalInMs)
      return { outcome: "rate_limited", message: "too many searches in too little time" };
    return null;
  };
  /** A provider that refuses is healthy: the circuit is for those that fail. */
  const note = ({ failure, message: because, retryAfterInMs }: HttpError): void => {
    const restFor = (ms: number, outcome: Attempt["outcome"]): void => {
      rest = { until: clock.now() + Math.min(ms, LONGEST_REST_IN_MS), outcome, because };
    };
    if (failure === "unauthorized" || failure === "quota")
      restFor(policy.refusedCoolDownInMs, "cooling_down");
    else if (failure === "rate_limited")
      restFor(retryAfterInMs ?? policy.coolDownInMs, "cooling_down");
    else if (++failures >= policy.failures || rest !== undefined)
      restFor(policy.coolDownInMs, "open_circuit");
  };

  return async (request) => {
    request.signal?.throwIfAborted();
    const startedAt = clock.now();
    const attempted = (how: Pick<Attempt, "outcome" | "message">): Attempt => ({
      provider: name,
      durationMs: clock.now() - startedAt,
      ...how,
    });
    const timeoutInMs = Math.min(policy.timeoutInMs, request.timeoutInMs ?? Infinity);
    const refused = obstacle(startedAt, timeoutInMs);
    if (refused !== null) return { attempt: attempted(refused), results: [] };
    lastAt = startedAt;
    isProbing = rest !== undefined;
    try {
      const results = await withinTime(
        (signal) => searchWithRetries(provider, { ...request, signal }, policy, clock),
        { timeoutInMs, signal: request.signal, clock },
      );
      [rest, failures] = [undefined, 0];
      const outcome = results.length > 0 ? "answered" : "empty";
      return { attempt: attempted({ outcome }), results: results.slice(0, request.limit) };
    } catch (thrown) {
      request.signal?.throwIfAborted();
      const error = asHttpError(thrown);
      note(error);
      const message = `${error.failure}: ${error.message}`;
      return { attempt: attempted({ outcome: "failed", message }), results: [] };
    } finally {
      isProbing = false;
    }
  };
}

function searchWithRetries(
  provider: WebSearchProvider,
  request: WebSearchRequest,
  { retries, backoffInMs, maxRetryAfterInMs }: ProviderPolicy,
  clock: Clock,
): Promise<WebResult[]> {
  const decide = (error: unknown): RetryDecision => {
    const { failure, retryAfterInMs: asked } = asHttpError(error);
    if (asked !== undefined && asked > maxRetryAfterInMs) return { retry: false };
    // Without a word on when to come back, coming back at once makes it worse.
    const mayPass =
      failure === "server" ||
      failure === "network" ||
      (failure === "rate_limited" && asked !== undefined);
    return mayPass ? { retry: true, waitInMs: asked } : { retry: false };
  };
  return retry({
    attempt: () => provider.search(request),
    decide,
    maxRetries: retries,
    initialDelayInMs: backoffInMs,
    signal: request.signal,
    clock,
    random: () => 1,
  });
}

/** A provider that does not reject with `HttpError` failed all the same. */
function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof TimeLimitError)
    return new HttpError("timeout", error.message, { cause: error });
  const reason = reasonOf(error).replace(/\s+/g, " ").slice(0, 200);
  return new HttpError("malformed", reason, { cause: error });
}
