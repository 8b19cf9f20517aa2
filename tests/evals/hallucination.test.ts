/** What correction is for: questions that the documents do not answer are answered less often. */
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { openDemo } from "../../src/assembly/demo.js";
import { createCorrectiveRag, type CorrectiveRag } from "../../src/corrective-rag.js";
import { createReader } from "../../src/reader/create-reader.js";
import { readerEmbedder } from "../../src/retrieval/embedders.js";

const Row = z.object({ question: z.string(), unanswerable: z.boolean().optional() });

/** Every third of the unanswerable questions of a file; `npm run eval` asks them all. */
async function unanswerable(file: string): Promise<string[]> {
  const lines = (await readFile(`evals/${file}.jsonl`, "utf8")).trim().split("\n");
  const rows = lines.map((line) => Row.parse(JSON.parse(line)));
  return rows.filter((row) => row.unanswerable).flatMap((row, at) => (at % 3 ? [] : row.question));
}

let directory: string;
let agent: CorrectiveRag;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "hallucination-"));
  const reader = createReader();
  agent = createCorrectiveRag({
    reader,
    knowledgeBase: await openDemo({ directory, embedder: readerEmbedder(reader) }),
    settings: { auditLog: "off" },
    checkpointer: false,
  });
});
afterAll(async () => {
  await agent.close();
  await rm(directory, { recursive: true });
});

it.each(["docs-questions", "docs-questions-held-out"])(
  "answers at least a fifth fewer unanswerable questions of %s than plain RAG does",
  async (file) => {
    const isAnswered = async (
      question: string,
      switched_off: ("grading" | "guard")[],
    ): Promise<boolean> =>
      (await agent.ask(question, { context: { switched_off } })).outcome.status === "success";
    let plain = 0;
    let corrective = 0;
    for (const question of await unanswerable(file)) {
      if (await isAnswered(question, ["grading", "guard"])) plain += 1;
      if (await isAnswered(question, [])) corrective += 1;
    }
    expect(plain).toBeGreaterThan(0);
    expect(corrective).toBeLessThanOrEqual(0.8 * plain);
  },
);
