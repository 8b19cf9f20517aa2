import { lookup } from "node:dns/promises";
import { isIPv6 } from "node:net";
import { Agent, buildConnector, fetch, type Response } from "undici";
import { reasonOf } from "../support/errors.js";
import { BodyTooLargeError, readBounded } from "../support/json-client.js";
import { TimeLimitError, withinTime } from "../support/waiting.js";
import {
  createSafeConnector,
  hasCredentials,
  refusedUrl,
  type Dial,
  type Resolve,
} from "./safe-connector.js";
import { PageError } from "./search-provider.js";

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

export interface FetchedPage {
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
/** Alone, since chains serve only bombs. The client hands on others as they came. */
const ENCODINGS = new Set(["", "identity", "gzip", "x-gzip", "br", "deflate"]);

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
    resolve = resolveAll,
    dial,
    signal,
  }: SafeFetchOptions & { signal?: AbortSignal } = {},
): Promise<FetchedPage> {
  const isExempt = (hostname: string, port: string): boolean =>
    allowHosts.includes(`${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`);
  const agent = new Agent({
    connect: createSafeConnector({
      resolve,
      dial: dial ?? buildConnector({ timeout: timeoutInMs }),
      isExempt,
    }),
    pipelining: 0,
  });
  const follow = async (limit: AbortSignal): Promise<FetchedPage> => {
    let url = parseUrl(address);
    for (let hops = 0; ; hops += 1) {
      if (hops > MAX_REDIRECTS) throw new PageError(`more than ${MAX_REDIRECTS} redirects`);
      const port = url.port || (url.protocol === "https:" ? "443" : "80");
      const isTrusted = isExempt(url.hostname, port) && !hasCredentials(url);
      const refusal = isTrusted ? undefined : refusedUrl(url);
      if (refusal !== undefined)
        throw new PageError(`${hops === 0 ? "the address" : "a redirect"} is refused: ${refusal}`);
      const response = await fetch(url, {
        dispatcher: agent,
        signal: limit,
        redirect: "manual",
        headers: {
          "user-agent": userAgent,
          accept: "text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.8",
        },
      });
      const location = response.headers.get("location");
      if (!REDIRECTS.has(response.status) || location === null)
        return await readPage(response, url, maxBytes);
      await response.body?.cancel();
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

async function readPage(response: Response, url: URL, maxBytes: number): Promise<FetchedPage> {
  const { status, headers, body } = response;
  const contentType = headers.get("content-type") ?? "";
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (!response.ok) throw new PageError(`HTTP ${status}`);
  if (type !== "" && !READABLE_TYPES.has(type) && !type.endsWith("+json"))
    throw new PageError(`content of type ${type.slice(0, 60)} is not read`);
  const encoding = (headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (!ENCODINGS.has(encoding))
    throw new PageError(`content encoding ${encoding.slice(0, 40)} is not read`);
  if (Number(headers.get("content-length") ?? 0) > maxBytes) throw new BodyTooLargeError(maxBytes);
  const bytes = await readBounded(body, maxBytes);
  return {
    url: url.href,
    contentType,
    bytes,
    lastModified: headers.get("last-modified") ?? undefined,
  };
}

async function resolveAll(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
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

function asPageError(thrown: unknown): PageError {
  // The client wraps what the connector throws.
  const cause = thrown instanceof TypeError && thrown.cause !== undefined ? thrown.cause : thrown;
  if (cause instanceof PageError) return cause;
  if (cause instanceof BodyTooLargeError) return new PageError(cause.message);
  const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : undefined;
  const reason = typeof code === "string" ? code : reasonOf(cause).slice(0, 100);
  return new PageError(`could not be fetched (${reason})`, { cause });
}
