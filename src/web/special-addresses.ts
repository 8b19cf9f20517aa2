import ipaddr from "ipaddr.js";

/**
 * Single addresses that the ranges do not catch: services of cloud hosts that answer from inside on a public or otherwise unremarkable address.
 * The well-known 169.254.169.254, fd00:ec2::254 and 100.100.100.200 lie in ranges that are refused as a whole.
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

/** The part of IPv6 that is assigned to hosts on the internet; everything else is special (RFC 4291, IANA's registry). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Why a connection to this address is refused, or undefined when it lies on the public internet. Only what is known to be public is let through: text
 * that is no address, and forms that wrap another address (IPv4-mapped, IPv4-compatible, NAT64, 6to4, Teredo), are refused whatever they wrap.
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
