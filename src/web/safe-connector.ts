/** The two gates of safe fetching: on the URL, and on the address dialed. */
import { isIP, isIPv4, type Socket } from "node:net";
import ipaddr from "ipaddr.js";
import type { buildConnector } from "undici";
import { hasCredentials, portOf } from "../support/web-address.js";
import { PageError } from "./search-provider.js";

/** Public IPv6 hosts; all other ranges are special (RFC 4291, IANA). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
/**
 * Metadata services of Azure, Amazon, Alibaba and Oracle at inconspicuous addresses; that of most
 * clouds is local to the link.
 */
const METADATA_SERVICES = ["168.63.129.16", "fd00:ec2::254", "100.100.100.200", "192.0.0.192"];
/** Ranges in which an address that the user typed may lie. */
const PRIVATE_RANGES = ["loopback", "private", "uniqueLocal", "carrierGradeNat"];

/**
 * Returns why a connection to this address is refused, or undefined if it is public. Forms that
 * wrap another address (IPv4-mapped, NAT64, 6to4, Teredo) are refused whatever they wrap.
 * @param address an IPv4 address in four decimal parts, or an IPv6 address without brackets
 * @param allowed ranges that are permitted beside the public ones
 */
function refusedAddress(address: string, allowed: readonly string[]): string | undefined {
  if (address.includes("%")) return "an address with a zone, which is local to a link";
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address))
    return "not an internet address";
  const parsed = ipaddr.parse(address);
  if (METADATA_SERVICES.includes(parsed.toString())) return "the metadata service of a cloud";
  const range = parsed.range();
  const isPublic =
    range === "unicast" && (parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST));
  return isPublic || allowed.includes(range) ? undefined : `not on the public internet (${range})`;
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
  if (hasCredentials(url)) return "has credentials in it";
  const port = Number(portOf(url));
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
function hostName(hostname: string): string {
  const name = hostname.toLowerCase();
  return name.endsWith(".") ? hostName(name.slice(0, -1)) : name;
}

/** Returns the addresses of a name in the order to try them. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Opens a connection to an address; `servername` is the name for TLS. */
export type Dial = buildConnector.connector;

/** Enough to get past an address family that is not routed. */
const MAX_ADDRESSES_TRIED = 3;

/**
 * The second gate: looks a name up once, checks all of its addresses, and dials one of those, so
 * that an answer that changes between check and use (DNS rebinding) has no effect. One refused
 * address refuses the name: no honest site has one foot in a private network. Literal addresses
 * pass the same gate, since `net.connect` never calls `lookup` for them.
 */
export function createSafeConnector({
  resolve,
  dial,
  isExempt,
}: {
  resolve: Resolve;
  dial: Dial;
  /**
   * Hosts named by the user. An address may be private, and `localhost` may be this machine; any
   * other name must be public, since its addresses are chosen by whoever owns it.
   */
  isExempt: (hostname: string, port: string) => boolean;
}): Dial {
  const connect = async (options: buildConnector.Options): Promise<Socket> => {
    const { hostname } = options;
    const isLiteral = isIP(hostname) !== 0;
    const addresses = isLiteral ? [hostname] : await lookUp(resolve, hostname);
    const named = isLiteral ? PRIVATE_RANGES : ["loopback"];
    const isNamed = isLiteral || hostName(hostname) === "localhost";
    const allowed = isNamed && isExempt(hostname, portOf(options)) ? named : [];
    for (const address of addresses) {
      const reason = refusedAddress(address, allowed);
      const place = address === hostname ? address : `${hostname} leads to ${address}, which`;
      if (reason !== undefined) throw new PageError(`${place} is refused: ${reason}`);
    }
    const servername = options.servername ?? (isLiteral ? undefined : hostname);
    let failure: unknown;
    for (const address of addresses.slice(0, MAX_ADDRESSES_TRIED))
      try {
        return await dialed(dial, { ...options, hostname: address, servername });
      } catch (error) {
        failure = error;
      }
    throw failure;
  };
  return (options, callback) => {
    connect(options).then(
      (socket) => callback(null, socket),
      (error: unknown) =>
        callback(error instanceof Error ? error : new PageError("the connection failed"), null),
    );
  };
}

function dialed(dial: Dial, options: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) =>
    dial(options, (error, socket) => (socket === null ? reject(error) : resolve(socket))),
  );
}

async function lookUp(resolve: Resolve, hostname: string): Promise<readonly string[]> {
  const name = hostName(hostname);
  const addresses = await resolve(name).catch((cause: unknown) => {
    throw new PageError(`the name ${name} could not be resolved`, { cause });
  });
  if (addresses.length === 0) throw new PageError(`the name ${name} has no address`);
  return addresses;
}
