/** Which targets are never fetched: the gate on the URL, and the gate on the address dialed. */
import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Addresses that the ranges do not catch: services of cloud hosts that answer from inside on an
 * unremarkable address. The well-known 169.254.169.254, fd00:ec2::254 and 100.100.100.200 lie in
 * ranges that are refused as a whole.
 */
const REFUSED_ADDRESSES: Readonly<Record<string, string>> = {
  "168.63.129.16": "metadata service (Azure's wire server)",
};

const REFUSED_IPV4_RANGES: readonly [cidr: string, reason: string][] = [
  ["192.88.99.0/24", "6to4 relay"],
  ["192.52.193.0/24", "multicast tunnel"],
];

const REFUSED_IPV6_RANGES: readonly [cidr: string, reason: string][] = [
  ["2001::/23", "protocol assignments, Teredo among them"],
  ["2001:db8::/32", "documentation"],
  ["2002::/16", "6to4, which wraps an IPv4 address"],
  ["3fff::/20", "documentation"],
];

/** Assigned to hosts on the internet; everything else of IPv6 is special (RFC 4291, IANA). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Returns why a connection to this address is refused; undefined when it lies on the public
 * internet. Only what is known to be public is let through: text that is no address, and forms that
 * wrap another address (IPv4-mapped, NAT64, 6to4, Teredo), are refused whatever they wrap.
 * @param address an IPv4 address in four decimal parts, or an IPv6 address without brackets
 */
export function refusedAddress(address: string): string | undefined {
  if (address.includes("%")) return "an address with a zone, which is local to a link";
  const listed = REFUSED_ADDRESSES[address];
  if (listed !== undefined) return listed;
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    const ipv4 = ipaddr.IPv4.parse(address);
    const range = ipv4.range();
    if (range !== "unicast") return RANGE_NAMES[range] ?? `special range (${range})`;
    return REFUSED_IPV4_RANGES.find(([cidr]) => ipv4.match(ipaddr.IPv4.parseCIDR(cidr)))?.[1];
  }
  if (ipaddr.IPv6.isValid(address)) {
    const ipv6 = ipaddr.IPv6.parse(address);
    const range = ipv6.range();
    if (range !== "unicast") return RANGE_NAMES[range] ?? `special range (${range})`;
    if (!ipv6.match(GLOBAL_UNICAST))
      return "not in the part of IPv6 that hosts on the internet have";
    return REFUSED_IPV6_RANGES.find(([cidr]) => ipv6.match(ipaddr.IPv6.parseCIDR(cidr)))?.[1];
  }
  return "no internet address";
}

const RANGE_NAMES: Readonly<Record<string, string>> = {
  unspecified: "unspecified address, which means this machine",
  broadcast: "broadcast",
  multicast: "multicast",
  linkLocal: "link-local, where metadata services live",
  loopback: "loopback, this machine",
  carrierGradeNat: "carrier-grade NAT",
  private: "private network",
  reserved: "reserved or documentation",
  uniqueLocal: "private network (unique local)",
  ipv4Mapped: "IPv4 wrapped in IPv6",
  rfc6145: "IPv4 wrapped in IPv6",
  rfc6052: "NAT64, which wraps an IPv4 address",
  "6to4": "6to4, which wraps an IPv4 address",
  teredo: "Teredo, which wraps an IPv4 address",
};

/** Ports of web pages. Others belong to databases, mail, shells: more often attacks than pages. */
const WEB_PORTS: readonly number[] = [80, 443, 8080, 8443];

/** Names of machines that are not on the internet (RFC 6761, 6762, 8375, 9476; ICANN; routers). */
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
 * Returns why a URL is refused before any name is resolved, or undefined. What a name resolves to
 * is checked when the connection is made. `URL` itself already turns decimal, octal, hexadecimal
 * and full-width spellings of IPv4 into the usual one, and refuses zones.
 */
export function refusedUrl(url: URL): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `only http and https are fetched, not ${url.protocol.slice(0, 20)}`;
  if (url.href.length > MAX_URL_CHARACTERS) return `longer than ${MAX_URL_CHARACTERS} characters`;
  if (url.username !== "" || url.password !== "") return "has credentials in it";
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  if (!WEB_PORTS.includes(port)) return `port ${port} is no web port (${WEB_PORTS.join(", ")})`;
  const name = hostName(url.hostname);
  if (name === "") return "has no host";
  if (name.startsWith("[") || isIPv4(name)) return undefined;
  if (!name.includes(".")) return "a name without a dot is a name of the local network";
  if (LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`)))
    return "a name of this machine or of the local network";
  return undefined;
}

/** Lower case, without the dot that only says that a name is complete: `localhost.`. */
export function hostName(hostname: string): string {
  const name = hostname.toLowerCase();
  return name.endsWith(".") ? hostName(name.slice(0, -1)) : name;
}
