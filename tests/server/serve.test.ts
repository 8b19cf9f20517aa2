/** Our own server, as a process of its own, through the clients that people have. */
import { RemoteGraph } from "@langchain/langgraph/remote";
import { request } from "node:http";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { HumanMessage } from "@langchain/core/messages";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { findRun, summarize } from "../../src/cli/audit.js";
import { readRuns, type AuditedRun } from "../../src/observability/audit-log.js";
import { runCommand, STACK_TRACE } from "../support/run-command.js";
import { runHere } from "../support/run-here.js";
import { startServe, type Served } from "./dev-server.js";
import { foundedIn, TOWN_FILES, TOWNS } from "./towns.js";

let server: Served;
let client: Client;

beforeAll(async () => {
  server = await startServe(TOWN_FILES);
  client = new Client({ apiUrl: server.url });
});
afterAll(() => server?.stop());

/** Of a shape that the assertions, not the types, are to find out. */
const loose = (value: unknown) => JSON.parse(JSON.stringify(value));
const question = (town: string): string => `When was ${town} founded?`;
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const ask = async (thread: string | null, town: string, options: Record<string, unknown> = {}) => {
  const payload = { input: { question: question(town) }, ...options };
  const answered =
    thread === null
      ? client.runs.wait(null, "agent", payload)
      : client.runs.wait(thread, "agent", payload);
  return loose(await answered);
};

describe("threads", () => {
  it("are made, found, renamed, counted and deleted", async () => {
    const made = await client.threads.create({ metadata: { title: "first", kind: "test" } });
    const again = { threadId: made.thread_id, ifExists: "do_nothing" as const };
    expect((await client.threads.create(again)).metadata).toMatchObject({ title: "first" });
    await client.threads.update(made.thread_id, { metadata: { title: "second" } });
    const metadata = { kind: "test" };
    const found = await client.threads.search({ metadata });
    expect(found).toMatchObject([{ metadata: { title: "second", kind: "test" }, status: "idle" }]);
    expect(await client.threads.count({ metadata })).toBe(1);
    await client.threads.delete(made.thread_id);
    expect(await client.threads.search({ metadata })).toEqual([]);
    await expect(client.threads.get(made.thread_id)).rejects.toThrow("404");
  });

  it("keep a conversation, in which follow-ups are understood", async () => {
    const { thread_id: thread } = await client.threads.create();
    expect((await ask(thread, "Hartwell")).answer).toContain(foundedIn("Hartwell"));
    const { answer, messages } = loose(
      await client.runs.wait(thread, "agent", {
        input: {
          messages: [{ type: "human", content: "And for how many years is its mayor elected?" }],
        },
      }),
    );
    expect(answer).toContain(`${TOWNS.indexOf("Hartwell") + 2} years`);
    expect(messages).toHaveLength(4);
    const state = loose(await client.threads.getState(thread));
    expect(state).toMatchObject({ values: { answer }, next: [] });
    const [found] = await client.threads.search({ ids: [thread] });
    expect(loose(found).values.messages[0]).toMatchObject({ type: "human" });
  });

  it("have a state before and after each turn, so that any question can be edited and asked again", async () => {
    const { thread_id: thread } = await client.threads.create();
    const say = (town: string) => ({ messages: [{ type: "human", content: question(town) }] });
    for (const town of ["Dunmore", "Elmstead"]) await ask(thread, town, { input: say(town) });
    const history = loose(await client.threads.getHistory(thread));
    expect(
      history.map(
        ({ values }: { values: { messages?: unknown[] } }) => values.messages?.length ?? 0,
      ),
    ).toEqual([4, 3, 2, 1, 0]);
    for (const index of [0, 1, 2, 3])
      expect(history[index].parent_checkpoint).toEqual(history[index + 1].checkpoint);
    // As `useStream` does it: the parent of the state in which a message was first seen.
    const beforeQuestion = history[3].parent_checkpoint;
    const edited = await ask(thread, "Fairview", { checkpoint: beforeQuestion });
    expect(edited.messages).toHaveLength(2);
    expect(edited.answer).toContain(foundedIn("Fairview"));
    const beforeAnswer = history[2].parent_checkpoint;
    const again = await ask(thread, "", { input: null, checkpoint: beforeAnswer });
    expect(again.messages).toHaveLength(2);
    expect(again.answer).toContain(foundedIn("Dunmore"));
    const { checkpoint_id: newest } = history[0].checkpoint;
    const before = loose(await client.threads.getState(thread, newest));
    expect(before.values.answer).toContain(foundedIn("Elmstead"));
    const same = loose(await client.threads.getState(thread, history[0].checkpoint));
    expect(same.values.answer).toBe(before.values.answer);
    const older = await client.threads.getHistory(thread, {
      before: { configurable: { checkpoint_id: history[1].checkpoint.checkpoint_id } },
    });
    expect(older).toHaveLength(3);
  });

  it("are copied with their history", async () => {
    const { thread_id: thread } = await client.threads.create({ metadata: { title: "original" } });
    await ask(thread, "Glenrock");
    const copy = await client.threads.copy(thread);
    await client.threads.delete(thread);
    const state = loose(await client.threads.getState(copy.thread_id));
    expect(state.values.answer).toContain(foundedIn("Glenrock"));
    expect((await ask(copy.thread_id, "Ivydale")).messages).toHaveLength(4);
  });

  it("take messages that a client adds", async () => {
    const { thread_id: thread } = await client.threads.create();
    await client.threads.updateState(thread, {
      values: { messages: [{ role: "user", content: "We speak about Juniper." }] },
      asNode: "rewrite_question",
    });
    expect(loose(await client.threads.getState(thread)).values.messages).toHaveLength(1);
  });
});

describe("runs", () => {
  it("stream values, updates, messages and custom events", async () => {
    const { thread_id } = await client.threads.create();
    const seen = new Map<string, ReturnType<typeof loose>[]>();
    for await (const { event, data } of client.runs.stream(thread_id, "agent", {
      input: { messages: [new HumanMessage(question("Glenrock"))] },
      streamMode: [
        "values",
        "updates",
        "messages-tuple",
        "custom",
        "debug",
        "tasks",
        "checkpoints",
      ],
    }))
      seen.set(event, [...(seen.get(event) ?? []), loose(data)]);
    expect([...seen.keys()].sort()).toEqual(
      [
        "custom",
        "debug",
        "messages",
        "metadata",
        "updates",
        "values",
        "tasks",
        "checkpoints",
      ].sort(),
    );
    expect(seen.get("updates")!.map((update) => Object.keys(update)[0])).toEqual(
      expect.arrayContaining(["rewrite_question", "plan", "tools", "synthesize", "guard_answer"]),
    );
    const { answer, messages } = seen.get("values")!.at(-1);
    expect(answer).toContain(foundedIn("Glenrock"));
    const streamed = seen.get("messages")!.map(([message]) => message);
    expect(new Set(streamed.map(({ id }) => id))).toEqual(new Set([messages.at(-1).id]));
    expect(
      seen.get("debug")!.some(({ payload }) => payload.checkpoint?.thread_id === thread_id),
    ).toBe(true);
  });

  it("stream LangChain's events beside them, as `onLangChainEvent` hears them", async () => {
    const seen = new Map<string, ReturnType<typeof loose>[]>();
    for await (const { event, data } of client.runs.stream(null, "agent", {
      input: { question: question("Glenrock") },
      streamMode: ["events", "values"],
      streamSubgraphs: true,
    }))
      seen.set(event, [...(seen.get(event) ?? []), loose(data)]);
    expect([...seen.keys()].sort()).toEqual(["events", "metadata", "values"]);
    expect(seen.get("values")!.at(-1).answer).toContain(foundedIn("Glenrock"));
    const heard = seen.get("events")!.map(({ event, name }) => `${event} ${name}`);
    expect(heard).toEqual(
      expect.arrayContaining(["on_chain_start synthesize", "on_retriever_end keyword_search"]),
    );
  });

  it("are read as the Python SDK asks for them: all modes, and the states before a checkpoint", async () => {
    const { thread_id: thread } = await client.threads.create();
    await ask(thread, "Dunmore");
    const [{ run_id: run }] = loose(await client.runs.list(thread));
    const joined = await fetch(`${server.url}/threads/${thread}/runs/${run}/stream?stream_mode=`);
    expect(await joined.text()).toContain(foundedIn("Dunmore"));
    const [{ checkpoint: before }] = loose(await client.threads.getHistory(thread));
    const earlier = await post(`/threads/${thread}/history`, { before });
    expect(loose(await earlier.json())).toEqual(
      loose(await client.threads.getHistory(thread)).slice(1),
    );
  });

  it("stream messages as older clients read them", async () => {
    const events = new Set<string>();
    for await (const { event } of client.runs.stream(null, "agent", {
      input: { question: question("Juniper") },
      streamMode: ["messages"],
    }))
      events.add(event);
    expect([...events].some((event) => event.startsWith("messages/"))).toBe(true);
  });

  it("without a thread leave nothing behind", async () => {
    const before = await client.threads.count();
    expect((await ask(null, "Cedarville")).answer).toContain(foundedIn("Cedarville"));
    expect(await client.threads.count()).toBe(before);
  });

  it("stop before a node that the client names, and go on when asked", async () => {
    const { thread_id: thread } = await client.threads.create();
    await ask(thread, "Dunmore", { interruptBefore: ["synthesize"] });
    expect(loose(await client.threads.get(thread)).status).toBe("interrupted");
    expect(loose(await client.threads.getState(thread)).next).toEqual(["synthesize"]);
    const resumed = loose(await client.runs.wait(thread, "agent", { input: null }));
    expect(resumed.answer).toContain(foundedIn("Dunmore"));
    const update = { messages: [{ role: "user", content: "A remark." }] };
    await client.runs.wait(thread, "agent", { command: { update } });
    expect(JSON.stringify(loose(await client.threads.getState(thread)).values.messages)).toContain(
      "A remark.",
    );
  });

  it.each([{ input: null }, {}])(
    "with %j and nothing to go on with say what to send",
    async (body) => {
      const answer = await client.runs.wait(null, "agent", { ...body, raiseError: false });
      const message = "nothing waits on this thread: send `input` with a question";
      expect(answer).toMatchObject({ __error__: { message } });
    },
  );

  it("name an unknown thread and an unknown assistant", async () => {
    await expect(ask("11111111-1111-4111-8111-111111111111", "Ashford")).rejects.toThrow("404");
    await expect(client.runs.wait(null, "indexer", { input: {} })).rejects.toThrow("404");
    const made = await ask("11111111-1111-4111-8111-111111111111", "Ashford", {
      ifNotExists: "create",
    });
    expect(made.answer).toContain(foundedIn("Ashford"));
  });

  it("take the parameters that clients send, and name others", async () => {
    const { thread_id: thread } = await client.threads.create();
    const { checkpoint } = await client.threads.getState(thread, undefined, { subgraphs: true });
    expect(checkpoint).toBeDefined();
    await client.assistants.getGraph("agent", { xray: true });
    await client.assistants.getSubgraphs("agent", { recurse: true });
    for (const path of ["", "/state"].map((below) => `/threads/${thread}${below}`)) {
      expect((await fetch(`${server.url}${path}?include=ttl&select=values`)).status).toBe(200);
      const refused = await fetch(`${server.url}${path}?checkpoint_id=x`);
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain('knows no \\"checkpoint_id\\"');
    }
    for (const path of ["/assistants/agent/graph?depth=1", "/feedback?format=csv"])
      expect((await fetch(`${server.url}${path}`)).status).toBe(400);
  });

  it("take feedback of their own client", async () => {
    const { thread_id: thread } = await client.threads.create();
    await ask(thread, "Ashford");
    const [run] = await client.runs.list(thread);
    const place = `${server.url}/threads/${thread}/runs/${run!.run_id}/feedback`;
    expect((await fetch(place)).status).toBe(404);
    const body = JSON.stringify({ score: -1, comment: "too short" });
    expect((await fetch(place, { method: "PUT", body })).status).toBe(200);
    const said = { score: -1, comment: "too short" };
    expect(await (await fetch(place)).json()).toMatchObject(said);
    const listed = await (await fetch(`${server.url}/feedback`)).json();
    const [id, asked] = [run!.run_id, question("Ashford")];
    expect(listed).toMatchObject([{ ...said, id, question: asked, passages: [] }]);
    expect(await (await fetch(`${server.url}/feedback?format=labels`)).text()).not.toContain(id);
  });
});

describe("assistants", () => {
  it("are one, described with its settings, and nobody changes it", async () => {
    expect(await client.assistants.getVersions("agent")).toMatchObject([{ graph_id: "agent" }]);
    const [assistant, ...others] = await client.assistants.search({ graphId: "agent" });
    expect(others).toEqual([]);
    const { properties } = loose(
      await client.assistants.getSchemas(assistant!.assistant_id),
    ).context_schema;
    expect(properties.profile).toMatchObject({
      default: "adaptive",
      description: expect.any(String),
    });
    const { nodes } = await client.assistants.getGraph("agent");
    expect(nodes.map(({ id }) => id)).toContain("grade_evidence");
    expect(await client.assistants.getSubgraphs("agent")).toEqual({});
    const info = await (await fetch(`${server.url}/info`)).json();
    expect(info).toMatchObject({ flags: { assistants: true, crons: false } });
    await expect(client.assistants.create({ graphId: "agent" })).rejects.toThrow("404");
    await expect(client.assistants.delete(assistant!.assistant_id)).rejects.toThrow("404");
  });
});

describe("RemoteGraph", () => {
  it.each([8, 25, 48])(
    "ends with an answer under a recursion limit of %i",
    async (recursionLimit) => {
      const remote = new RemoteGraph({ graphId: "agent", url: server.url });
      const good = await remote.invoke({ question: question("Ivydale") }, { recursionLimit });
      expect(good.answer).toContain(foundedIn("Ivydale"));
    },
  );

  it("streams, and keeps a conversation", async () => {
    const remote = new RemoteGraph({ graphId: "agent", url: server.url });
    const { thread_id } = await client.threads.create();
    const config = { configurable: { thread_id, user: "somebody of the host's" } };
    const nodes: string[] = [];
    for await (const update of await remote.stream(
      { messages: [new HumanMessage(question("Ivydale"))] },
      { ...config, streamMode: "updates" },
    ))
      nodes.push(...Object.keys(update));
    expect(nodes[0]).toBe("rewrite_question");
    expect(nodes.at(-1)).toBe("guard_answer");
    expect((await remote.getState(config)).values.answer).toContain(foundedIn("Ivydale"));
  });
});

describe("what a request may hold", () => {
  const RUN = { assistant_id: "agent", input: { question: "Why?" } };
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
  const REFUSED: [string, unknown, number, RegExp][] = [
    ["a run of nobody", { input: RUN.input }, 422, /^assistant_id: is missing$/],
    ["a webhook", { ...RUN, webhook: "http://127.0.0.1:9/" }, 422, /"webhook"/],
    [
      "a switch of tracing",
      { ...RUN, langsmith_tracer: { project_name: "x" } },
      422,
      /"langsmith_tracer"/,
    ],
    ["tokens for feedback", { ...RUN, feedback_keys: ["x"] }, 422, /"feedback_keys"/],
    ["a delay", { ...RUN, after_seconds: 60 }, 422, /"after_seconds"/],
    ["a jump in the graph", { ...RUN, command: { goto: ["synthesize"] } }, 422, /goto/],
    [
      "a forged state",
      { ...RUN, input: { question: "Why?", answer: "Because." } },
      422,
      /"answer"/,
    ],
    ["an unknown mode", { ...RUN, stream_mode: ["values", "x"] }, 422, /stream_mode.1: .*"values"/],
    ["another's name", { ...RUN, context: { principal: { id: "anna" } } }, 422, /"principal"/],
    ["a misspelled setting", { ...RUN, context: { profil: "adaptive" } }, 422, /"profil"/],
    [
      "many tags",
      { ...RUN, config: { tags: Array.from({ length: 100_000 }, () => "a") } },
      413,
      /items/,
    ],
    [
      "a few too many tags",
      { ...RUN, config: { tags: Array.from({ length: 30 }, () => "a") } },
      422,
      /tags/,
    ],
    ["deep nesting", { ...RUN, metadata: { a: nested(500) } }, 413, /deeper/],
    [
      "a revived object in metadata",
      { ...RUN, metadata: { a: { lc: 1, type: "secret", id: ["X"] } } },
      422,
      /lc/,
    ],
    [
      "a revived object in a reply",
      { assistant_id: "agent", command: { resume: { lc: 2, type: "undefined" } } },
      422,
      /lc/,
    ],
    ["a long question", { ...RUN, input: { question: "-".repeat(20_000) } }, 422, /16384 bytes/],
    [
      "a long message",
      { ...RUN, input: { messages: [{ role: "user", content: "-".repeat(20_000) }] } },
      422,
      /input.messages/,
    ],
    [
      "an image",
      {
        ...RUN,
        input: { messages: [{ role: "user", content: [{ type: "image_url", image_url: "x" }] }] },
      },
      422,
      /input/,
    ],
    [
      "many messages",
      { ...RUN, input: { messages: Array.from({ length: 201 }, () => "a") } },
      422,
      /input.messages/,
    ],
    ["a prototype", '{"assistant_id":"agent","__proto__":{"a":1}}', 422, /__proto__/],
    [
      "a constructor",
      '{"assistant_id":"agent","metadata":{"a":{"constructor":1}}}',
      422,
      /constructor/,
    ],
    ["no JSON", "{", 400, /not JSON/],
    ["null", "null", 422, /body/],
    ["a list", "[]", 422, /body/],
    ["two megabytes", { ...RUN, metadata: { a: "-".repeat(2_000_000) } }, 413, /1048576/],
  ];
  it.each(REFUSED)("refuses %s, and says why", async (_name, body, status, reason) => {
    for (const path of ["/runs", "/runs/wait"]) {
      const response = await post(path, body);
      expect(response.status).toBe(status);
      expect(loose(await response.json()).error).toMatch(reason);
    }
  });

  it("refuses a body without a length as soon as it is too long, and closes", async () => {
    const sent = request(`${server.url}/threads`, { method: "POST" });
    const status = new Promise<number | undefined>((resolve) => {
      sent.on("response", (response) => resolve(response.resume().statusCode));
    });
    const closed = new Promise((resolve) => sent.on("close", resolve));
    sent.on("error", () => undefined);
    for (let sentKb = 0; sentKb < 1_100; sentKb += 100) sent.write(Buffer.alloc(102_400, " "));
    // The body never ends.
    expect(await status).toBe(413);
    await closed;
  });

  it.each(["with its length", "in chunks"])(
    "says so to whom still sends 20 MB, %s",
    async (way) => {
      const bytes = Buffer.alloc(20_000_000, " ");
      for (let time = 0; time < 5; time += 1) {
        const body = way === "in chunks" ? new Blob([bytes]).stream() : bytes;
        const response = await fetch(`${server.url}/threads`, {
          method: "POST",
          body,
          duplex: "half",
        });
        expect(response.status).toBe(413);
        expect(await response.text()).toContain("1048576");
      }
    },
  );

  it.each([
    "/store/items",
    "/store/namespaces",
    "/runs/crons",
    "/runs/batch",
    "/threads/11111111-1111-4111-8111-111111111111/commands",
    "/internal/truncate",
    "/assistants",
  ])("has no route %s", async (path) => {
    expect((await post(path, {})).status).toBe(404);
  });

  it("prints no stack trace whatever it was sent", () => {
    expect(server.output()).not.toMatch(STACK_TRACE);
  });
});

describe("operators", () => {
  it("read health, readiness and metrics", async () => {
    expect(await (await fetch(`${server.url}/ready`)).json()).toEqual({ ready: true });
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(text).toMatch(/^crag_runs_total\{status="success"\} \d+$/m);
    expect(text).toMatch(/^crag_run_seconds_bucket\{le="\+Inf"\} \d+$/m);
    expect(text).toMatch(/^crag_runs_waiting 0$/m);
    expect(text).toMatch(/^crag_store_up 1$/m);
    expect(text).toMatch(/^crag_store_bytes \d{4,}$/m);
    expect(text).toMatch(/^crag_requests_total\{status="413"\} \d+$/m);
  });

  it("find a request by its id", async () => {
    const named = await fetch(`${server.url}/ok`, { headers: { "x-request-id": "ticket-7" } });
    expect(named.headers.get("x-request-id")).toBe("ticket-7");
    const forged = await fetch(`${server.url}/ok`, { headers: { "x-request-id": "a b\tc" } });
    expect(forged.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
    const threadless = { assistant_id: "agent", input: { question: question("Dunmore") } };
    const body = { ...threadless, on_completion: "keep" };
    const run = loose(await (await post("/runs", body, { "x-request-id": "ticket-8" })).json());
    expect(run.metadata.request_id).toBe("ticket-8");
    const asked = { messages: [{ role: "user", content: question("Elmstead") }] };
    const completion = await post("/v1/chat/completions", asked, { "x-request-id": "ticket-9" });
    expect(completion.headers.get("x-request-id")).toBe("ticket-9");
    const log = join(server.folder, ".corrective-rag", "audit.jsonl");
    let runs: readonly AuditedRun[] = [];
    while (runs.filter(({ events }) => JSON.stringify(events).includes("ticket-")).length < 2)
      ({ runs } = await readRuns(log));
    expect(findRun(runs, "ticket-8").runId).toBe(run.run_id);
    expect(summarize(findRun(runs, "ticket-9")).question).toBe(question("Elmstead"));
  });

  it("cannot open it to other machines without keys", async () => {
    const env = { CRAG_READER: "lexical" };
    const { code, stderr } = await runHere(["serve", "--host", "0.0.0.0"], {
      cwd: server.folder,
      env,
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error: 0\.0\.0\.0 is reached by other machines, but there are no keys/m,
    );
  });

  it("are told of a taken port in one line", async () => {
    const { port } = new URL(server.url);
    const data = { CRAG_DATA_DIR: "elsewhere", CRAG_READER: "lexical" };
    const started = await runCommand(["serve", "--port", port], { cwd: server.folder, env: data });
    expect(started.code).toBe(1);
    expect(started.stderr).toContain(`error: port ${port} is taken`);
    expect(started.stderr).not.toMatch(/^\s+at /m);
  });

  it("cannot start a second one on the same conversations", async () => {
    const { code, stderr } = await runHere(["serve", "--port", "4999"], { cwd: server.folder });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(
      /^error: another server has the conversations in \/.*threads\.sqlite\n.*set CRAG_DATA_DIR/m,
    );
  });
});
