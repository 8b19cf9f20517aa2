/** Conversations in a real Postgres, on this machine; skipped where none is installed. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { passageBase } from "../../evals/live/passage-base.js";
import { createCorrectiveRag } from "../../src/corrective-rag.js";
import { hasPostgres, startPostgres, type Postgres } from "../support/postgres.js";

(hasPostgres ? describe : describe.skip)("conversations in Postgres", () => {
  let postgres: Postgres;
  const saverFor = () => PostgresSaver.fromConnString(postgres.url);

  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it("continue in another process, with two checkpoints per turn, and one before the first", async () => {
    const ask = async (question: string, threadId?: string) => {
      const checkpointer = saverFor();
      await checkpointer.setup();
      const agent = createCorrectiveRag({
        settings: { auditLog: "off", reader: "lexical" },
        knowledgeBase: passageBase([
          { path: "a.md", title: "Dunmore", text: "Dunmore was founded in 1803." },
          { path: "b.md", title: "Halden", text: "Halden was founded in 1774." },
        ]),
        checkpointer,
      });
      try {
        const result = await agent.ask(question, { threadId });
        const config = { configurable: { thread_id: result.threadId } };
        let checkpoints = 0;
        for await (const _ of checkpointer.list(config)) checkpoints += 1;
        return { ...result, checkpoints };
      } finally {
        await agent.close();
        await checkpointer.end();
      }
    };
    const first = await ask("When was Dunmore founded?");
    expect(first).toMatchObject({ answer: expect.stringContaining("1803"), checkpoints: 3 });
    const second = await ask("And Halden?", first.threadId);
    expect(second).toMatchObject({ answer: expect.stringContaining("1774"), checkpoints: 5 });
    expect(second.messages).toHaveLength(4);
  });
});
