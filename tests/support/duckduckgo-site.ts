/**
 * DuckDuckGo's search page as `duck-duck-scrape` reads it: a page that carries a token, then a script with the results. On a port of this
 * machine, without TLS; while it is open, every HTTPS connection of this process that uses the usual agent ends there, whatever the name.
 */
import { createServer, type ServerResponse } from "node:http";
import https from "node:https";
import { connect } from "node:net";
import type { Duplex } from "node:stream";

export interface DuckDuckGoSite {
  /** `host /path` with the query it was asked for, in order. */
  asked: { host: string; path: string; query: string; token: string | null }[];
  /** What the script with the results is; changed between searches. */
  results: (response: ServerResponse) => void;
  /** What the first page is. */
  page: (response: ServerResponse) => void;
  close(): Promise<void>;
}

const TOKEN = "4-123456789012345678901234567890";

/** A script with these rows, ended as the real one is: by a row that names the next page. */
export function scriptOf(
  rows: readonly { t: string; u: string; a: string }[],
): (response: ServerResponse) => void {
  const list = [
    ...rows.map((row) => ({ ...row, i: new URL(row.u).hostname })),
    { n: "/d.js?q=next" },
  ];
  return (response) => {
    response.setHeader("content-type", "application/x-javascript");
    response.end(
      `if (DDG.deep) {};DDG.pageLayout.load('d',${JSON.stringify(list)});DDG.duckbar.load('images', {});`,
    );
  };
}

/** What the real one says when nothing was found. */
export function emptyScript(response: ServerResponse): void {
  response.end(
    `DDG.pageLayout.load('d',[{"a":"","c":null,"d":"google.com search","h":0,"i":"","t":"EOF","u":"http://www.google.com/search?q=x"}]);DDG.duckbar.load('images', {});`,
  );
}

/** What the real one says to whoever asks too often. */
export function anomalyScript(response: ServerResponse): void {
  response.writeHead(418).end("DDG.deep.anomalyDetectionBlock({});");
}

export async function openDuckDuckGoSite(): Promise<DuckDuckGoSite> {
  const site: Omit<DuckDuckGoSite, "close"> = {
    asked: [],
    page: (response) => response.end(`<html><script>vqd="${TOKEN}";</script></html>`),
    results: scriptOf([]),
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", `https://${request.headers.host ?? ""}`);
    site.asked.push({
      host: url.host,
      path: url.pathname,
      query: url.searchParams.get("q") ?? "",
      token: url.searchParams.get("vqd"),
    });
    response.setHeader("content-type", "text/html");
    if (url.pathname === "/d.js") site.results(response);
    else site.page(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const usual = https.globalAgent;
  https.globalAgent = new LoopbackAgent(address.port);
  return Object.assign(site, {
    close: () =>
      new Promise<void>((resolve) => {
        https.globalAgent = usual;
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

class LoopbackAgent extends https.Agent {
  constructor(private readonly loopbackPort: number) {
    super();
  }

  override createConnection(): Duplex {
    return connect(this.loopbackPort, "127.0.0.1");
  }
}
