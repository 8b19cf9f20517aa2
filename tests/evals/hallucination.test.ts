/** What correction is for: questions that the documents do not answer are answered less often. */
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { demoPages } from "../../src/assembly/demo.js";
import { createCorrectiveRag } from "../../src/corrective-rag.js";
import { ingest } from "../../src/ingest/ingest.js";
import type { WritableKnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";

let directory: string;
let knowledgeBase: WritableKnowledgeBase;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "hallucination-"));
  knowledgeBase = await openSqliteKnowledgeBase({ directory });
  await ingest({ targets: await demoPages("docs"), knowledgeBase });
});
afterAll(async () => {
  await knowledgeBase.close();
  await rm(directory, { recursive: true });
});

const Row = z.object({ question: z.string(), unanswerable: z.boolean().optional() });

/** The unanswerable ones of a file of questions on the documentation. */
async function unanswerable(file: string): Promise<string[]> {
  const lines = (await readFile(`evals/${file}.jsonl`, "utf8")).trim().split("\n");
  const rows = lines.map((line) => Row.parse(JSON.parse(line)));
  return rows.filter((row) => row.unanswerable).map(({ question }) => question);
}

it.each(["docs-questions", "docs-questions-held-out"])(
  "answers at least a fifth fewer unanswerable questions of %s than plain RAG does",
  async (file) => {
    const agent = createCorrectiveRag({
      knowledgeBase,
      settings: { auditLog: "off" },
      checkpointer: false,
    });
    let plain = 0;
    let corrective = 0;
    for (const question of await unanswerable(file)) {
      const ask = async (switched_off: ("grading" | "guard")[]): Promise<boolean> =>
        (await agent.ask(question, { context: { switched_off } })).outcome.status === "success";
      if (await ask(["grading", "guard"])) plain += 1;
      if (await ask([])) corrective += 1;
    }
    await agent.close();
    expect(plain).toBeGreaterThan(0);
    expect(corrective).toBeLessThanOrEqual(0.8 * plain);
  },
);
