/** What one client, a full disk or a long text can do to the others. */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mayMount, mountDisk, unmountDisk } from "../support/small-disk.js";
import { startServe, type Served } from "./dev-server.js";
import { foundedIn, TOWN_FILES } from "./towns.js";

const loose = (value: unknown) => JSON.parse(JSON.stringify(value));
const input = (town: string) => ({ question: `When was ${town} founded?` });
const KEYS = { CRAG_API_KEYS: "anna:first-key,ben:second-key" };
const clientOf = ({ url }: Served, apiKey: string): Client =>
  new Client({ apiUrl: url, apiKey, callerOptions: { maxRetries: 0 } });

describe("a client with hundreds of runs", () => {
  let server: Served;
  let limited: Served;
  beforeAll(async () => {
    const settings = { ...KEYS, CRAG_MAX_RUNS: "2" };
    server = await startServe(TOWN_FILES, { ...settings, CRAG_MAX_RUNS_PER_CLIENT: "3000" });
    limited = await startServe(TOWN_FILES, { ...settings, CRAG_MAX_RUNS_PER_CLIENT: "5" });
  });
  afterAll(async () => {
    await server?.stop();
    await limited?.stop();
  });

  const ended = async (): Promise<number> => {
    const headers = { "x-api-key": "first-key" };
    const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
    return Number(/^crag_runs_total\{status="success"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };

  it("delays another's question by those under way and at most two more", async () => {
    const anna = clientOf(server, "first-key");
    const ben = clientOf(server, "second-key");
    const { thread_id: hers } = await anna.threads.create();
    const { thread_id: his } = await ben.threads.create();
    await ben.runs.wait(his, "agent", { input: input("Dunmore") });
    for (let sent = 0; sent < 300; sent += 50)
      await Promise.all(
        Array.from({ length: 50 }, () =>
          anna.runs.create(null, "agent", { input: input("Elmstead") }),
        ),
      );
    await anna.runs.create(hers, "agent", { input: input("Elmstead") });
    const before = await ended();
    let atStart: number | undefined;
    for await (const { event } of ben.runs.stream(his, "agent", { input: input("Fairview") }))
      if (event === "values") atStart ??= await ended();
    expect(atStart! - before).toBeLessThanOrEqual(4);
    expect(loose(await ben.threads.getState(his)).values.answer).toContain(foundedIn("Fairview"));
  });

  it("answers MCP's tools when it is the client's turn, many in one request included", async () => {
    const accept = "application/json, text/event-stream";
    const headers = { "content-type": "application/json", accept, "x-api-key": "second-key" };
    const calls = [
      { method: "tools/call", params: { name: "search", arguments: { query: "Dunmore" } } },
      { method: "tools/call", params: { name: "read", arguments: { path: "notes/dunmore.md" } } },
    ];
    for (const call of calls) {
      const batch = Array.from({ length: 40 }, (_, id) => ({ jsonrpc: "2.0", id, ...call }));
      const request = { method: "POST", headers, body: JSON.stringify(batch) };
      const text = await (await fetch(`${limited.url}/mcp`, request)).text();
      expect(text.split("questions of yours wait already")).toHaveLength(36);
    }
  });

  it("cannot make a thread, or an answer with its states, that holds the server", async () => {
    const { thread_id: id } = await clientOf(server, "first-key").threads.create();
    const post = (path: string, body: object): Promise<Response> =>
      fetch(`${server.url}/threads/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": "first-key" },
        body: JSON.stringify(body),
      });
    const statuses: number[] = [];
    for (let sent = 0; sent < 10; sent += 1) {
      const content = (n: number): string => `${sent} ${n} ${"x".repeat(16_000)}`;
      const messages = Array.from({ length: 60 }, (_, n) => ({
        type: "human",
        content: content(n),
      }));
      statuses.push((await post(`${id}/state`, { values: { messages } })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 413, 413, 413, 413, 413]);
    const run = { assistant_id: "agent", input: input("Elmstead") };
    expect((await post(`${id}/runs/wait`, run)).status).toBe(413);
    for (let copies = 0; copies < 6; copies += 1)
      expect((await post(`${id}/copy`, {})).status).toBe(200);
    const search = await post("search", { limit: 10 });
    expect(search.headers.get("x-pagination-next")).toBe("2");
    expect(await search.json()).toHaveLength(2);
    const history = await post(`${id}/history`, { limit: 1_000 });
    const states = loose(await history.json());
    expect(states).toHaveLength(2);
    const before = states.at(-1).checkpoint;
    expect(loose(await (await post(`${id}/history`, { limit: 1, before })).json())).toHaveLength(1);
  });

  it("sends no text through MCP that would hold the server", async () => {
    const mcp = new McpClient({ name: "test", version: "1" });
    const requestInit = { headers: { "x-api-key": "second-key" } };
    await mcp.connect(
      new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }),
    );
    const long = "Dunmore was founded. ".repeat(1_000);
    const calls = [
      { name: "ask", arguments: { question: long } },
      { name: "search", arguments: { query: long } },
      { name: "read", arguments: { path: long } },
      { name: "verify", arguments: { answer: long, passages: ["Dunmore."] } },
      { name: "verify", arguments: { answer: "Dunmore.", passages: Array(20).fill(long) } },
      { name: "search", arguments: { query: "Dunmore", filter: long } },
    ];
    for (const call of calls)
      expect(loose(await mcp.callTool(call))).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/at most|<=/) }],
      });
    await mcp.close();
  });
});

describe("a long check of an answer", () => {
  let server: Served;
  beforeAll(async () => {
    server = await startServe(TOWN_FILES, { ...KEYS, CRAG_MAX_RUNS: "2" });
  });
  afterAll(() => server?.stop());

  it("leaves the server to others, waits its turn, and ends with its client", async () => {
    const accept = "application/json, text/event-stream";
    const headers = { "content-type": "application/json", accept, "x-api-key": "first-key" };
    const passages = Array(50).fill("Dunmore was founded in 1803 by 12 people. ".repeat(90));
    const leaving = new AbortController();
    const sentences = ["1 2 3 4 5 6. ", "It is so. ", "- a 1803.\n", "字。", "$1 + $2. "];
    const verifying = sentences.map(async (each, id) => {
      const answer = each.repeat(16_000).slice(0, 16_000);
      const params = { name: "verify", arguments: { answer, passages } };
      const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
      const request = { method: "POST", headers, body, signal: leaving.signal };
      return (await fetch(`${server.url}/mcp`, request)).text();
    });
    const gauge = async (name: string): Promise<number> => {
      const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
      return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
    };
    let slowest = 0;
    let running = 0;
    const over = Promise.allSettled(verifying);
    for (let asked = 0; asked < 500 && (asked < 100 || running < 2); asked += 1) {
      const startedAt = performance.now();
      running = Math.max(running, await gauge("crag_runs_running"));
      slowest = Math.max(slowest, performance.now() - startedAt);
    }
    leaving.abort();
    await over;
    expect(running).toBe(2);
    // A loop that is held would answer after all of a check.
    expect(slowest).toBeLessThan(15_000);
    const atWork = async () =>
      (await gauge("crag_runs_running")) + (await gauge("crag_runs_waiting"));
    for (const until = performance.now() + 20_000; performance.now() < until;) {
      if ((await atWork()) === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await atWork()).toBe(0);
  });
});

(mayMount ? describe : describe.skip)("a full disk", () => {
  it("is told to the client, loses nothing, and is forgotten once there is space", async () => {
    const folder = await mkdtemp(join(tmpdir(), "small-disk-"));
    mountDisk(folder, 4);
    let server = await startServe(TOWN_FILES, { ...KEYS, CRAG_DATA_DIR: folder });
    try {
      let anna = clientOf(server, "first-key");
      const { thread_id: thread } = await anna.threads.create();
      const first = loose(await anna.runs.wait(thread, "agent", { input: input("Dunmore") }));
      for (let size = 4_000_000; size > 500; size /= 2)
        await writeFile(join(folder, `filler-${size}`), Buffer.alloc(size)).catch(() => undefined);
      const refused: string[] = [];
      for (let turn = 0; turn < 100 && refused.length < 3; turn += 1)
        await anna.runs.wait(thread, "agent", { input: input("Elmstead") }).then(
          (values) => expect(loose(values).answer).toContain(foundedIn("Elmstead")),
          (error: unknown) => refused.push(String(error)),
        );
      expect(refused).toHaveLength(3);
      for (const each of refused) expect(each).toMatch(/disk of threads.sqlite is full/);
      expect(JSON.stringify(loose(await anna.threads.getState(thread)).values.messages)).toContain(
        JSON.stringify(first.answer).slice(1, -1),
      );
      await server.kill();
      execFileSync("find", [folder, "-name", "filler-*", "-delete"]);
      server = await server.again();
      anna = clientOf(server, "first-key");
      const again = loose(await anna.runs.wait(thread, "agent", { input: input("Fairview") }));
      expect(again.answer).toContain(foundedIn("Fairview"));
      expect(JSON.stringify(again.messages)).toContain(JSON.stringify(first.answer).slice(1, -1));
    } finally {
      await server.stop();
      unmountDisk(folder);
      await rm(folder, { recursive: true, force: true });
    }
  });
});
