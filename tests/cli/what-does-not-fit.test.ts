/** Settings, knowledge bases and logs that do not fit each other: what the command line says, and with which exit code. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STACK_TRACE, type RunOptions } from "../support/run-command.js";
import { runHere } from "../support/run-here.js";

const TRAINED = { CRAG_READER: "trained" };
const QUESTION = "Who built the Halden pump?";

let folder: string;
let endpoint: { server: Server; base: string };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "does-not-fit-"));
  await mkdir(join(folder, "notes"));
  await writeFile(
    join(folder, "notes", "halden.md"),
    "# The Halden pump\n\nThe Halden pump was built in 1974 by Marta Lindqvist.\n",
  );
  endpoint = await embeddingEndpoint();
  await run(["ingest", "notes", "--kb", "plain"], { env: TRAINED });
  await run(["ingest", "notes", "--kb", "vectors"], { env: embeddings("small") });
});
afterAll(async () => {
  endpoint.server.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (args: readonly string[], options: Partial<RunOptions> = {}) =>
  runHere(args, { cwd: folder, ...options });

const embeddings = (model: string, key = "right"): Record<string, string> => ({
  EMBEDDING_MODEL: model,
  CRAG_EMBEDDING_API_KEY: key,
  CRAG_EMBEDDING_BASE_URL: endpoint.base,
});

/** An OpenAI-compatible endpoint that knows one key; vectors of 4 dimensions. */
async function embeddingEndpoint(): Promise<{ server: Server; base: string }> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      if (request.headers.authorization !== "Bearer right") {
        response
          .writeHead(401)
          .end(JSON.stringify({ error: { message: "Incorrect API key provided" } }));
        return;
      }
      const { input } = JSON.parse(body) as { input: string[] };
      const data = [input]
        .flat()
        .map((text, index) => ({ index, embedding: [1, text.length % 3, text.length % 5, 1] }));
      response.end(JSON.stringify({ data }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { server, base: `http://127.0.0.1:${address.port}/v1` };
}

describe("search providers that lack a setting", () => {
  it.each([
    ["tavily", "TAVILY_API_KEY"],
    ["searxng", "SEARXNG_URL"],
    ["mediawiki,brave", "BRAVE_API_KEY"],
  ])("are refused before the run starts: WEB_PROVIDERS=%s", async (providers, variable) => {
    const { code, stdout, stderr } = await run(["ask", QUESTION, "--kb", "plain"], {
      env: { WEB_PROVIDERS: providers },
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      new RegExp(
        `^error: CRAG_WEB_PROVIDERS names \\w+, but ${variable} is not set\\n  set it, or leave \\w+ out\\n$`,
      ),
    );
  });
});

describe("an embedding model that did not make the knowledge base", () => {
  it("searches by words if there are no vectors, until the documents are ingested again", async () => {
    const ask = () => run(["ask", QUESTION, "--kb", "mended", "--explain"], { env: TRAINED });
    await run(["ingest", "notes", "--kb", "mended"]);
    const before = await ask();
    expect(before).toMatchObject({ code: 0, stdout: expect.stringContaining("Lindqvist") });
    expect(before.stderr).toContain("keyword_search");
    await run(["ingest", "notes", "--kb", "mended"], { env: TRAINED });
    expect((await ask()).stderr).toContain("hybrid_search");
  });

  it("refuses the shipped encoder if another model made the vectors, and vice versa", async () => {
    const shipped = await run(["ask", QUESTION, "--kb", "vectors"], { env: TRAINED });
    expect(shipped).toMatchObject({ code: 1, stdout: "" });
    expect(shipped.stderr).toMatch(
      /error: .* was made with the embedding model small \(4 dimensions\), but all-MiniLM\S+ is configured\n {2}set CRAG_EMBEDDING_MODEL=small/,
    );
    const named = await run(["ask", QUESTION, "--kb", "plain"], { env: embeddings("small") });
    expect(named).toMatchObject({ code: 1, stdout: "" });
    expect(named.stderr).toMatch(/all-MiniLM\S+ \(384 dimensions\), but small is configured/);
  });

  it("refuses another model, names both, and does not touch the index", async () => {
    for (const args of [
      ["ask", QUESTION, "--kb", "vectors"],
      ["ingest", "notes", "--kb", "vectors"],
    ]) {
      const { code, stdout, stderr } = await run(args, { env: embeddings("large") });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(
        /error: the knowledge base .* was made with the embedding model small \(4 dimensions\), but large is configured\n/,
      );
      expect(stderr).not.toMatch(STACK_TRACE);
    }
    expect(
      (await run(["ask", QUESTION, "--kb", "vectors"], { env: embeddings("small") })).stdout,
    ).toContain("Lindqvist");
  });

  it("says which key was refused without printing it", async () => {
    const { code, stdout, stderr } = await run(["ingest", "notes", "--kb", "refused"], {
      env: embeddings("small", "sk-wrong-key-1234"),
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /error: the embedding model small failed: 401 Incorrect API key provided\n.*check CRAG_EMBEDDING_API_KEY/,
    );
    expect(stderr).not.toContain("sk-wrong");
  });
});

describe("an empty knowledge base", () => {
  it("is reported with how to fill it, after the only document could not be read", async () => {
    await mkdir(join(folder, "unreadable"));
    await writeFile(join(folder, "unreadable", "noise.pdf"), Buffer.alloc(5_000, 7));
    expect((await run(["ingest", "unreadable", "--kb", "hollow"])).code).toBe(1);
    const { code, stderr } = await run(["ask", QUESTION, "--kb", "hollow"]);
    expect(code).toBe(0);
    expect(stderr).toContain(
      "the knowledge base hollow holds no documents; add some with: corrective-rag ingest PATH --kb hollow",
    );
    expect((await run(["ask", QUESTION, "--kb", "plain"])).stderr).not.toContain(
      "holds no documents",
    );
  });
});

describe("a file that is not an audit log", () => {
  it.each([
    [
      "a file of something else",
      "notes/halden.md",
      /error: there are no runs in notes\/halden\.md\n/,
    ],
    ["a missing file", "no-such.jsonl", /error: there are no runs in no-such\.jsonl\n/],
    ["a folder", "notes", /error: there are no runs in notes\n/],
  ])("is refused: %s", async (_name, log, message) => {
    const { code, stdout, stderr } = await run(["audit", "list", "--log", log]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(STACK_TRACE);
  });

  it("counts the damaged lines that it ignores", async () => {
    const event = {
      type: "run_started",
      at: "2026-01-01T00:00:00.000Z",
      run_id: "r1",
      node: "n",
      question: "What?",
    };
    await writeFile(
      join(folder, "torn.jsonl"),
      `${JSON.stringify(event)}\n{"type":"plan\nrubbish\n`,
    );
    const { code, stdout, stderr } = await run(["audit", "list", "--log", "torn.jsonl"]);
    expect(code).toBe(0);
    expect(stdout).toContain("What?");
    expect(stderr).toBe("left out of torn.jsonl: 2 lines without an event\n");
  });

  it("is not required before the first question", async () => {
    const cwd = await mkdtemp(join(folder, "fresh-"));
    expect(await run(["audit", "list"], { cwd })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "the audit log holds no runs yet\n",
    });
  });
});
