/** Fetches pages from untrusted addresses, and reduces them to their main content. */
import { lookup } from "node:dns/promises";
import { isIPv6 } from "node:net";
import { PassThrough, pipeline, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { Agent, buildConnector, request, type Dispatcher } from "undici";
import { reasonOf } from "../support/errors.js";
import { BodyTooLargeError, readBounded } from "../support/json-client.js";
import { TimeLimitError, withinTime } from "../support/waiting.js";
import { hasCredentials, lastSegment, portOf } from "../support/web-address.js";
import { declaredCharset, decodeText } from "../text/decode-text.js";
import { withoutInvisibleSigns } from "../text/html.js";
import { readWebPage, textOfBlocks } from "../text/web-page.js";
import { cutText } from "../text/words.js";
import { createSafeConnector, refusedUrl, type Dial, type Resolve } from "./safe-connector.js";
import { isoDate, PageError, type FetchPage, type WebPage } from "./search-provider.js";

export interface SafeFetchOptions {
  /** Limit of the page, counted after decompression. */
  maxBytes?: number;
  /** For the whole fetch, redirects and body included. */
  timeoutInMs?: number;
  userAgent?: string;
  /** `host:port` of servers named by the user, which may be private; never from search results. */
  allowHosts?: readonly string[];
  /** Resolve names and open connections; for tests. */
  resolve?: Resolve;
  dial?: Dial;
}

interface FetchedPage {
  /** After redirects. */
  url: string;
  /** As sent, with parameters, or empty. */
  contentType: string;
  bytes: Uint8Array;
  lastModified?: string;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const READABLE_TYPES = new Set([
  ...["html", "plain", "markdown", "xml", "csv"].map((type) => `text/${type}`),
  ...["xhtml+xml", "json", "xml"].map((type) => `application/${type}`),
]);

/**
 * Returns a function that fetches a page safely and reduces it to its main content.
 * @example
 * const fetchPage = createFetchPage({ timeoutInMs: 5_000 });
 * const { title, text } = await fetchPage("https://example.com/", {});
 */
export function createFetchPage(options: SafeFetchOptions = {}): FetchPage {
  return async (url, { signal }) => readContent(await safeFetch(url, { ...options, signal }));
}

/**
 * Fetches a page from an untrusted address. The threat is a search result, or a redirect, that
 * makes this machine talk to what only it can reach: its own services, its neighbors, cloud
 * metadata. Hence two gates at every hop, on the URL and on the address dialed; GET only, without
 * cookies, credentials or `Referer`; limits on redirects, time and size; readable types only.
 * @throws PageError, or the signal's reason when cancelled
 */
export async function safeFetch(
  address: string,
  {
    maxBytes = 2_000_000,
    timeoutInMs = 10_000,
    userAgent = "corrective-rag/0.1",
    allowHosts = [],
    resolve = async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
    dial = buildConnector({ timeout: timeoutInMs }),
    signal,
  }: SafeFetchOptions & { signal?: AbortSignal } = {},
): Promise<FetchedPage> {
  const isExempt = (hostname: string, port: string): boolean =>
    allowHosts.includes(`${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`);
  const connect = createSafeConnector({ resolve, dial, isExempt });
  const agent = new Agent({ connect, pipelining: 0 });
  const follow = async (limit: AbortSignal): Promise<FetchedPage> => {
    let url = parseUrl(address);
    for (let hops = 0; ; hops += 1) {
      if (hops > MAX_REDIRECTS) throw new PageError(`more than ${MAX_REDIRECTS} redirects`);
      const isTrusted = isExempt(url.hostname, portOf(url)) && !hasCredentials(url);
      const refusal = isTrusted ? undefined : refusedUrl(url);
      if (refusal !== undefined)
        throw new PageError(`${hops === 0 ? "the address" : "a redirect"} is refused: ${refusal}`);
      const response = await request(url, {
        dispatcher: agent,
        signal: limit,
        headers: {
          "user-agent": userAgent,
          accept: "text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.8",
          "accept-encoding": "gzip, br",
        },
      });
      const location = headerOf(response, "location");
      if (!REDIRECTS.has(response.statusCode) || location === "")
        return await readPage(response, url, maxBytes);
      response.body.on("error", () => undefined).destroy();
      url = parseUrl(location, url);
    }
  };
  try {
    // Name look-ups ignore the signal; the wait for them ends all the same.
    return await withinTime(follow, { timeoutInMs, signal });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof TimeLimitError)
      throw new PageError(`no page within ${timeoutInMs / 1000} s`);
    throw asPageError(error);
  } finally {
    // Not awaited, since sockets may hang.
    agent.destroy().catch(() => undefined);
  }
}

async function readPage(
  response: Dispatcher.ResponseData,
  url: URL,
  maxBytes: number,
): Promise<FetchedPage> {
  const { statusCode: status, body } = response;
  const contentType = headerOf(response, "content-type");
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (status < 200 || status > 299) throw new PageError(`HTTP ${status}`);
  if (type !== "" && !READABLE_TYPES.has(type) && !type.endsWith("+json"))
    throw new PageError(`content of type ${type.slice(0, 60)} is not read`);
  const encoding = headerOf(response, "content-encoding").trim().toLowerCase();
  const decoder = decoderOf(encoding);
  if (decoder === undefined)
    throw new PageError(`content encoding ${encoding.slice(0, 40)} is not read`);
  if (Number(headerOf(response, "content-length")) > maxBytes)
    throw new BodyTooLargeError(maxBytes);
  // Hands a failure of one on to the other; whoever reads the end of it hears of it.
  const bytes = await readBounded(
    pipeline(body, decoder, () => undefined),
    maxBytes,
  );
  const lastModified = headerOf(response, "last-modified") || undefined;
  return { url: url.href, contentType, bytes, lastModified };
}

/**
 * One alone is decoded, since chains serve only bombs. `fetch` would take a stream that is cut off
 * for whole.
 */
function decoderOf(encoding: string): Transform | undefined {
  if (encoding === "" || encoding === "identity") return new PassThrough();
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  if (encoding === "br") return createBrotliDecompress();
  return encoding === "deflate" ? createInflate() : undefined;
}

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string {
  return [headers[name] ?? ""].flat().join(", ");
}

function parseUrl(text: string, base?: URL): URL {
  try {
    return new URL(text, base);
  } catch (cause) {
    throw new PageError(`${base === undefined ? "the address" : "a redirect"} is not a valid URL`, {
      cause,
    });
  }
}

function asPageError(cause: unknown): PageError {
  if (cause instanceof PageError) return cause;
  if (cause instanceof BodyTooLargeError) return new PageError(cause.message);
  const code: unknown = Reflect.get(Object(cause), "code");
  if (code === "Z_BUF_ERROR") return new PageError("it is cut off: its compressed text has no end");
  const reason = typeof code === "string" ? code : reasonOf(cause).slice(0, 100);
  return new PageError(`could not be fetched (${reason})`, { cause });
}

/** Maximum number of characters of a page. */
const MAX_TEXT = 200_000;

function readContent({ url, bytes, contentType, lastModified }: FetchedPage): WebPage {
  // The header counts more than the page.
  const body = decodeText(bytes, declaredCharset(contentType) ?? declaredCharset(bytes));
  const type = contentType.trim().toLowerCase();
  const isNamed = type.startsWith("text/") || type.startsWith("application/");
  const isHtml = type.includes("html") || (!isNamed && body.trimStart().startsWith("<"));
  const read = isHtml ? readWebPage(body) : undefined;
  // Indentation may matter in plain text, so it is not tidied.
  const whole =
    read === undefined ? withoutInvisibleSigns(body).trim() : textOfBlocks(read.blocks).text;
  const text = cutText(whole, MAX_TEXT, { ellipsis: "" });
  if (text === "") throw new PageError("the page has no text");
  const title = read === undefined ? lastSegment(url) : read.title || new URL(url).hostname;
  // The header of an HTML page often says when it was generated, not changed.
  const date = isoDate(read === undefined ? lastModified : read.date);
  return { url, title, text, blocks: read?.blocks, date, meta: read?.meta };
}
