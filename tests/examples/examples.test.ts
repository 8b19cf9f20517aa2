/** The programs in examples/, each run as a reader would run it. `chat-client.ts` runs beside the OpenAI protocol's tests. */
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, STACK_TRACE } from "../support/run-command.js";
import { runHere } from "../support/run-here.js";
import { runExample } from "./run-example.js";

let server: Server;
let baseUrl: string;
beforeAll(async () => {
  // Brings dist/ up to date.
  await runCommand(["--version"], { cwd: process.cwd() });
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += String(piece)));
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(completion(body.includes('"role":"tool"'))));
    });
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const address = server.address();
  baseUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/v1`;
});
afterAll(() => {
  server.close();
});

/** Searches first, and then says one thing that was found and one that was not. */
function completion(hasSearched: boolean) {
  const call = {
    id: "call-1",
    type: "function",
    function: { name: "search", arguments: '{"query":"warranty"}' },
  };
  const message = hasSearched
    ? { content: "The pump has a warranty of two years [1]. It was painted by Ann in 1950 [1]." }
    : { content: "", tool_calls: [call] };
  return {
    id: hasSearched ? "second" : "first",
    object: "chat.completion",
    model: "m",
    choices: [
      {
        index: 0,
        finish_reason: hasSearched ? "stop" : "tool_calls",
        message: { role: "assistant", ...message },
      },
    ],
  };
}

it.each([
  ["retriever-in-a-chain", /^Human: Answer from this:\nThe pump has a warranty.*\n\nHow long/],
  ["own-profile-and-prompts", /The harbor opens on 3 June[^]*\ndiscarded: \[ '\[SOURCE:a\]' \]/],
  ["open-graph", /^The harbor opens on 3 June\. \[1\]\n\{ words: 7 \} \[ '1 draft left out' \]\n$/],
  [
    "parts-of-your-own",
    /^The harbor of Quellin opens at six[^]*\{ from: \[ 'Opening hours' \] \} \[ 'INCORRECT', 'CORRECT' \]\n$/,
  ],
  ["mcp-client", /^tools: ask, search, read, verify\n[^]*searches again/],
])("%s.ts", async (name, printed) => {
  const { code, stdout, stderr } = await runExample(name);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(printed) });
  expect(stderr).not.toMatch(STACK_TRACE);
});

it("graph-of-your-own.ts, asked about a document that was ingested", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "example-"));
  await mkdir(join(cwd, "docs"));
  await writeFile(join(cwd, "docs", "guard.md"), "The guard checks each claim of an answer.\n");
  await runHere(["ingest", "docs"], { cwd });
  const { code, stdout, stderr } = await runExample("graph-of-your-own", { cwd });
  await rm(cwd, { recursive: true });
  const printed = /^something was kept\n[^]*(?:\[1\]|docs\/)/;
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(printed) });
  expect(stderr).not.toMatch(STACK_TRACE);
});

it.each([
  ["y", /The new harbor of Quellin opens on 3 June/],
  ["n", /A web search might help, but was not allowed/],
])("permissions.ts, answered with %s", async (said, printed) => {
  // Whoever ran `ingest` in the clone has a knowledge base there.
  const cwd = await mkdtemp(join(tmpdir(), "example-"));
  const { stdout } = await runExample("permissions", { input: `${said}\n`, cwd });
  await rm(cwd, { recursive: true });
  expect(stdout).toContain('Search the web for "');
  expect(stdout).toMatch(printed);
});

it("middleware.ts drops what was found for nothing, and marks what the model made up", async () => {
  const { code, stdout } = await runExample("middleware", {
    env: { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: "k", LLM_MODEL: "m" },
  });
  expect(code).toBe(0);
  expect(stdout).toMatch(/tool: \[1\] The pump has a warranty/);
  expect(stdout).not.toContain("canteen");
  expect(stdout).toMatch(
    /ai: The pump has a warranty of two years \[1\]\. It was painted by Ann in 1950 \[1\]\. \(uncertain\)\n$/,
  );
});

it("all of them stand in the README of the folder, and are run", () => {
  const readme = readFileSync("examples/README.md", "utf8");
  const programs = readdirSync("examples").filter((name) => name.endsWith(".ts"));
  expect(programs.filter((name) => !readme.includes(`(${name})`))).toEqual([]);
  expect(programs).toHaveLength(9);
});
