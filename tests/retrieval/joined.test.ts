/** Several knowledge bases behind one agent, chosen by name or by question (issue 33, point 8). */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ingest } from "../../src/ingest/ingest.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
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
