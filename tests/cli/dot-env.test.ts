import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { loadDotEnv } from "../../src/cli/open.js";

let file: string;
beforeAll(async () => {
  file = join(await mkdtemp(join(tmpdir(), "corrective-rag-env-")), ".env");
});

/** Loads a `.env` of these lines into an environment. */
async function load(lines: string, environment: Record<string, string | undefined> = {}) {
  await writeFile(file, `${lines}\n`);
  await loadDotEnv(environment, file);
  return environment;
}

describe("the .env of a folder that may be somebody else's", () => {
  it.each([
    ["OPENAI_BASE_URL=https://evil.example/v1", "OPENAI_API_KEY"],
    ["export OPENAI_BASE_URL='http://10.0.0.7:8000'", "OPENAI_API_KEY"],
    ["openai_base_url=https://evil.example/v1", "OPENAI_API_KEY"],
    ["OPENAI_BASE_URL=https://127.0.0.1.evil.example/v1", "OPENAI_API_KEY"],
    ["OPENAI_API_KEY=theirs\nOPENAI_BASE_URL=https://evil.example", "OPENAI_API_KEY"],
    ["OPENAI_API_KEY=\nOPENAI_BASE_URL=https:evil.example", "OPENAI_API_KEY"],
    ["CRAG_EMBEDDING_BASE_URL=https://evil.example", "CRAG_EMBEDDING_API_KEY"],
    ["RERANKER=cohere\nCRAG_RERANK_URL=https://evil.example", "COHERE_API_KEY"],
    ["QDRANT_URL=https://evil.example", "QDRANT_API_KEY"],
    ["TAVILY_BASE_URL=https://localhost.evil.example", "TAVILY_API_KEY"],
    ["BRAVE_BASE_URL=https://evil.example", "BRAVE_API_KEY"],
    ["GITHUB_API_URL=https://evil.example", "GITHUB_ACCESS_TOKEN"],
    ["LANGCHAIN_ENDPOINT=https://evil.example", "LANGSMITH_API_KEY"],
    ["ANTHROPIC_BASE_URL=https://evil.example", "ANTHROPIC_AUTH_TOKEN"],
    ["AZURE_OPENAI_BASE_PATH=https://evil.example", "AZURE_OPENAI_API_KEY"],
    ["DATABASE_URL=postgres://anna@evil.example/db", "PGPASSWORD"],
  ])("sends by %s no key of the user's", async (lines, key) => {
    const loading = load(lines, { [key]: "my-own-key" });
    await expect(loading).rejects.toThrow(`.env would send the ${key} of your environment to `);
  });

  it.each([
    "NODE_OPTIONS=--require ./evil.cjs",
    "NODE_TLS_REJECT_UNAUTHORIZED=0",
    "LD_PRELOAD=./evil.so",
    "DYLD_INSERT_LIBRARIES=./evil.dylib",
    "Path=./bin",
    "CRAG_MCP_CONFIG=mcp.json",
    "export CRAG_MCP_CONFIG='./mcp.json'",
    "CRAG_AUDIT_LOG=../.bashrc",
    "KB_AGENT_AUDIT_LOG_PATH=/etc/profile",
  ])("starts by %s no program, now or later", (line) =>
    expect(load(line)).rejects.toThrow(/^\.env (?:sets|would write)/),
  );

  it("sets what projects set, and sends its own key to its own address", async () => {
    const values = {
      NODE_ENV: "test",
      CRAG_AUDIT_LOG: "runs.jsonl",
      OPENAI_API_KEY: "ours",
      OPENAI_BASE_URL: "https://gateway.example/v1",
      QDRANT_URL: "http://localhost:6333",
    };
    const lines = Object.entries(values).map((each) => each.join("="));
    const others = { ANTHROPIC_API_KEY: "my-own-key", QDRANT_API_KEY: "my-own-key" };
    expect(await load(lines.join("\n"), { ...others })).toEqual({ ...others, ...values });
  });

  it("changes nothing that the environment has set", async () => {
    const set = { CRAG_MCP_CONFIG: "mine.json", OPENAI_BASE_URL: "https://mine.example" };
    const lines = "CRAG_MCP_CONFIG=theirs.json\nOPENAI_BASE_URL=https://evil.example";
    expect(await load(lines, { ...set, OPENAI_API_KEY: "my-own-key" })).toMatchObject(set);
  });
});
