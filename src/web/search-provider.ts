/** The ports of web search and of fetching pages, and the checks of what they return. */
import { z } from "zod";
import { CorrectiveRagError } from "../support/errors.js";
import { DATE_KEYS, firstString } from "../support/tool-result.js";
import { hasCredentials, isWebAddress } from "../support/web-address.js";
import type { Block } from "../text/block.js";
import { tidy } from "../text/html.js";
import { htmlToText } from "../text/web-page.js";
import { cutText, oneLine } from "../text/words.js";

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
  /** What it says of itself in elements `meta`, by the names in lower case. */
  meta?: ReadonlyMap<string, string>;
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

/** A failure may be brief, but a provider that asks for a wait gives way to the next one. */
export const WEB_RETRIES = { maxRetries: 1, initialDelayInMs: 250, maxDelayInMs: 2_000 } as const;

/** Shortens a query to a provider's limits, at a word boundary if possible. */
export function clipQuery(query: string, maxCharacters: number, maxWords = Infinity): string {
  const words = oneLine(query).split(" ").slice(0, maxWords).join(" ");
  return cutText(words, maxCharacters, { atWord: true, ellipsis: "" });
}

/** Anything but an object becomes an empty row, which is dropped. */
export const rowSchema = z.record(z.string(), z.unknown()).catch({});
export type ResultRow = z.infer<typeof rowSchema>;

/** Maximum number of characters: enough for a page, little enough for a cache. */
const MAX_TEXT = 20_000;

/**
 * Checks a provider's answer: drops rows without address or text, makes the rest plain text of
 * bounded length, and keeps each address once.
 * @param markup titles and texts are HTML
 */
export function toWebResults(
  rows: readonly ResultRow[],
  { provider, limit, markup = false }: { provider: string; limit: number; markup?: boolean },
): WebResult[] {
  const plain = (row: ResultRow, keys: readonly string[]): string => {
    const value = (firstString(row, keys) ?? "").slice(0, MAX_TEXT);
    return markup ? htmlToText(value) : tidy(value);
  };
  const results = new Map<string, WebResult>();
  for (const row of rows) {
    if (results.size >= limit) break;
    const url = webUrl(row["url"]);
    if (url === undefined || results.has(url)) continue;
    const title = oneLine(plain(row, ["title"])).slice(0, 300);
    const text = plain(row, ["text", "content"]) || title;
    if (text === "") continue;
    results.set(url, {
      title: title || new URL(url).hostname,
      url,
      text,
      provider,
      date: isoDate(firstString(row, DATE_KEYS)),
    });
  }
  return [...results.values()];
}

/** Returns an http(s) address without its fragment; undefined for others, or with credentials. */
function webUrl(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 2_000 || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (!isWebAddress(url.href) || hasCredentials(url)) return undefined;
  url.hash = "";
  return url.href;
}

/**
 * Returns a date as ISO 8601, from forms that providers and pages use: ISO, RFC 2822, MediaWiki's.
 * A bare day stays one; a time without zone is UTC. Undefined outside of the years 1000 to 2100.
 * @example isoDate("Tue, 12 Nov 2024 08:00:00 GMT") // "2024-11-12T08:00:00.000Z"
 */
export function isoDate(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (text.length > 60 || !/[12]\d{3}/.test(text)) return undefined;
  const hasNoZone = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(text);
  const time = Date.parse(hasNoZone ? `${text.replace(" ", "T")}Z` : text);
  if (Number.isNaN(time)) return undefined;
  const iso = new Date(time).toISOString();
  if (iso < "1000" || iso > "2100") return undefined;
  return iso.slice(0, 10) === text ? text : iso;
}
