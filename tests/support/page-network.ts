/**
 * A network for tests of safe fetching that exists on this machine alone: names are resolved from a table, and whatever address is dialled, the
 * attempt is recorded and the connection goes to one stand-in server on the loopback interface. No address off the machine is ever dialled, and so
 * a gate that failed would show as a recorded attempt, not as a packet.
 */
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { connect, type AddressInfo } from "node:net";
import type { Dial, Resolve } from "../../src/web/safe-connector.js";

export interface PageNetwork {
  resolve: Resolve;
  dial: Dial;
  /** Every connection that was asked for, as `address:port`. */
  attempts: string[];
  /** Names for TLS, as asked for. */
  servernames: (string | undefined)[];
  lookups: string[];
  requests: { url: string; headers: IncomingMessage["headers"] }[];
  /** Empties the records. */
  forget(): void;
  close(): Promise<void>;
}

/** Where every name leads that the table does not list: an address of the public internet. */
export const PUBLIC_ADDRESS = "93.184.215.14";

/**
 * @param names addresses by name; a function is asked anew at each look-up
 * @param unreachable addresses at which nobody answers
 */
export async function startPageNetwork(
  listener: RequestListener,
  {
    names = {},
    unreachable = [],
  }: {
    names?: Readonly<Record<string, readonly string[] | (() => readonly string[])>>;
    unreachable?: readonly string[];
  } = {},
): Promise<PageNetwork> {
  const requests: PageNetwork["requests"] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const attempts: string[] = [];
  const servernames: (string | undefined)[] = [];
  const lookups: string[] = [];
  return {
    attempts,
    servernames,
    lookups,
    requests,
    resolve: (hostname) => {
      lookups.push(hostname);
      const known = names[hostname];
      return Promise.resolve(typeof known === "function" ? known() : (known ?? [PUBLIC_ADDRESS]));
    },
    dial: (options, callback) => {
      attempts.push(
        `${options.hostname}:${options.port || (options.protocol === "https:" ? 443 : 80)}`,
      );
      servernames.push(options.servername);
      if (unreachable.includes(options.hostname)) {
        callback(Object.assign(new Error("unreachable"), { code: "ENETUNREACH" }), null);
        return;
      }
      const socket = connect({ host: "127.0.0.1", port });
      let called = false;
      socket.once("connect", () => {
        called = true;
        callback(null, socket);
      });
      socket.once("error", (error) => {
        if (!called) callback(error, null);
      });
    },
    forget: () => {
      for (const list of [attempts, servernames, lookups, requests]) list.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
