/** The two gates of safe fetching: on the URL, and on the address dialed. */
import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/** Public IPv6 hosts; all other ranges are special (RFC 4291, IANA). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
/** Azure's metadata service, at an inconspicuous address. */
const AZURE_WIRE_SERVER = "168.63.129.16";

/**
 * Returns why a connection to this address is refused, or undefined if it is public. Forms that wrap
 * another address (IPv4-mapped, NAT64, 6to4, Teredo) are refused whatever they wrap.
 * @param address an IPv4 address in four decimal parts, or an IPv6 address without brackets
 */
export function refusedAddress(address: string): string | undefined {
  if (address.includes("%")) return "an address with a zone, which is local to a link";
  if (address === AZURE_WIRE_SERVER) return "the metadata service of a cloud";
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address))
    return "not an internet address";
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  const isPublic =
    range === "unicast" && (parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST));
  return isPublic ? undefined : `not on the public internet (${range})`;
}

/** Other ports belong to databases, mail and shells: more likely an attack than a page. */
const WEB_PORTS: readonly number[] = [80, 443, 8080, 8443];

/** Domains outside of the internet (RFC 6761, 6762, 8375, 9476; ICANN; routers). */
const LOCAL_SUFFIXES = [
  ..."localhost local internal localdomain home.arpa lan home corp intranet".split(" "),
  ..."private test invalid example onion alt".split(" "),
];

const MAX_URL_CHARACTERS = 2_000;

/**
 * Returns why a URL is refused before its name is resolved, or undefined. `URL` itself normalizes
 * decimal, octal, hexadecimal and full-width spellings of IPv4, and refuses zones.
 */
export function refusedUrl(url: URL): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `only http and https are fetched, not ${url.protocol.slice(0, 20)}`;
  if (url.href.length > MAX_URL_CHARACTERS) return `longer than ${MAX_URL_CHARACTERS} characters`;
  if (url.username !== "" || url.password !== "") return "has credentials in it";
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  if (!WEB_PORTS.includes(port)) return `port ${port} is not a web port (${WEB_PORTS.join(", ")})`;
  const name = hostName(url.hostname);
  if (name === "") return "has no host";
  if (name.startsWith("[") || isIPv4(name)) return undefined;
  if (!name.includes(".")) return "a name without a dot is a name of the local network";
  if (LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`)))
    return "a name of this machine or of the local network";
  return undefined;
}

/** Returns a name in lower case, without the dot of a complete name: `localhost.`. */
export function hostName(hostname: string): string {
  const name = hostname.toLowerCase();
  return name.endsWith(".") ? hostName(name.slice(0, -1)) : name;
}
