/** Ports on which web pages are served. Others belong to databases, mail, shells: a request there is an attack more often than a page. */
export const WEB_PORTS: readonly number[] = [80, 443, 8080, 8443];

/** Names for machines that are not on the internet (RFC 6761, 6762, 8375, 9476; ICANN's `internal`; and what home and office routers use). */
const LOCAL_SUFFIXES = [
  "localhost",
  "local",
  "internal",
  "localdomain",
  "home.arpa",
  "lan",
  "home",
  "corp",
  "intranet",
  "private",
  "test",
  "invalid",
  "example",
  "onion",
  "alt",
];

const MAX_URL_CHARACTERS = 2_000;

/**
 * Why a URL is refused before any name is resolved, or undefined. This is the first of two gates: what a name resolves to is checked when the
 * connection is made. `URL` itself already turns decimal, octal, hexadecimal and full-width spellings of IPv4 into the usual one, and refuses zones.
 */
export function refusedUrl(url: URL): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `only http and https are fetched, not ${url.protocol.slice(0, 20)}`;
  if (url.href.length > MAX_URL_CHARACTERS) return `longer than ${MAX_URL_CHARACTERS} characters`;
  if (url.username !== "" || url.password !== "") return "has credentials in it";
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  if (!WEB_PORTS.includes(port)) return `port ${port} is no web port (${WEB_PORTS.join(", ")})`;
  const name = hostName(url);
  if (name === "") return "has no host";
  if (name.startsWith("[") || /^[\d.]+$/.test(name)) return undefined;
  if (!name.includes(".")) return "a name without a dot is a name of the local network";
  if (LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`)))
    return "a name of this machine or of the local network";
  return undefined;
}

/** Host in lower case without trailing dots: `localhost.` is `localhost`. */
function hostName(url: URL): string {
  return url.hostname.toLowerCase().replace(/\.+$/, "");
}
