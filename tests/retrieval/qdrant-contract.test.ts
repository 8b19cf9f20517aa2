import { afterAll, expect, it } from "@jest/globals";
import { openQdrantKnowledgeBase } from "../../src/retrieval/qdrant/open-qdrant-knowledge-base.js";
import { startQdrantServer, type QdrantTestServer } from "../support/qdrant-server.js";
import { termEmbedder } from "../support/term-embedder.js";
import { describeReading, describeWriting } from "./knowledge-base-contract.js";

const servers: QdrantTestServer[] = [];

async function open(withVectors: boolean) {
  const server = await startQdrantServer();
  servers.push(server);
  const embedder = withVectors ? termEmbedder() : undefined;
  const knowledgeBase = await openQdrantKnowledgeBase({
    url: server.url,
    collection: "library",
    embedder,
    mayBeMissing: true,
  });
  return { knowledgeBase, close: () => server.close() };
}

for (const [name, withVectors] of [
  ["Qdrant with vectors", true],
  ["Qdrant without vectors", false],
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

it("sent nothing and took nothing that Qdrant's API description does not know, and filtered only by indexed fields", () => {
  expect(servers.flatMap(({ violations }) => violations)).toEqual([]);
  expect(servers.flatMap(({ unindexed }) => [...unindexed])).toEqual([]);
  expect(servers.flatMap(({ requests }) => requests).length).toBeGreaterThan(100);
});

afterAll(() => Promise.all(servers.map((server) => server.close())));
