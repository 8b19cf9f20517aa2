/**
 * Decides from where a request may come. Pure: headers in, a reason for a refusal out.
 *
 * The threat is a web page that the user visits while the server runs on this machine. CORS alone
 * does not stop it: a simple POST is still executed, a form can navigate to `/runs/wait`, a
 * WebSocket opens from anywhere, and a name that rebinds to loopback has the same origin. So a
 * browser's request must state a known origin, and every request must name a host that nobody else
 * can have pointed here.
 */
import { isIP } from "node:net";
import type { Settings } from "../settings/table.js";

/** Foreign origins that may read and write, and host names besides `localhost` and addresses. */
type AccessPolicy = Pick<Settings, "allowedOrigins" | "allowedHosts">;

/** A request without its body; its path is the router's, without a query and percent signs. */
interface RequestHead {
  readonly method: string;
  readonly path: string;
  header(name: string): string | undefined;
}

/** Returns why a request is refused for where it comes from; undefined if it is not. */
export function judgeRequest(
  head: RequestHead,
  { allowedOrigins = [], allowedHosts = [] }: AccessPolicy,
): string | undefined {
  if (head.path === "/ok") return undefined;
  const host = head.header("host");
  if (host !== undefined && !isAllowedHost(host, allowedHosts))
    return `the host "${cut(host)}" is not this server's: set CRAG_ALLOWED_HOSTS`;
  const foreign = foreignOrigin(head, host, allowedOrigins);
  return foreign && `requests from ${cut(foreign)} are refused: set CRAG_ALLOWED_ORIGINS`;
}

/** Accepts literal addresses, because only names can be rebound by somebody else. */
function isAllowedHost(host: string, hosts: readonly string[]): boolean {
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
    const isSameOrigin =
      URL.canParse(origin) && host !== undefined && new URL(origin).host === host.toLowerCase();
    return isSameOrigin || origins.includes(origin) ? undefined : `the origin "${origin}"`;
  }
  const site = head.header("sec-fetch-site");
  if (site === undefined || site === "same-origin" || site === "none") return undefined;
  // Following a link to the page tells the linking site nothing.
  const isLink = head.header("sec-fetch-mode") === "navigate" && head.method === "GET";
  return isLink && isPageFile(head.path) ? undefined : "another site";
}

/** True for the page's files, which hold no data; they fetch it with a key. */
function isPageFile(path: string): boolean {
  return path === "/app" || (path.startsWith("/app/") && path !== "/app/about");
}

/** Shortens a header to quote it, and drops unprintable characters. */
function cut(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e]/g, "?");
}
