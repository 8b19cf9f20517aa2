/** The port behind which every web search stands. */
import type { Block } from "../text/block.js";

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
  /** The question that the query was made from: the cool-down counts by question. */
  question?: string;
  /** Results at most. */
  limit: number;
  /** For all providers together. Without it each provider has its own limit only. */
  timeoutInMs?: number;
  signal?: AbortSignal;
}

/** One search engine. Rejects with `HttpError` when it fails; an empty list is an answer. */
export interface WebSearchProvider {
  readonly name: string;
  search(request: WebSearchRequest): Promise<WebResult[]>;
}

/** The result of one query, and how it came about. */
export interface WebSearchReport {
  results: WebResult[];
  /** The provider that answered; absent when none did. */
  provider?: string;
  /** Each provider that was asked or passed over, with its reason, in order. */
  attempts: {
    provider: string;
    outcome: "answered" | "empty" | "failed" | "open_circuit" | "cooling_down";
    message?: string;
    durationMs: number;
  }[];
  cached: boolean;
}

/** The chain of providers, tried in order. Never rejects but for cancellation. */
export interface WebSearch {
  readonly providers: readonly string[];
  search(request: WebSearchRequest): Promise<WebSearchReport>;
}

/** A page that was fetched and reduced to its main content. */
export interface WebPage {
  url: string;
  title: string;
  text: string;
  /** The same under its headings, where it is a web page. */
  blocks?: readonly Block[];
  date?: string;
}

/** A page that was not fetched; the message says why in one line. */
export class PageError extends Error {
  override readonly name = "PageError";
  constructor(
    /** `refused`: the target is not allowed; `type`, `too_large`: it is no page for us. */
    readonly kind:
      "refused" | "redirects" | "status" | "type" | "too_large" | "timeout" | "network",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Fetches one page safely. Rejects with `PageError`, or with the signal's reason. */
export type FetchPage = (url: string, options: { signal?: AbortSignal }) => Promise<WebPage>;
