/** The contract against a real server: only when QDRANT_URL names one. Collections are made for the test and removed after it. */
import { randomUUID } from "node:crypto";
import { describe, it } from "@jest/globals";
import { openQdrantKnowledgeBase } from "../../src/retrieval/qdrant/open-qdrant-knowledge-base.js";
import { termEmbedder } from "../support/term-embedder.js";
import { describeReading, describeWriting } from "./knowledge-base-contract.js";

const url = process.env["QDRANT_URL"];
const apiKey = process.env["QDRANT_API_KEY"];

async function open(address: string) {
  const collection = `test-${randomUUID()}`;
  const knowledgeBase = await openQdrantKnowledgeBase({
    url: address,
    apiKey,
    collection,
    embedder: termEmbedder(),
    mayBeMissing: true,
  });
  const close = async () => {
    await fetch(new URL(`/collections/${collection}`, address), {
      method: "DELETE",
      headers: apiKey ? { "api-key": apiKey } : {},
    });
  };
  return { knowledgeBase, close };
}

if (url === undefined || url === "") {
  describe("a real Qdrant", () => {
    it.todo("is tested if QDRANT_URL names one");
  });
} else {
  describeReading(`Qdrant at ${url}`, ["keyword", "vector", "hybrid"], async (documents) => {
    const opened = await open(url);
    await opened.knowledgeBase.put(documents);
    await opened.knowledgeBase.embedPending?.();
    return opened;
  });
  describeWriting(`Qdrant at ${url}`, () => open(url));
}
