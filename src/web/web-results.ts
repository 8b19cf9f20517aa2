import { z } from "zod";
import { htmlToText, tidy } from "../text/html.js";
import { isoDate } from "./iso-date.js";
import type { WebResult } from "./search-provider.js";

/** What a provider said of one result, before any of it is believed. */
export interface RawResult {
  title?: unknown;
  url?: unknown;
  text?: unknown;
  date?: unknown;
}

/** Characters of one result at most: enough for a page's content, little enough for a cache of hundreds. */
const MAX_TEXT = 20_000;

/**
 * The boundary that every provider's answer passes: rows without a web address or without any text are dropped, the rest is plain text of bounded
 * length, and each address comes once.
 * @param markup whether titles and texts are HTML (with highlighting tags and entities)
 */
export function toWebResults(
  rows: readonly RawResult[],
  { provider, limit, markup = false }: { provider: string; limit: number; markup?: boolean },
): WebResult[] {
  const plain = (value: unknown): string => {
    if (typeof value !== "string") return "";
    const cut = value.slice(0, MAX_TEXT);
    return markup ? htmlToText(cut) : tidy(cut);
  };
  const results = new Map<string, WebResult>();
  for (const row of rows) {
    if (results.size >= limit) break;
    const url = webUrl(row.url);
    if (url === undefined || results.has(url)) continue;
    const title = plain(row.title).replace(/\s+/g, " ").slice(0, 300);
    const text = plain(row.text);
    if (text === "" && title === "") continue;
    const date = isoDate(row.date);
    results.set(url, {
      title: title === "" ? new URL(url).hostname : title,
      url,
      text: text === "" ? title : text,
      provider,
      ...(date === undefined ? {} : { date }),
    });
  }
  return [...results.values()];
}

/** The address in its normal form without fragment and credentials; undefined unless it is http or https. */
function webUrl(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 2_000) return undefined;
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    return undefined;
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  url.hash = "";
  return url.href;
}

/** A row of any shape; anything but an object counts as an empty one, which is then dropped. */
export const rowSchema = z.record(z.string(), z.unknown()).catch({});
