/** Runs that outlive their clients, and what is left after a kill. */
import { Client } from "@langchain/langgraph-sdk";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { startModelServer, type ModelServer } from "../support/model-server.js";
import { startServe, type Served } from "./dev-server.js";
import { foundedIn, TOWN_FILES } from "./towns.js";

let model: ModelServer;
let server: Served;
let client: Client;
/** Another server that was told to stop while a run waits for its model, which takes it 18 s. */
let stopping: { model: ModelServer; server: Served; run: string; thread: string };
let stopped: Promise<{ code: number | null; tookInMs: number }>;

const question = (town: string): string => `When was ${town} founded?`;
const loose = (value: unknown) => JSON.parse(JSON.stringify(value));
const newThread = async (): Promise<string> => (await client.threads.create()).thread_id;

/** Starts a run that waits for its model until it is stopped or the model answers. */
async function startSlow(thread: string, on = client): Promise<string> {
  const run = await on.runs.create(thread, "agent", {
    input: { question: question("Dunmore") },
    streamMode: ["custom", "values"],
  });
  await untilStatus(thread, run.run_id, "running", on);
  return run.run_id;
}

async function untilStatus(
  thread: string,
  run: string,
  status: string,
  on = client,
): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await on.runs.get(thread, run)).status === status) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the run is not ${status}`);
}

async function serveWith({ baseUrl }: ModelServer): Promise<Served> {
  return startServe(TOWN_FILES, {
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_KEY: "test-key",
    CRAG_MAX_RUNS_PER_CLIENT: "6",
    CRAG_MAX_RUNS: "2",
  });
}

async function stopWhileRunning(): Promise<void> {
  const hanging = await startModelServer();
  hanging.fail({ kind: "hang" });
  const other = await serveWith(hanging);
  const itsClient = new Client({ apiUrl: other.url });
  const { thread_id: thread } = await itsClient.threads.create();
  const run = await startSlow(thread, itsClient);
  stopping = { model: hanging, server: other, run, thread };
  const startedAt = Date.now();
  stopped = other.end().then((code) => ({ code, tookInMs: Date.now() - startedAt }));
}

beforeAll(async () => {
  model = await startModelServer();
  server = await serveWith(model);
  client = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } });
  await stopWhileRunning();
});
afterEach(() => model.reset());
afterAll(async () => {
  await server?.stop();
  await model?.close();
  await stopping?.server.stop();
  await stopping?.model.close();
});

describe("a run", () => {
  it("goes on without its client, and any other joins it from its first event", async () => {
    const thread = await newThread();
    const leaving = new AbortController();
    let runId = "";
    const left = (async () => {
      for await (const { event } of client.runs.stream(thread, "agent", {
        input: { question: question("Dunmore") },
        streamMode: ["custom", "values"],
        onDisconnect: "continue",
        onRunCreated: ({ run_id }) => (runId = run_id),
        signal: leaving.signal,
      }))
        if (event === "custom") leaving.abort();
    })();
    await left.catch(() => undefined);
    const tabs = await Promise.all(
      [0, 1].map(async () => {
        const events: { id?: string | undefined; event: string; data: unknown }[] = [];
        for await (const each of client.runs.joinStream(thread, runId)) events.push(each);
        return events;
      }),
    );
    expect(tabs[0]).toEqual(tabs[1]);
    expect(tabs[0]![0]).toMatchObject({ id: "1", event: "metadata" });
    expect(
      loose(tabs[0]).some(({ data }: { data: { type?: string } }) => data.type === "graph_outcome"),
    ).toBe(true);
    expect((await client.runs.get(thread, runId)).status).toBe("success");
    const late: string[] = [];
    for await (const { id } of client.runs.joinStream(thread, runId, { lastEventId: "3" }))
      late.push(id ?? "");
    expect(late).toEqual(tabs[0]!.slice(3).map(({ id }) => id));
    const customOnly = new Set<string>();
    for await (const { event } of client.runs.joinStream(thread, runId, { streamMode: ["custom"] }))
      customOnly.add(event);
    expect([...customOnly].sort()).toEqual(["custom", "metadata"]);
    expect(loose(await client.runs.join(thread, runId)).messages).toHaveLength(2);
  });

  it("is stopped with its client if that was asked for", async () => {
    model.fail({ kind: "hang" });
    const thread = await newThread();
    const leaving = new AbortController();
    let runId = "";
    const left = (async () => {
      for await (const { event } of client.runs.stream(thread, "agent", {
        input: { question: question("Dunmore") },
        onDisconnect: "cancel",
        onRunCreated: ({ run_id }) => (runId = run_id),
        signal: leaving.signal,
      }))
        if (event === "metadata") leaving.abort();
    })();
    await left.catch(() => undefined);
    await untilStatus(thread, runId, "interrupted");
  });

  it("is listed, cancelled and deleted, and the thread goes on", async () => {
    model.fail({ kind: "hang" });
    const thread = await newThread();
    const run = await startSlow(thread);
    expect((await client.threads.get(thread)).status).toBe("busy");
    expect(await client.runs.list(thread, { status: "running" })).toMatchObject([{ run_id: run }]);
    await client.runs.cancel(thread, run, true);
    expect((await client.runs.get(thread, run)).status).toBe("interrupted");
    model.reset();
    const values = loose(
      await client.runs.wait(thread, "agent", { input: { question: question("Elmstead") } }),
    );
    expect(values.answer).toContain(foundedIn("Elmstead"));
    await client.runs.delete(thread, run);
    await expect(client.runs.get(thread, run)).rejects.toThrow("404");
  });

  it.each([
    ["interrupt", "interrupted", 2],
    ["enqueue", "interrupted", 2],
  ] as const)("under way meets a second one by %s", async (multitaskStrategy, first, messages) => {
    const thread = await newThread();
    model.fail({ kind: "hang" });
    const run = await startSlow(thread);
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    model.reset();
    if (multitaskStrategy === "enqueue")
      setTimeout(() => void client.runs.cancel(thread, run), 300);
    const values = loose(
      await client.runs.wait(thread, "agent", {
        input: { question: question("Elmstead") },
        multitaskStrategy,
      }),
    );
    expect(values.answer).toContain(foundedIn("Elmstead"));
    expect((await client.runs.get(thread, run)).status).toBe(first);
    expect(values.messages.length).toBeGreaterThanOrEqual(messages);
  });

  it("is undone by rollback, and refuses a second one by reject", async () => {
    model.fail({ kind: "hang" });
    const thread = await newThread();
    const run = await startSlow(thread);
    const input = { question: question("Elmstead") };
    await expect(
      client.runs.create(thread, "agent", { input, multitaskStrategy: "reject" }),
    ).rejects.toThrow("422");
    await expect(client.threads.updateState(thread, { values: { messages: [] } })).rejects.toThrow(
      "409",
    );
    await client.runs.cancel(thread, run, true, "rollback");
    await expect(client.runs.get(thread, run)).rejects.toThrow("404");
    expect(loose(await client.threads.getState(thread)).values.messages ?? []).toEqual([]);
  });

  it("too many of one client are refused with the time to come back", async () => {
    model.fail({ kind: "hang" });
    const threads = await Promise.all(Array.from({ length: 7 }, newThread));
    const answers = await Promise.all(
      threads.map((thread) =>
        fetch(`${server.url}/threads/${thread}/runs`, {
          method: "POST",
          body: JSON.stringify({ assistant_id: "agent", input: { question: "Why?" } }),
        }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(refused[0]!.headers.get("retry-after")).toBe("2");
    expect(
      (
        await fetch(`${server.url}/v1/chat/completions`, {
          method: "POST",
          body: JSON.stringify({ messages: [{ role: "user", content: "Why?" }] }),
        })
      ).status,
    ).toBe(429);
    await Promise.all(threads.map((thread) => client.threads.delete(thread)));
    model.reset();
    const values = loose(
      await client.runs.wait(await newThread(), "agent", {
        input: { question: question("Elmstead") },
      }),
    );
    expect(values.answer).toContain(foundedIn("Elmstead"));
  });
});

describe("a server that is killed", () => {
  it("has every acknowledged answer, and the run under way is interrupted at once", async () => {
    const acknowledged: { thread: string; answer: string }[] = [];
    for (let round = 0; round < 2; round += 1) {
      for (const town of ["Dunmore", "Elmstead"]) {
        const thread = await newThread();
        const values = loose(
          await client.runs.wait(thread, "agent", { input: { question: question(town) } }),
        );
        acknowledged.push({ thread, answer: values.answer });
      }
      model.fail({ kind: "hang" });
      const thread = await newThread();
      const run = await startSlow(thread);
      await server.kill();
      model.reset();
      server = await server.again();
      client = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } });
      const cut = await client.runs.get(thread, run);
      expect(cut.status).toBe("interrupted");
      expect((await client.threads.get(thread)).status).toBe("interrupted");
      const { kwargs } = loose(cut);
      const again = loose(await client.runs.wait(thread, "agent", { input: kwargs.input }));
      expect(again.answer).toContain(foundedIn("Dunmore"));
      for (const { thread: earlier, answer } of acknowledged)
        expect(loose(await client.threads.getState(earlier)).values.answer).toBe(answer);
    }
  });

  it("finishes answers of OpenAI's protocol and MCP before it ends on a signal", async () => {
    const slow = await startModelServer({ delayBetweenChunksInMs: 150 });
    const other = await serveWith(slow);
    try {
      const post = async (path: string, body: object): Promise<string> => {
        const accept = "application/json, text/event-stream";
        const headers = { "content-type": "application/json", accept };
        const request = { method: "POST", headers, body: JSON.stringify(body) };
        return (await fetch(`${other.url}${path}`, request)).text();
      };
      const messages = [{ role: "user", content: question("Dunmore") }];
      const params = { name: "ask", arguments: { question: question("Dunmore") } };
      const answers = Promise.all([
        post("/v1/chat/completions", { messages, stream: true }),
        post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      ]);
      while (slow.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await other.end()).toBe(0);
      const [streamed, called] = await answers;
      expect(streamed).toContain("[DONE]");
      expect(called).toContain(foundedIn("Dunmore"));
    } finally {
      await other.stop();
      await slow.close();
    }
  });

  it("ends on a signal within 20 s, with the running answer interrupted", async () => {
    const { code, tookInMs } = await stopped;
    expect(code).toBe(0);
    expect(tookInMs).toBeLessThan(20_000);
    const { thread, run } = stopping;
    stopping.server = await stopping.server.again();
    const itsClient = new Client({ apiUrl: stopping.server.url });
    expect((await itsClient.runs.get(thread, run)).status).toBe("interrupted");
  });
});
