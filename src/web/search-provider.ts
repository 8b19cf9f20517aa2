/** The ports of web search and of fetching pages. */
import { CorrectiveRagError } from "../support/errors.js";
import type { Block } from "../text/block.js";

/** A result, checked at the boundary. */
export interface WebResult {
  title: string;
  /** http or https. */
  url: string;
  /** Snippet or content, as plain text. */
  text: string;
  /** ISO 8601, if known. */
  date?: string;
  provider: string;
}

export interface WebSearchRequest {
  query: string;
  /** Maximum number of results. */
  limit: number;
  /** For all providers together, in addition to the limit of each. */
  timeoutInMs?: number;
  signal?: AbortSignal;
}

/** A search engine. Rejects with `HttpError` when it fails; an empty list is an answer. */
export interface WebSearchProvider {
  readonly name: string;
  search(request: WebSearchRequest): Promise<WebResult[]>;
}

/** The results of one query, and how they came about. */
export interface WebSearchReport {
  results: WebResult[];
  /** The provider that answered, if any. */
  provider?: string;
  /** Providers that were asked or skipped, in order. */
  attempts: {
    provider: string;
    outcome: "answered" | "empty" | "failed" | "open_circuit" | "cooling_down";
    message?: string;
  }[];
  cached: boolean;
}

/** A chain of providers, tried in order. Rejects only when cancelled. */
export interface WebSearch {
  readonly providers: readonly string[];
  search(request: WebSearchRequest): Promise<WebSearchReport>;
}

/** A fetched page, reduced to its main content. */
export interface WebPage {
  url: string;
  title: string;
  text: string;
  /** The same text under its headings; absent for plain text. */
  blocks?: readonly Block[];
  date?: string;
}

/** A page could not be fetched; the message says why in one line. */
export class PageError extends CorrectiveRagError {
  override readonly name = "PageError";
  constructor(message: string, { cause }: ErrorOptions = {}) {
    super(message, { code: "page", cause });
  }
}

/** Fetches one page safely. Rejects with `PageError`, `NotTextError` or the signal's reason. */
export type FetchPage = (url: string, options: { signal?: AbortSignal }) => Promise<WebPage>;
