/** Questions for all there is, through the compiled graph over a real knowledge base. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ingest } from "../../src/ingest/ingest.js";
import type { KnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { viewOf } from "../../src/retrieval/view.js";
import { asksForAll } from "../../src/tools/list-passages.js";
import { startModelServer, type ModelServer } from "../support/model-server.js";
import { observedAgent, type ObservedRun } from "../support/observed-agent.js";

const INCIDENTS = 12;
const OUTAGES = 60;
const CAUSES =
  "certificate disk firewall backup migration queue database nameserver memory cache clock cable";

let server: ModelServer;
let folder: string;
let knowledgeBase: KnowledgeBase;
beforeAll(async () => {
  server = await startModelServer();
  folder = await mkdtemp(path.join(tmpdir(), "lists-"));
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
  for (const [at, cause] of CAUSES.split(" ").entries())
    await write(
      `i${at}.md`,
      `# Report ${at}\n\nAn incident with the ${cause} woke the people on call.`,
    );
  await write("secret.md", "---\ngroups: [hr]\n---\nAn incident with a salary list was hushed up.");
  for (let at = 0; at < OUTAGES; at++)
    await write(`o${at}.md`, `# Log ${at}\n\nThe outage on line ${at} took ${at + 3} minutes.`);
  await write("menu.md", "# Menu\n\nOn Fridays there is fish, and always a soup.");
  const store = await openSqliteKnowledgeBase({ directory: path.join(folder, "kb") });
  await ingest({ targets: [folder], knowledgeBase: store, cwd: folder });
  knowledgeBase = store;
});
afterAll(async () => {
  await knowledgeBase.close();
  await server.close();
  await rm(folder, { recursive: true });
});

async function asked(question: string, environment = {}): Promise<ObservedRun> {
  const { agent, ask } = observedAgent({ knowledgeBase, environment });
  try {
    return await ask(question);
  } finally {
    await agent.close();
  }
}

describe("a question for all there is, without a model", () => {
  it("shows every passage that mentions it, and says that these are all", async () => {
    const { result } = await asked("List all incidents");
    expect(result.outcome.status).toBe("closest_passages");
    expect(result.passages).toHaveLength(INCIDENTS);
    expect(result.answer).toMatch(/^12 passages mention "incidents"; all are listed; none of them/);
  });

  it.each(["Show me all mentions of incidents", "List all hubbub of incidents"])(
    "asks of passages only what may stand in them: %s",
    async (question) => {
      const { result } = await asked(question);
      expect(result.answer).toMatch(/^12 passages mention "incidents"; all are listed;/);
    },
  );

  it("names the number where there are more than fit", async () => {
    const { result } = await asked("Show me every outage");
    expect(result.passages).toHaveLength(50);
    expect(result.answer).toMatch(/^60 passages mention "outage"; the first 50 are listed;/);
  });

  it("counts no passage that the caller may not see", async () => {
    const { agent, ask } = observedAgent({ knowledgeBase });
    const context = { principal: { id: "anna", groups: ["hr"] } };
    const { result } = await ask("List all incidents", context);
    await agent.close();
    expect(result.answer).toMatch(/^13 passages mention/);
    const view = await viewOf(knowledgeBase);
    expect((await view.stats()).documents).toBe(INCIDENTS + OUTAGES + 1);
  });

  it("ends as any other where no passage mentions it", async () => {
    const { result } = await asked("List all zeppelins");
    expect(result.answer).not.toContain("mention");
  });

  it("takes a single passage with all the words for no list", async () => {
    const { result } = await asked("List all soups on Fridays");
    expect(result.answer).not.toContain("mention");
    expect(result.passages[0]?.text).toContain("always a soup");
  });
});

describe("a question for all there is, with a model", () => {
  it("gives the model all of them as far as they fit, and says how many were read", async () => {
    server.reset();
    server.script("answer", "There were incidents with a certificate and with a disk [1].");
    const model = { OPENAI_BASE_URL: server.baseUrl, LLM_MODEL: "test", WEB_SEARCH: "off" };
    const { result, window } = await asked("List all incidents", model);
    expect(window.match(/An incident with the/g)).toHaveLength(INCIDENTS);
    expect(window).toMatch(/12 passages mention "incidents"; all are listed\.$/);
    expect(result.answer).toMatch(/12 passages mention "incidents"; all were read\.$/);
    const small = await asked("List all incidents", { ...model, CRAG_CONTEXT_TOKENS: "256" });
    const read = small.window.match(/An incident with the/g)?.length ?? 0;
    expect(read).toBeLessThan(INCIDENTS);
    expect(small.window).toContain(`the first ${read} are listed.`);
    expect(small.result.answer).toContain(`the first ${read} were read.`);
  });
});

describe("asksForAll", () => {
  it.each([
    "List all incidents",
    "list every setting that limits a run",
    "Which of the profiles search the web?",
    "Please list the tools",
    "What are all the endings?",
    "All that mentions Qdrant",
  ])("takes %s", (question) => expect(asksForAll(question)).toBe(true));

  it.each([
    "Which mailing list should I ask?",
    "Where do I see all events in one place?",
    "How do I make a match cover all remaining cases?",
    "What must every line contain?",
    "Which template does it use?",
    "List Box Wizard list table field meaning",
  ])("leaves %s", (question) => expect(asksForAll(question)).toBe(false));
});
