/** Questions as people type them: short, in other words than the documents', misspelled. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCorrectiveRag, type CorrectiveRag } from "../../src/corrective-rag.js";
import { ingest } from "../../src/ingest/ingest.js";
import { createReader } from "../../src/reader/create-reader.js";
import { readerEmbedder } from "../../src/retrieval/embedders.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";

const HANDBOOK = `# Employee handbook

## Annual leave
Every employee is entitled to 28 days of annual leave per calendar year. Up to five unused days may
be carried over until 31 March of the following year.

## Sick leave
Tell your team lead before 9:00 on the first day. From the third day on a certificate from a
physician is needed.

## Notice period
During the probationary period of six months either side may terminate with two weeks' notice,
afterwards with three months.
`;

let folder: string;
let agent: CorrectiveRag;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "users-words-"));
  const handbook = path.join(folder, "handbook.md");
  await writeFile(handbook, HANDBOOK);
  const reader = createReader();
  const knowledgeBase = await openSqliteKnowledgeBase({
    directory: path.join(folder, "kb"),
    embedder: readerEmbedder(reader),
  });
  await ingest({ targets: [handbook], knowledgeBase, cwd: folder });
  await knowledgeBase.embedPending?.();
  agent = createCorrectiveRag({ knowledgeBase, reader });
});
afterAll(async () => {
  await agent.close();
  await rm(folder, { recursive: true });
});

describe("without a model, in a small knowledge base", () => {
  it.each([
    ["how many holidays do i get?", "Annual leave"],
    ["vacation days", "Annual leave"],
    ["what do i do when im ill", "Sick leave"],
    ["is the certificate from a physician", "Sick leave"],
  ])("%s gets the passage that answers, whose words it does not use", async (question, heading) => {
    const { passages } = await agent.ask(question);
    expect(passages[0]?.headings).toContain(heading);
  });

  it("what stands around a question does not hide its answer", async () => {
    const { passages, answer } = await agent.ask(
      "Hi there, I am new here and found it nowhere. How long is the notice period in the " +
        "probationary period? Thanks a lot in advance!",
    );
    expect(passages[0]?.text ?? answer).toContain("two weeks' notice");
  });

  it.each(["who won the world cup in 1998?", "best pizza recipe", "how do i install docker"])(
    "%s gets no passages",
    async (question) => {
      expect((await agent.ask(question)).outcome.status).toBe("abstained");
    },
  );

  it("a misspelled word is understood as the documents spell it, and told", async () => {
    const { details, passages } = await agent.ask("how much notise do I have to give");
    expect(details?.standalone_question).toBe("how much notice do I have to give");
    expect(passages[0]?.headings).toContain("Notice period");
  });
});
