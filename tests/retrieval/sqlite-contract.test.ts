import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { termEmbedder } from "../support/term-embedder.js";
import { describeReading, describeWriting } from "./knowledge-base-contract.js";

async function open(withVectors: boolean) {
  const directory = await mkdtemp(path.join(tmpdir(), "contract-"));
  const knowledgeBase = await openSqliteKnowledgeBase({
    directory,
    embedder: withVectors ? termEmbedder() : undefined,
  });
  const close = async () => {
    await knowledgeBase.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { knowledgeBase, close };
}

for (const [name, withVectors] of [
  ["SQLite with vectors", true],
  ["SQLite without vectors", false],
] as const) {
  describeReading(
    name,
    withVectors ? ["keyword", "vector", "hybrid"] : ["keyword"],
    async (documents) => {
      const opened = await open(withVectors);
      await opened.knowledgeBase.put(documents);
      await opened.knowledgeBase.embedPending?.();
      return opened;
    },
  );
  describeWriting(name, () => open(withVectors));
}
