import { isIP } from "node:net";
import type { buildConnector } from "undici";
import { hostName, refusedAddress } from "./refused.js";
import { PageError } from "./search-provider.js";

/** Returns the addresses of a name in the order to try them. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Opens a connection to an address; `servername` is the name for TLS. */
export type Dial = buildConnector.connector;

/** Enough to get past an address family that is not routed. */
const MAX_ADDRESSES_TRIED = 3;

/**
 * The second gate: looks a name up once, checks all of its addresses, and dials one of those, so
 * that an answer that changes between check and use (DNS rebinding) has no effect. One refused
 * address refuses the name: no honest site has one foot in a private network. Literal addresses pass
 * the same gate, since `net.connect` never calls `lookup` for them.
 */
export function createSafeConnector({
  resolve,
  dial,
  isExempt = () => false,
}: {
  resolve: Resolve;
  dial: Dial;
  /** Hosts named by the user, whose addresses are not checked. */
  isExempt?: (hostname: string, port: string) => boolean;
}): buildConnector.connector {
  return (options, callback) => {
    const port = options.port || (options.protocol === "https:" ? "443" : "80");
    const literal = isIP(options.hostname) !== 0;
    const servername = options.servername ?? (literal ? undefined : options.hostname);
    const connect = async (): Promise<void> => {
      const addresses = literal ? [options.hostname] : await lookUp(resolve, options.hostname);
      if (!isExempt(options.hostname, port))
        for (const address of addresses) assertPublic(options.hostname, address);
      const tryFrom = (index: number): void => {
        const address = addresses[index];
        if (address === undefined) return;
        dial({ ...options, hostname: address, servername }, (...result) => {
          if (result[0] !== null && index + 1 < Math.min(addresses.length, MAX_ADDRESSES_TRIED))
            tryFrom(index + 1);
          else callback(...result);
        });
      };
      tryFrom(0);
    };
    connect().catch((error: unknown) =>
      callback(error instanceof Error ? error : new PageError("the connection failed"), null),
    );
  };
}

async function lookUp(resolve: Resolve, hostname: string): Promise<readonly string[]> {
  const name = hostName(hostname);
  let addresses: readonly string[];
  try {
    addresses = await resolve(name);
  } catch (cause) {
    throw new PageError(`the name ${name} could not be resolved`, { cause });
  }
  if (addresses.length === 0) throw new PageError(`the name ${name} has no address`);
  return addresses;
}

function assertPublic(hostname: string, address: string): void {
  const reason = refusedAddress(address);
  if (reason === undefined) return;
  throw new PageError(
    address === hostname
      ? `${address} is refused: ${reason}`
      : `${hostname} leads to ${address}, which is refused: ${reason}`,
  );
}
