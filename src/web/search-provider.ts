/** The port behind which every web search stands. */

/** One result, checked at the boundary: every field has the type that it says. */
export interface WebResult {
  title: string;
  /** http or https. */
  url: string;
  /** Snippet or content, plain text. */
  text: string;
  /** ISO 8601, if the provider said so. */
  date?: string;
  /** Name of the provider that returned it. */
  provider: string;
}

export interface WebSearchRequest {
  query: string;
  /** How many results at most. */
  limit: number;
  /** For the whole chain, all providers together; it reports what happened until then. Without it each provider has its own limit only. */
  timeoutInMs?: number;
  signal?: AbortSignal;
}

/** One search engine. Rejects with `WebSearchError`; an empty list is an answer, not an error. */
export interface WebSearchProvider {
  readonly name: string;
  search(request: WebSearchRequest): Promise<WebResult[]>;
}

/**
 * Why a search failed. `auth` and `quota`: no retry will help. `network`: not reached, or cut off. `server`: it failed at its end (5xx).
 * `bad_response`: it answered with something that is no search result.
 */
export type WebSearchErrorKind =
  "auth" | "quota" | "rate_limit" | "timeout" | "network" | "server" | "bad_response" | "cancelled";

export class WebSearchError extends Error {
  override readonly name = "WebSearchError";
  constructor(
    readonly kind: WebSearchErrorKind,
    message: string,
    readonly retryAfterInMs?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What the chain of providers did for one query. */
export interface WebSearchReport {
  results: WebResult[];
  /** The provider that answered; absent when none did. */
  provider?: string;
  /** Each provider that was passed over or failed, with its reason, in order. */
  attempts: {
    provider: string;
    outcome: "answered" | "empty" | "failed" | "open_circuit" | "cooling_down" | "rate_limited";
    message?: string;
    durationMs: number;
  }[];
  cached: boolean;
}

/** The chain: providers tried in order, with time limits, retries, circuit breakers, a token bucket, and a cache. Never rejects but for cancellation. */
export interface WebSearch {
  readonly providers: readonly string[];
  search(request: WebSearchRequest): Promise<WebSearchReport>;
}

/** A page that was fetched and reduced to its main content. */
export interface WebPage {
  url: string;
  title: string;
  text: string;
  date?: string;
}

/** Fetches one page safely. Rejects with a clear reason when the target is refused or the page is too large, too slow or of another type. */
export type FetchPage = (url: string, options: { signal?: AbortSignal }) => Promise<WebPage>;
