/**
 * Decides which requests the API server may serve. Pure: headers and a parsed body in, a verdict
 * out.
 *
 * The threat is a web page that the user visits while the server runs on this machine. CORS alone
 * does not stop it: a simple POST is still executed (and its webhook carries the answer out), a
 * form can navigate to `/runs/wait`, a WebSocket opens from anywhere, and a name that rebinds to
 * loopback has the same origin. So a browser's request must state a known origin, and every request
 * must name a host that nobody else can have pointed here.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { readEnvironment, type Variables } from "../settings/environment.js";
import { completeSettings } from "../settings/run-settings.js";

const STUDIO = ["https://smith.langchain.com", "https://eu.smith.langchain.com"];

/** Reads the server's policy from its environment. */
export function accessPolicy(environment: Variables) {
  const settings = completeSettings(readEnvironment(environment).settings);
  return {
    /** Foreign origins that may read and write: Studio, a chat client. */
    origins: [...STUDIO, ...(settings.allowedOrigins ?? [])],
    /** Host names of the server besides `localhost` and literal addresses. */
    hosts: settings.allowedHosts ?? [],
    /** Origins that a run's result may be posted to. */
    webhookOrigins: settings.webhookOrigins ?? [],
    /** Keys that clients must send, `name:key` or just `key`; empty if none is needed. */
    keys: settings.apiKeys ?? [],
    maxBodyBytes: settings.maxBodyBytes,
    /** For an uploaded file, which goes to disk and not into memory. */
    maxUploadBytes: settings.maxUploadBytes,
    /** For a question, and for each text in a message. */
    maxTextBytes: settings.maxQuestionBytes,
    /** Messages per request, and runs per batch. */
    maxItems: 200,
  };
}

type AccessPolicy = Readonly<ReturnType<typeof accessPolicy>>;

export type Verdict =
  | { readonly allowed: true; readonly identity: string }
  | { readonly allowed: false; readonly status: 400 | 401 | 403 | 413; readonly reason: string };

/** A request without its body. */
interface RequestHead {
  readonly method: string;
  /** As the router reads it: without the query, percent signs decoded. */
  readonly path: string;
  header(name: string): string | undefined;
}

/** The identity of all clients if there are no keys. */
const ANYBODY = "local";

/** Judges a request by its origin and its sender; `judgeBody` judges the content. */
export function judgeRequest(head: RequestHead, policy: AccessPolicy): Verdict {
  if (head.path === "/ok") return allowed(ANYBODY);
  const host = head.header("host");
  if (host !== undefined && !isOwnHost(host, policy.hosts))
    return refused(403, `the host "${cut(host)}" is not this server's: set CRAG_ALLOWED_HOSTS`);
  const foreign = foreignOrigin(head, host, policy.origins);
  if (foreign !== undefined)
    return refused(403, `requests from ${cut(foreign)} are refused: set CRAG_ALLOWED_ORIGINS`);
  // LangGraph's own tests empty the whole store there.
  if (head.path.startsWith("/internal/")) return refused(403, "this route serves no clients");
  const length = Number(head.header("content-length") ?? 0);
  const limit = isUpload(head) ? policy.maxUploadBytes : policy.maxBodyBytes;
  if (length > limit) return tooLarge(limit);
  return identified(head, policy);
}

/**
 * Judges every question, message and webhook in a parsed body, however deep it is, so that no route
 * or nesting gets around the limits.
 */
export function judgeBody(body: unknown, policy: AccessPolicy): Verdict {
  if (Array.isArray(body) && body.length > policy.maxItems)
    return refused(413, `at most ${policy.maxItems} runs fit in one batch`);
  const open: { key: string; value: unknown; inMessages: boolean }[] = [
    { key: "", value: body, inMessages: false },
  ];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { key, value } = item;
    const inMessages = item.inMessages || key === "messages";
    if (typeof value === "string") {
      const refusal = judgeText(key, value, inMessages, policy);
      if (refusal !== undefined) return refusal;
    } else if (Array.isArray(value)) {
      if (key === "messages" && value.length > policy.maxItems)
        return refused(413, `at most ${policy.maxItems} messages fit in one request`);
      for (const entry of value as unknown[]) open.push({ key: "", value: entry, inMessages });
    } else if (typeof value === "object" && value !== null) {
      for (const [name, entry] of Object.entries(value))
        open.push({ key: name, value: entry, inMessages });
    }
  }
  return allowed(ANYBODY);
}

function judgeText(
  key: string,
  text: string,
  inMessages: boolean,
  policy: AccessPolicy,
): Verdict | undefined {
  if (key === "webhook") {
    const origin = URL.canParse(text) ? new URL(text).origin : undefined;
    if (origin !== undefined && policy.webhookOrigins.includes(origin)) return undefined;
    return refused(403, "webhooks to this origin are refused: set CRAG_WEBHOOK_ORIGINS");
  }
  const isLimited = inMessages || key === "question";
  if (isLimited && Buffer.byteLength(text) > policy.maxTextBytes)
    return refused(413, `a question or message may have at most ${policy.maxTextBytes} bytes`);
  return undefined;
}

export function tooLarge(maxBytes: number): Verdict {
  return refused(413, `a request may have at most ${maxBytes} bytes`);
}

/** True for the upload of a file; its route counts the bytes as they arrive. */
export function isUpload({ method, path }: Pick<RequestHead, "method" | "path">): boolean {
  return method === "PUT" && path === "/documents/file";
}

/** Accepts literal addresses, because only names can be rebound by somebody else. */
function isOwnHost(host: string, hosts: readonly string[]): boolean {
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  if (url === undefined) return false;
  const name = url.hostname.toLowerCase();
  // `URL` accepts nothing but an IPv6 address in brackets.
  const isAddress = name.startsWith("[") || isIP(name) > 0;
  return name === "localhost" || isAddress || hosts.includes(name);
}

/**
 * Returns the origin of a foreign page's request, or undefined. Browsers send the origin with all
 * but simple reads, and the site with those; other programs send neither header.
 */
function foreignOrigin(
  head: RequestHead,
  host: string | undefined,
  origins: readonly string[],
): string | undefined {
  const origin = head.header("origin");
  if (origin !== undefined) {
    const isOwn =
      URL.canParse(origin) && host !== undefined && new URL(origin).host === host.toLowerCase();
    return isOwn || origins.includes(origin) ? undefined : `the origin "${origin}"`;
  }
  const site = head.header("sec-fetch-site");
  if (site === undefined || site === "same-origin" || site === "none") return undefined;
  // Following a link to the page tells the linking site nothing.
  const isLink = head.header("sec-fetch-mode") === "navigate" && head.method === "GET";
  return isLink && isPageFile(head.path) ? undefined : "another site";
}

function identified(head: RequestHead, { keys }: AccessPolicy): Verdict {
  // A preflight has no key, and its response no data.
  if (keys.length === 0 || head.method === "OPTIONS" || isPageFile(head.path))
    return allowed(ANYBODY);
  const shown = head.header("x-api-key") ?? bearer(head.header("authorization"));
  // An empty key would match an entry like `anna:`.
  if (shown === undefined || shown === "")
    return refused(401, "a key is needed: send it as x-api-key or as a bearer token");
  for (const entry of keys) {
    const { name, key } = splitKey(entry);
    if (isSame(key, shown)) return allowed(name);
  }
  return refused(401, "the key is not known");
}

/** True for the page's own files, which hold no data; they fetch it with a key. */
function isPageFile(path: string): boolean {
  return (
    path === "/app" || path === "/app/" || /^\/app\/(?:lib\/)?[a-z-]+\.(?:js|css|svg)$/.test(path)
  );
}

function bearer(header: string | undefined): string | undefined {
  return header?.toLowerCase().startsWith("bearer ") ? header.slice(7).trim() : undefined;
}

/** Splits `anna:secret` into name and key; a key without a name is named by its hash. */
function splitKey(entry: string): { name: string; key: string } {
  const colon = entry.indexOf(":");
  if (colon > 0) return { name: entry.slice(0, colon), key: entry.slice(colon + 1) };
  return { name: `key-${digest(entry).toString("hex").slice(0, 8)}`, key: entry };
}

/** Compares in constant time, whatever the length. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Shortens a header to quote it, and drops unprintable characters. */
function cut(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e]/g, "?");
}

function allowed(identity: string): Verdict {
  return { allowed: true, identity };
}

function refused(status: 400 | 401 | 403 | 413, reason: string): Verdict {
  return { allowed: false, status, reason };
}
