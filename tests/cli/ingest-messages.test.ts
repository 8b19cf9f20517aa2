/** What `ingest` says in a pipe, line by line. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { isInstalled } from "../../src/support/packages.js";
import { runCommand, STACK_TRACE } from "../support/run-command.js";
import { runHere } from "../support/run-here.js";

const FILES = 13;
const SECTIONS = 32;
/** Of thirteen batches that take as long, the rest takes over twenty seconds: worth a message. */
const FIRST_BATCH_MS = 2_500;

let folder: string;
let endpoint: Server;
let requests = 0;
let environment: Record<string, string>;

function sections(file: number): string {
  const parts = Array.from({ length: SECTIONS }, (_, at) => {
    const text = `Valve ${file}-${at} is turned by hand. `.repeat(8);
    return `## Valve ${at}\n\n${text}`;
  });
  return `# Part ${file}\n\n${parts.join("\n\n")}\n`;
}

/** Answers like an endpoint for embeddings, the first time slowly. */
async function startEndpoint(): Promise<Server> {
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url?.startsWith("/denied")) return response.writeHead(401).end("no");
      let body = "";
      for await (const chunk of request) body += String(chunk);
      if (requests++ === 0) await wait(FIRST_BATCH_MS);
      const { input } = JSON.parse(body) as { input: string[] };
      const data = input.map((text, index) => ({
        object: "embedding",
        index,
        embedding: [text.length, 1, 0, 0],
      }));
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify({ object: "list", data, model: "slow", usage: {} }));
    })();
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return server;
}

const ingest = (env: Record<string, string> = environment) =>
  runHere(["ingest", "docs"], { cwd: folder, env });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "messages-"));
  await mkdir(join(folder, "docs"));
  for (let at = 0; at < FILES; at++)
    await writeFile(join(folder, "docs", `part-${at}.md`), sections(at));
  endpoint = await startEndpoint();
  const { port } = endpoint.address() as AddressInfo;
  environment = {
    CRAG_EMBEDDING_MODEL: "slow",
    CRAG_EMBEDDING_BASE_URL: `http://127.0.0.1:${port}/v1`,
  };
});
afterAll(async () => {
  endpoint?.close();
  await rm(folder, { recursive: true, force: true });
});

describe("ingest in a pipe", () => {
  it("says how far it is, that questions work meanwhile, how long it takes, and what it did", async () => {
    const { code, stdout, stderr } = await ingest();
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const told = stderr.trim().split("\n");
    expect(told).toContainEqual(
      expect.stringMatching(
        /^everything is stored and can be asked about; in about \d+ s, 384 more passages can be found by meaning$/,
      ),
    );
    // No bar and no colors where nobody looks at a terminal.
    expect(stderr + stdout).not.toMatch(/[\u001b\r█]/u);
    // The advice for the shipped encoder says nothing about an endpoint.
    expect(stderr).not.toContain("onnxruntime-node");
    const done = stdout.trim().split("\n");
    expect(done[0]).toMatch(
      /^13 files added; 416 passages made searchable by meaning, in [\d.]+ s$/,
    );
    expect(done[1]).toMatch(/^sqlite:.*kb holds 13 documents, 416 passages$/);
    expect(done).toHaveLength(2);
  });

  it("says that nothing changed, without a word about vectors", async () => {
    const { code, stdout, stderr } = await ingest();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^13 files unchanged, in [\d.]+ s\n/);
  });

  it("counts each outcome, and names what it left out and could not read", async () => {
    await writeFile(join(folder, "docs", "part-0.md"), "# Part 0\n\nValve 0 is gone.\n");
    await writeFile(join(folder, "docs", "new.md"), "# New\n\nA new valve.\n");
    await rm(join(folder, "docs", "part-1.md"));
    await writeFile(join(folder, "docs", "broken.pdf"), "%PDF-1.7 nothing");
    await writeFile(join(folder, "docs", "photo.png"), "x");
    const { code, stdout, stderr } = await ingest();
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^1 file added, 1 updated, 11 unchanged, 1 removed, 1 left out, 1 failed; 2 passages made searchable by meaning, in /,
    );
    expect(stderr).toMatch(/^could not read docs\/broken\.pdf: it is not a readable PDF/m);
    expect(stderr).toMatch(/^left out .*photo\.png: an image is read only if you name it$/m);
    expect(stderr).not.toMatch(STACK_TRACE);
  });

  it("says in one line why the endpoint failed, and keeps what it stored", async () => {
    await writeFile(join(folder, "docs", "later.md"), "# Later\n\nA later valve.\n");
    const url = environment["CRAG_EMBEDDING_BASE_URL"]?.replace("/v1", "/denied") ?? "";
    const { code, stderr } = await ingest({ ...environment, CRAG_EMBEDDING_BASE_URL: url });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: the embedding model slow failed: /m);
    expect(stderr).not.toMatch(STACK_TRACE);
    const { stdout } = await ingest();
    expect(stdout).toMatch(/^14 files unchanged.*1 passage made searchable by meaning/);
  });
});

const slow = isInstalled("onnxruntime-node") ? it.skip : it;
slow(
  "ingest with the shipped encoder says how to be faster, and stops with what it has",
  async () => {
    const name = "sections.md";
    const many = Array.from({ length: 25 }, (_, at) => sections(at)).join("\n");
    await mkdir(join(folder, "many"));
    await writeFile(join(folder, "many", name), many);
    const env = { CRAG_READER: "trained" };
    const { code, stderr } = await runCommand(["ingest", "many", "--kb", "other"], {
      cwd: folder,
      env,
      onStart: (child) =>
        child.stderr?.on("data", (text: string) => {
          if (text.includes("onnxruntime-node")) child.kill("SIGINT");
        }),
    });
    expect(code).toBe(130);
    expect(stderr).toMatch(/^five to six times faster with: npm install onnxruntime-node$/m);
    expect(stderr).toMatch(
      /^interrupted: what was stored stays; run the same command again to finish$/m,
    );
    const { stdout } = await runHere(["documents", "list", "--kb", "other"], { cwd: folder });
    expect(stdout).toContain("sections.md");
  },
);
