/** Several knowledge bases behind one agent, chosen by name or by question. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ingest } from "../../src/ingest/ingest.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { serveMcpRequest } from "../../src/server/mcp.js";
import { documentRoutes, shelfOf } from "../../src/server/documents.js";
import { sendProblem } from "../../src/server/http-problem.js";
import { openAiRoutes } from "../../src/server/openai.js";
import type { ContextValues } from "../../src/settings/context.js";
import { readFilter } from "../../src/settings/filter.js";
import { observedAgent } from "../support/observed-agent.js";

const DOCUMENTS = {
  hr: {
    "leave.md": "# Leave\n\nEmployees get thirty days of paid leave each year.",
    "guides/start.md": "# Start\n\nNew colleagues meet their mentor on the first morning.",
    "secret.md": "---\ngroups: [board]\n---\nThe merger with Halden is planned for June.",
  },
  it: {
    "backup.md": "# Backup\n\nThe backup of the mail server runs every night at two.",
    "guides/start.md": "# Start\n\nA new laptop is set up with the image of the department.",
  },
} as const;

let folder: string;
let knowledgeBases: string[];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "joined-"));
  for (const [name, documents] of Object.entries(DOCUMENTS)) {
    const cwd = path.join(folder, name);
    for (const [file, text] of Object.entries(documents)) {
      await mkdir(path.dirname(path.join(cwd, file)), { recursive: true });
      await writeFile(path.join(cwd, file), text);
    }
    const knowledgeBase = await openSqliteKnowledgeBase({
      directory: path.join(folder, `${name}-kb`),
    });
    const targets = Object.keys(documents).map((file) => path.join(cwd, file));
    await ingest({ targets, knowledgeBase, cwd });
    await knowledgeBase.close();
  }
  knowledgeBases = ["hr", "it"].map((name) => `${name}=${path.join(folder, `${name}-kb`)}`);
});
afterAll(() => rm(folder, { recursive: true }));

async function asked(question: string, context: ContextValues = {}) {
  const { agent, ask } = observedAgent({ settings: { knowledgeBases } });
  try {
    const { result } = await ask(question, context);
    return JSON.stringify([result.citations, result.passages, result.answer]);
  } finally {
    await agent.close();
  }
}

describe("several knowledge bases", () => {
  it("are searched together where none is named", async () => {
    expect(await asked("How many days of paid leave do employees get?")).toContain("hr/leave.md");
    expect(await asked("When does the backup of the mail server run?")).toContain("it/backup.md");
  });

  it("are chosen by name with a filter on the path", async () => {
    const question = "Whom do new colleagues meet on the first morning?";
    const inHr = await asked(question, { filter: "path = hr" });
    expect(inHr).toContain("hr/guides/start.md");
    expect(inHr).not.toContain("it/");
    expect(await asked(question, { filter: "not path = hr" })).not.toContain("hr/");
    const deep = await asked("What is a new laptop set up with?", {
      filter: 'path = "it/guides/*.md"',
    });
    expect(deep).toContain("it/guides/start.md");
    expect(deep).not.toContain("hr/");
  });

  it.each([
    ['path = "**/start.md"', ["hr/guides/start.md", "it/guides/start.md"]],
    ['path = "{hr,it}/guides"', ["hr/guides/start.md", "it/guides/start.md"]],
    ['path = "{hr}/leave.md"', ["hr/leave.md"]],
    ['path in ["hr/leave.md", "it/backup.md"]', ["hr/leave.md", "it/backup.md"]],
    ['path != hr and path != "it/backup.md"', ["it/guides/start.md"]],
    ['path = "guides/start.md"', []],
    ['path = "hr/leave.md" and kind = pdf', []],
  ])("list what passes %s", async (filter, paths) => {
    const { agent } = observedAgent({ settings: { knowledgeBases } });
    const view = await agent.knowledgeBase({ filter: readFilter(filter) });
    expect((await view.documents()).map((document) => document.path)).toEqual(paths);
    expect((await view.stats()).documents).toBe(paths.length);
    await agent.close();
  });

  it("are chosen by name in the context of a run", async () => {
    const question = "Whom do new colleagues meet on the first morning?";
    expect(await asked(question, { knowledge_base: "hr" })).toContain("hr/guides/start.md");
    expect(await asked(question, { knowledge_base: "it" })).not.toContain("hr/");
    expect(await asked(question, { knowledge_base: "it, hr" })).toContain("hr/guides/start.md");
    const both = { knowledge_base: "it", filter: "path = hr" };
    expect(await asked(question, both)).not.toContain("guides/start.md");
  });

  it("are chosen by name over /v1 and MCP", async () => {
    const { agent } = observedAgent({ settings: { knowledgeBases } });
    const question = "Whom do new colleagues meet on the first morning?";
    const chat = async (knowledge_base: string): Promise<string> => {
      const body = { messages: [{ role: "user", content: question }], knowledge_base };
      const headers = { "content-type": "application/json" };
      const asked = { method: "POST", headers, body: JSON.stringify(body) };
      return (await openAiRoutes(agent).request("/v1/chat/completions", asked)).text();
    };
    expect(await chat("hr")).toContain("hr/guides/start.md");
    expect(await chat("it")).not.toContain("hr/");
    expect(await chat("sales")).toContain('no knowledge base \\"sales\\"');
    const search = async (knowledge_base: string): Promise<string> => {
      const params = { name: "search", arguments: { query: "first morning", knowledge_base } };
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const accept = "application/json, text/event-stream";
      const headers = { "content-type": "application/json", accept };
      const asked = { method: "POST", headers, body: JSON.stringify(body) };
      return (await serveMcpRequest(agent, new Request("http://localhost/mcp", asked))).text();
    };
    expect(await search("hr")).toContain("hr/guides/start.md");
    expect(await search("it")).not.toContain("hr/");
    expect(await search("sales")).toContain("no knowledge base");
    await agent.close();
  });

  it("take uploads into the one that the path names, and remove them from there", async () => {
    const { agent } = observedAgent({ settings: { knowledgeBases, reader: "lexical" } });
    const routes = documentRoutes(shelfOf(agent)).onError(sendProblem);
    const call = async (method: string, name: string, body?: string): Promise<unknown> =>
      (await routes.request(name, { method, ...(body && { body }) })).json();
    const path = "it/new/printer.md";
    const taken = await call("PUT", `/file?path=${path}`, "The printer stands on floor 2.");
    expect(taken).toEqual({ path, state: "added" });
    expect(await call("GET", `/show?path=${path}`)).toMatchObject({ document: { path } });
    const lost = await call("PUT", "/file?path=printer.md", "The printer stands on floor 2.");
    expect(lost).toMatchObject({ error: expect.stringContaining("does not begin with") });
    const removed = await call("DELETE", `/?path=${path}&path=hr/none.md`);
    expect(removed).toEqual({ removed: [path], unknown: ["hr/none.md"] });
    expect(await call("GET", "/?words=printer")).toMatchObject({ total: 0 });
    await agent.close();
  });

  it("widen nothing when they are chosen by name", async () => {
    const question = "When is the merger with Halden planned?";
    expect(await asked(question, { knowledge_base: "hr" })).not.toMatch(/June|secret/);
    const principal = { id: "eva", groups: ["board"] };
    expect(await asked(question, { knowledge_base: "hr", principal })).toContain("secret.md");
  });

  it.each(["sales", "hr,sales", "HR", "../hr", " "])("refuse the name %j", async (named) => {
    const { agent } = observedAgent({ settings: { knowledgeBases } });
    const seen = agent.knowledgeBase({ knowledgeBase: named });
    await expect(seen).rejects.toThrow(/^there is no knowledge base "/);
    await agent.close();
  });

  it("say that only one is open where a name is given", async () => {
    const { agent } = observedAgent({ knowledgeBase: path.join(folder, "hr-kb") });
    const named = agent.knowledgeBase({ knowledgeBase: "hr" });
    await expect(named).rejects.toThrow('no knowledge base "hr": only one is open');
    await agent.close();
  });

  it("keep their permissions", async () => {
    const question = "When is the merger with Halden planned?";
    expect(await asked(question)).not.toMatch(/June|secret/);
    const principal = { id: "eva", groups: ["board"] };
    expect(await asked(question, { principal })).toContain("hr/secret.md");
  });

  it.each([
    [["hr"], "names no knowledge base"],
    [["hr=a", "hr=b"], "the same name"],
    [["hr=/nowhere/kb"], "no knowledge base in /nowhere/kb"],
  ])("refuse %j in one line", async (wrong, problem) => {
    const { agent } = observedAgent({ settings: { knowledgeBases: wrong } });
    await expect(agent.knowledgeBase()).rejects.toThrow(problem);
    await agent.close();
  });
});
