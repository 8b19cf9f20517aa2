/** `doctor`: what works, what does not, and how to fix it. */
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../support/run-command.js";
import { runHere } from "../support/run-here.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "doctor-"));
  await writeFile(join(folder, "canteen.md"), "The canteen opens at noon.\n");
  const args = [join(PROJECT, "tests", "support", "town-tools.mjs")];
  const down = { url: "http://anna:swordfish@127.0.0.1:9/mcp" };
  const mcpServers = { towns: { command: process.execPath, args }, down };
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers }));
  await runHere(["ingest", "canteen.md"], { cwd: folder });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("says of each part whether it works, with the fix, and shows no secret", async () => {
  const { code, stdout } = await runHere(["doctor", "--json"], {
    cwd: folder,
    env: {
      OPENAI_BASE_URL: "http://anna:swordfish@127.0.0.1:9/v1",
      OPENAI_API_KEY: "sk-secret-of-the-user",
      CRAG_MCP_CONFIG: "mcp.json",
    },
  });
  expect(code).toBe(1);
  expect(stdout).not.toMatch(/secret-of-the-user|swordfish/);
  const { findings } = JSON.parse(stdout);
  expect(findings).toEqual([
    {
      about: "settings",
      state: "ok",
      text: expect.stringContaining(
        "OPENAI_API_KEY=***, OPENAI_BASE_URL=http://[redacted]@127.0.0.1:9/v1",
      ),
    },
    {
      about: "knowledge base",
      state: "ok",
      text: expect.stringContaining("1 document, 1 passage,"),
    },
    { about: "reader", state: "ok", text: "lexical" },
    {
      about: "model",
      state: "bad",
      text: expect.stringContaining("@127.0.0.1:9/v1 does not answer"),
      fix: expect.any(String),
    },
    { about: "web search", state: "note", text: expect.any(String), fix: expect.any(String) },
    { about: "reranker", state: "ok", text: expect.any(String) },
    {
      about: "MCP tools",
      state: "note",
      text: "towns__population",
      fix: expect.stringContaining("left out: towns__rename: see mcp.json"),
    },
  ]);
});

it("reports a knowledge base that cannot be opened among the rest", async () => {
  await mkdir(join(folder, "damaged"));
  await writeFile(join(folder, "damaged", "kb.sqlite"), "no database".repeat(1000));
  const { code, stdout } = await runHere(["doctor", "--kb", "damaged"], {
    cwd: folder,
    env: { CRAG_MODEL: "qwen3:8b" },
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^bad {3}knowledge base .*damaged.*\n +delete the file and run ingest/m);
  expect(stdout).toMatch(/^note {2}model +qwen3:8b has no endpoint: /m);
});

it("says how passages without vectors get them", async () => {
  const { code, stdout } = await runHere(["doctor"], {
    cwd: folder,
    env: { CRAG_READER: "trained" },
  });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^note {2}knowledge base .*no vectors.*\n +corrective-rag ingest PATH$/m);
});

it("goes on after a setting that is wrong", async () => {
  const { code, stdout } = await runHere(["doctor"], {
    cwd: folder,
    env: { CRAG_QUALITY: "turbo", CRAG_RERANKER: "cohere", CRAG_TOPK: "7" },
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^bad {3}CRAG_QUALITY +CRAG_QUALITY=turbo is not one of quick/m);
  expect(stdout).toMatch(/^bad {3}CRAG_RERANKER +the reranker cohere needs a key\n +set COHERE_/m);
  expect(stdout).toMatch(/^note {2}settings .*CRAG_TOPK/m);
  expect(stdout).toMatch(/^ok {4}knowledge base /m);
});

it("accepts an empty environment, and says what could be better", async () => {
  const { code, stdout } = await runHere(["doctor"], { cwd: folder });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^note {2}model +none: answers are quoted.*\n +set OPENAI_API_KEY/m);
  expect(stdout).not.toMatch(/^bad/m);
});
