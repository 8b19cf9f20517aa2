/** The Model Context Protocol, spoken by the official client: over HTTP and over stdio. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { join } from "node:path";
import type { CorrectiveRag } from "../../src/corrective-rag.js";
import { serveMcpRequest } from "../../src/server/mcp.js";
import { bareEnvironment, PROJECT, runCommand, STACK_TRACE } from "../support/run-command.js";
import { runHere } from "../support/run-here.js";
import { startServe, type Served } from "./dev-server.js";
import { foundedIn, TOWN_FILES } from "./towns.js";

let server: Served;

beforeAll(async () => {
  server = await startServe(TOWN_FILES, { CRAG_READER: "trained" });
});

afterAll(() => server?.stop());

const overHttp = () => new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`));
const overStdio = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [join(PROJECT, "scripts", "run.js"), "mcp"],
    cwd: server.folder,
    env: {
      ...Object.fromEntries(
        Object.entries(bareEnvironment()).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      ),
    },
    stderr: "ignore",
  });

it("does not start without its knowledge base", async () => {
  const { code, stdout, stderr } = await runHere(["mcp", "--kb", "nowhere"], {
    cwd: server.folder,
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("error: there is no knowledge base in nowhere");
});

it.each([
  ["one line without an end", ["x".repeat(60_000_000)]],
  [
    "a long line after a good one",
    ['{"jsonrpc":"2.0","method":"ping","id":1}\n', "x".repeat(2_000_000)],
  ],
  ["a long line with its end", [`${"x".repeat(3_000_000)}\n`]],
])("ends with one line on standard error after %s", async (_name, parts) => {
  const { code, stderr } = await runCommand(["mcp"], {
    cwd: server.folder,
    env: { CRAG_READER: "lexical" },
    input: parts.join(""),
  });
  expect(code).toBe(1);
  expect(stderr).toContain("error: a message may have at most 1048576 bytes");
  expect(stderr).not.toMatch(STACK_TRACE);
});

it("stops the run of an HTTP client that leaves", async () => {
  const client = new AbortController();
  const call = { name: "ask", arguments: { question: "When?" } };
  const request = new Request("http://localhost/mcp", {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
    signal: client.signal,
  });
  const unused = () => Promise.reject(new Error("not asked for"));
  const stopped = new Promise<boolean>((resolve) => {
    const events: CorrectiveRag["events"] = async function* (_question, { signal } = {}) {
      signal?.addEventListener("abort", () => resolve(signal.aborted));
      client.abort();
      throw new Error("left");
    };
    void serveMcpRequest({ events, knowledgeBase: unused, reader: unused }, request);
  });
  expect(await stopped).toBe(true);
});

const textOf = (result: unknown): string =>
  JSON.parse(JSON.stringify(result))
    .content.map(({ text }: { text: string }) => text)
    .join("\n");

describe.each([
  ["HTTP", overHttp],
  ["stdio", overStdio],
])("the MCP server over %s", (_name, transport) => {
  const client = new Client({ name: "test", version: "1" });

  beforeAll(() => client.connect(transport()));
  afterAll(() => client.close());

  it("offers ask, search, read and verify", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(["ask", "read", "search", "verify"]);
  });

  it("answers with sources, and reports progress on request", async () => {
    const progress: (string | undefined)[] = [];
    const result = await client.callTool(
      { name: "ask", arguments: { question: "When was Dunmore founded?" } },
      undefined,
      { onprogress: ({ message }) => progress.push(message) },
    );
    expect(textOf(result)).toContain(foundedIn("Dunmore"));
    expect(textOf(result)).toMatch(/Sources:\n\[1\].*dunmore\.md/);
    expect(result.structuredContent).toMatchObject({ outcome: { status: "success" } });
    expect(progress.join("\n")).toMatch(/graded/);
  });

  it("finds passages and reads the document that holds them", async () => {
    const found = await client.callTool({ name: "search", arguments: { query: "Ashford" } });
    expect(JSON.stringify(found.structuredContent)).toContain('"path":"notes/ashford.md"');
    const read = await client.callTool({ name: "read", arguments: { path: "notes/ashford.md" } });
    expect(textOf(read)).toContain("The mayor of Ashford");
    const missing = await client.callTool({ name: "read", arguments: { path: "/etc/passwd" } });
    expect(missing.isError).toBe(true);
  });

  it("verifies an answer against passages", async () => {
    const result = await client.callTool({
      name: "verify",
      arguments: {
        answer: "Dunmore was founded in 1803. Dunmore was founded in 1999.",
        passages: ["Dunmore was founded in 1803."],
      },
    });
    const { sentences } = JSON.parse(JSON.stringify(result.structuredContent));
    expect(sentences[0].score).toBeGreaterThan(sentences[1].score);
  });
});
