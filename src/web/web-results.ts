import { z } from "zod";
import { htmlToText, tidy } from "../text/html.js";
import { cutText, oneLine } from "../text/one-line.js";
import type { WebResult } from "./search-provider.js";

/** A provider's failure may pass; but who must be waited for is passed over for the next one. */
export const WEB_RETRIES = { maxRetries: 1, initialDelayInMs: 250, maxDelayInMs: 2_000 } as const;

/** Shortens a query to what a provider takes, at a word boundary where there is one. */
export function clipQuery(query: string, maxCharacters: number, maxWords = Infinity): string {
  const words = oneLine(query).split(" ").slice(0, maxWords).join(" ");
  return cutText(words, maxCharacters, { atWord: true, ellipsis: "" });
}

/** A row of any shape; anything but an object counts as an empty one, which is then dropped. */
export const rowSchema = z.record(z.string(), z.unknown()).catch({});
export type Row = z.infer<typeof rowSchema>;

const TEXT_KEYS = ["text", "content"];
const DATE_KEYS = ["date", "published_date", "publishedDate"];

/** Characters of one result at most: enough for a page's content, little enough for a cache. */
const MAX_TEXT = 20_000;

/**
 * The boundary that every provider's answer passes: rows without a web address or without any text
 * are dropped, the rest is plain text of bounded length, and each address comes once.
 * @param markup whether titles and texts are HTML (with highlighting tags and entities)
 */
export function toWebResults(
  rows: readonly Row[],
  { provider, limit, markup = false }: { provider: string; limit: number; markup?: boolean },
): WebResult[] {
  const plain = (row: Row, keys: readonly string[]): string => {
    const value = firstString(row, keys).slice(0, MAX_TEXT);
    return markup ? htmlToText(value) : tidy(value);
  };
  const results = new Map<string, WebResult>();
  for (const row of rows) {
    if (results.size >= limit) break;
    const url = webUrl(row["url"]);
    if (url === undefined || results.has(url)) continue;
    const title = oneLine(plain(row, ["title"])).slice(0, 300);
    const text = plain(row, TEXT_KEYS) || title;
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

function firstString(row: Row, keys: readonly string[]): string {
  return keys.map((key) => row[key]).find((value) => typeof value === "string") ?? "";
}

/** The address without fragment; undefined with credentials, or unless it is http or https. */
function webUrl(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 2_000 || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  url.hash = "";
  return url.href;
}

/**
 * Returns a date as ISO 8601, from whatever providers and pages write: ISO, RFC 2822, MediaWiki's
 * stamps. A bare day stays one; a time without a zone is read as UTC. Undefined for anything that
 * is no date of a year between 1000 and 2100.
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
