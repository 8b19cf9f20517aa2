import { RemoteGraph } from "@langchain/langgraph/remote";
import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configFile } from "../../src/cli/servers.js";
import { STACK_TRACE } from "../support/run-command.js";
import { runHere } from "../support/run-here.js";
import { startDevServer, type DevServer } from "./dev-server.js";
import { foundedIn, TOWN_FILES, TOWNS } from "./towns.js";

let server: DevServer;
let client: Client;

/** In a folder that is not ingested before the server starts. */
const FILES = Object.fromEntries(
  Object.entries(TOWN_FILES).map(([path, text]) => [path.replace("notes/", "towns/"), text]),
);

beforeAll(async () => {
  server = await startDevServer(FILES, {
    CRAG_ALLOWED_ORIGINS: "https://chat.example",
    CRAG_READER: "trained",
  });
  client = new Client({ apiUrl: server.url });
});

afterAll(() => server?.stop());

/** Of a shape that the assertions, not the types, are to find out. */
const loose = (value: unknown) => JSON.parse(JSON.stringify(value));

/** Runs to the end and gives the state. A failed run is answered with 200 and `__error__`, so that is looked for. */
async function ask(
  input: Record<string, unknown>,
  {
    assistant = "agent",
    thread,
    ...options
  }: { assistant?: string; thread?: string; context?: unknown } = {},
) {
  const { thread_id: threadId } =
    thread === undefined ? await client.threads.create() : { thread_id: thread };
  const values = loose(await client.runs.wait(threadId, assistant, { input, ...options }));
  expect(values.__error__).toBeUndefined();
  return values;
}

const question = (town: string): string => `When was ${town} founded?`;

describe("the indexer graph", () => {
  it("names the missing targets of a call", async () => {
    expect(await ask({ targets: [] }, { assistant: "indexer" })).toMatchObject({
      report: null,
      error: expect.stringMatching(/targets/),
    });
  });

  it("reports its output", async () => {
    const [assistant] = await client.assistants.search({ graphId: "indexer" });
    const { output_schema } = loose(await client.assistants.getSchemas(assistant!.assistant_id));
    expect(Object.keys(output_schema.properties)).toEqual(["report", "error"]);
  });

  it("ingests a folder, reports progress, and the agent then searches it", async () => {
    const before = await ask({ question: question("Dunmore") });
    expect(before.outcome.status).toBe("abstained");
    const progress: unknown[] = [];
    let last: unknown;
    for await (const { event, data } of client.runs.stream(null, "indexer", {
      input: { targets: ["towns"] },
      streamMode: ["custom", "values"],
    })) {
      if (event === "custom") progress.push(data);
      else if (event === "values") last = data;
    }
    expect(progress).toContainEqual(expect.objectContaining({ type: "ingest_progress" }));
    expect(last).toMatchObject({ error: null });
    const after = await ask({ question: question("Dunmore") });
    expect(after.answer).toContain(foundedIn("Dunmore"));
    expect(after.citations[0].source).toMatchObject({ kind: "file", path: "towns/dunmore.md" });
  });
});

describe("assistants", () => {
  it("reports input, output and context with descriptions, enums and defaults", async () => {
    const [assistant] = await client.assistants.search({ graphId: "agent" });
    const schemas = loose(await client.assistants.getSchemas(assistant!.assistant_id));
    expect(schemas.input_schema.properties).toMatchObject({
      question: { default: null, description: expect.any(String) },
      messages: { default: [] },
    });
    const { properties } = schemas.context_schema;
    expect(properties.profile).toMatchObject({
      default: "adaptive",
      enum: ["adaptive", "signals", "holistic", "adequacy", "three_action"],
    });
    expect(properties).toMatchObject({
      top_k: { default: 5, minimum: 1 },
      search_mode: { default: "auto" },
      web_search: { default: "auto" },
      rerank: { default: "on" },
    });
    // A form that is sent back unchanged must not mask what these depend on.
    for (const name of ["quality", "max_iterations", "thresholds", "hyde", "budget"])
      expect(properties[name]).not.toHaveProperty("default");
    for (const property of Object.values(properties))
      expect(property).toMatchObject({ description: expect.any(String) });
    expect(Object.keys(schemas.output_schema.properties)).toEqual(
      expect.arrayContaining(["answer", "citations", "sources", "outcome", "details", "messages"]),
    );
    expect(schemas.output_schema.properties.outcome.properties.status.enum).toEqual([
      "success",
      "closest_passages",
      "abstained",
      "failed",
    ]);
  });

  it("draws the graph with its seven nodes", async () => {
    const [assistant] = await client.assistants.search({ graphId: "agent" });
    const { nodes, edges } = await client.assistants.getGraph(assistant!.assistant_id);
    expect(nodes.map(({ id }) => id).sort()).toEqual(
      [
        "__end__",
        "__start__",
        "analyze_and_route",
        "grade_evidence",
        "guard_answer",
        "plan",
        "rewrite_question",
        "synthesize",
        "tools",
      ].sort(),
    );
    expect(edges).toContainEqual(
      expect.objectContaining({ source: "grade_evidence", target: "analyze_and_route" }),
    );
  });

  it("keeps parallel assistants with different contexts apart", async () => {
    const make = (context: Record<string, unknown>) =>
      client.assistants.create({ graphId: "agent", context });
    const [careful, quick] = await Promise.all([
      make({ profile: "signals", max_iterations: 1 }),
      make({ profile: "holistic", quality: "quick" }),
    ]);
    const input = { question: question("Elmstead") };
    const [first, second] = await Promise.all([
      ask(input, { assistant: careful.assistant_id }),
      ask(input, { assistant: quick.assistant_id }),
    ]);
    expect(first.details).toMatchObject({
      profile: "signals",
      max_iterations: 1,
      quality: "balanced",
    });
    expect(second.details).toMatchObject({ profile: "holistic", quality: "quick" });
    for (const { answer } of [first, second]) expect(answer).toContain(foundedIn("Elmstead"));
  });

  it("lets a run's own context win, and names its mistakes", async () => {
    const { details } = await ask(
      { question: question("Elmstead") },
      { context: { profile: "adequacy" } },
    );
    expect(details.profile).toBe("adequacy");
    // A host's own "profile" may stand in the same context, so one that is not ours fails no run.
    const other = await ask({ question: "x" }, { context: { profile: "admin" } });
    expect(other.details.profile).toBe("adaptive");
    expect(other.warnings).toContainEqual(
      expect.stringMatching(/^profile in the run's context is ignored: /),
    );
  });
});

describe("streaming", () => {
  it("yields values, updates, messages and custom events of one run", async () => {
    const { thread_id } = await client.threads.create();
    const seen = new Map<string, ReturnType<typeof loose>[]>();
    for await (const { event, data } of client.runs.stream(thread_id, "agent", {
      input: { question: question("Glenrock") },
      streamMode: ["values", "updates", "messages-tuple", "custom"],
    })) {
      const mode = event.split("/")[0]!;
      seen.set(mode, [...(seen.get(mode) ?? []), loose(data)]);
    }
    expect([...seen.keys()].sort()).toEqual([
      "custom",
      "messages",
      "metadata",
      "updates",
      "values",
    ]);
    expect(seen.get("updates")!.map((update) => Object.keys(update)[0])).toEqual(
      expect.arrayContaining([
        "rewrite_question",
        "analyze_and_route",
        "plan",
        "tools",
        "grade_evidence",
        "synthesize",
        "guard_answer",
      ]),
    );
    expect(seen.get("custom")!.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        "planned",
        "tool_call",
        "rag_iteration",
        "citation",
        "graph_outcome",
      ]),
    );
    const { answer, messages } = seen.get("values")!.at(-1);
    expect(answer).toContain(foundedIn("Glenrock"));
    const streamed = seen.get("messages")!.map(([message]) => message);
    expect(streamed.every(({ type }) => /^ai|^AI/.test(type))).toBe(true);
    expect(streamed.map(({ content }) => content).join("")).toBe(answer);
    expect(new Set(streamed.map(({ id }) => id))).toEqual(new Set([messages.at(-1).id]));
  });
});

describe("a thread", () => {
  it("keeps ten questions independent, sent as `question` and as `messages`; only messages carry over", async () => {
    const { thread_id: thread } = await client.threads.create();
    for (const [index, town] of TOWNS.entries()) {
      const input =
        index % 2 === 0
          ? { question: question(town) }
          : { messages: [{ role: "user", content: question(town) }] };
      const values = await ask(input, { thread });
      expect(values.answer).toContain(foundedIn(town));
      expect(values.messages).toHaveLength(2 * (index + 1));
      expect(values.usage.by_node.rewrite_question.runs).toBe(1);
      for (const { source } of values.citations)
        expect(source.path).toBe(`towns/${town.toLowerCase()}.md`);
    }
    const history = loose(await client.threads.getHistory(thread, { limit: 1000 }));
    // Two checkpoints a run, and one before the first question, so that it can be edited.
    expect(history).toHaveLength(2 * TOWNS.length + 1);
    expect(history[0].values.question).toBe(question(TOWNS.at(-1)!));
  });

  it("understands a follow-up question from the conversation", async () => {
    const { thread_id: thread } = await client.threads.create();
    await ask({ question: "When was Hartwell founded?" }, { thread });
    const { answer, details } = await ask(
      { question: "And for how many years is its mayor elected?" },
      { thread },
    );
    expect(details.standalone_question).toContain("Hartwell");
    expect(answer).toContain(`${TOWNS.indexOf("Hartwell") + 2} years`);
  });

  it("ends a run without a question in an outcome, not an error", async () => {
    expect((await ask({})).outcome).toEqual({ status: "failed", causes: ["invalid_input"] });
  });

  it("keeps parallel runs apart", async () => {
    const towns = TOWNS.slice(0, 6);
    const all = await Promise.all(towns.map((town) => ask({ question: question(town) })));
    expect(all.map(({ answer }, index) => answer.includes(foundedIn(towns[index]!)))).toEqual(
      towns.map(() => true),
    );
  });
});

describe("RemoteGraph", () => {
  it.each([8, 25])("ends with an answer under a recursion limit of %i", async (recursionLimit) => {
    const remote = new RemoteGraph({ graphId: "agent", url: server.url });
    const good = await remote.invoke({ question: question("Ivydale") }, { recursionLimit });
    expect(good.answer).toContain(foundedIn("Ivydale"));
    const poor = await remote.invoke(
      { question: "What is the weather in Paris today?" },
      { recursionLimit },
    );
    expect(poor.outcome.status).toBe("abstained");
  });

  it("streams", async () => {
    const remote = new RemoteGraph({ graphId: "agent", url: server.url });
    const nodes: string[] = [];
    for await (const update of await remote.stream(
      { question: question("Ivydale") },
      { streamMode: "updates" },
    ))
      nodes.push(...Object.keys(update));
    expect(nodes[0]).toBe("rewrite_question");
    expect(nodes.at(-1)).toBe("guard_answer");
  });
});

describe("dev", () => {
  it("serves the graph from a folder without langgraph.json, and says where once it listens", async () => {
    while (!server.output().includes("/app"))
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.output()).toContain(`${server.url}/app`);
    expect(server.output()).toContain(`https://smith.langchain.com/studio?baseUrl=${server.url}`);
    expect(server.output()).not.toMatch(STACK_TRACE);
  });

  it("lets chat clients of the allowed origins use every route", async () => {
    const origin = "https://chat.example";
    const headers = { origin, "access-control-request-method": "POST" };
    const preflight = await fetch(`${server.url}/threads`, { method: "OPTIONS", headers });
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    const asked = await fetch(`${server.url}/info`, { headers: { origin } });
    expect(asked.headers.get("access-control-allow-origin")).toBe(origin);
    const stranger = await fetch(`${server.url}/info`, {
      headers: { origin: "https://evil.example" },
    });
    expect(stranger.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("adds the allowed origins in a clone, too, whose langgraph.json is the shipped one", async () => {
    const config = loose(
      JSON.parse(await readFile(await configFile(["https://a.example"]), "utf8")),
    );
    expect(config.http.cors.allow_origins).toContain("https://a.example");
    expect(config.graphs.agent).toMatch(/^\.\.\/src\/agent\.ts:graph$/);
  });

  it("names a malformed setting in one line before it starts the server", async () => {
    const cwd = await mkdtemp(join(tmpdir(), "corrective-rag-dev-"));
    // The environment wins over the file here as everywhere.
    await writeFile(join(cwd, ".env"), "NODE_OPTIONS=./evil\n");
    const { code, stderr, stdout } = await runHere(["dev"], {
      cwd,
      env: { CRAG_PROFILE: "bogus", NODE_OPTIONS: "--no-warnings" },
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: CRAG_PROFILE=bogus is not one of adaptive/);
    expect(stderr + stdout).not.toMatch(STACK_TRACE);
  });

  it.each(["NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "Path"])(
    "starts no program that a folder's .env names by %s",
    async (name) => {
      const cwd = await mkdtemp(join(tmpdir(), "corrective-rag-dev-"));
      await writeFile(join(cwd, ".env"), `${name}=./evil\n`);
      const { code, stderr } = await runHere(["dev"], { cwd });
      expect(code).toBe(2);
      expect(stderr).toContain(`error: .env sets ${name}, which no file of a folder may set`);
    },
  );
});

describe("what the indexer graph may read", () => {
  const OUTSIDE = [
    "/etc/hostname",
    "../",
    "/",
    ".env",
    "**/.env",
    ".corrective-rag",
    "towns/../../etc/hostname",
    "/etc/**",
    "file:///etc/hostname",
    "http://127.0.0.1:2024/info",
    "**/".repeat(30),
  ];
  it.each(OUTSIDE)("refuses or leaves out %s", async (target) => {
    const { report, error } = await ask({ targets: [target] }, { assistant: "indexer" });
    expect(report?.added ?? 0).toBe(0);
    expect(error ?? JSON.stringify(report)).not.toBe("");
  });
});

it("dev ends on a signal", async () => {
  expect(await server.stop()).toBe(130);
  await expect(fetch(`${server.url}/ok`)).rejects.toThrow();
});
