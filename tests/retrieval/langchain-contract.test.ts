import { afterAll, describe, expect, it } from "@jest/globals";
import { BM25Retriever } from "@langchain/community/retrievers/bm25";
import { Document } from "@langchain/core/documents";
import { BaseRetriever } from "@langchain/core/retrievers";
import { QdrantVectorStore } from "@langchain/qdrant";
import { createCorrectiveRag } from "../../src/corrective-rag.js";
import { createReader } from "../../src/reader/create-reader.js";
import { fromRetriever, fromVectorStore } from "../../src/retrieval/langchain/from-langchain.js";
import { openLangChainCollection } from "../../src/retrieval/qdrant/open-qdrant-knowledge-base.js";
import { sourceOf } from "../../src/tools/make-evidence.js";
import { DistanceStore, documentOf, TermEmbeddings } from "../support/langchain-stores.js";
import { startQdrantServer, type QdrantTestServer } from "../support/qdrant-server.js";
import { termEmbedder } from "../support/term-embedder.js";
import { describeReading } from "./knowledge-base-contract.js";

const servers: QdrantTestServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

const nothingToClose = () => Promise.resolve();

describeReading("a LangChain vector store", ["vector"], async (documents) => {
  const store = new DistanceStore(new TermEmbeddings(), {});
  await store.addDocuments(documents.flatMap(({ passages }) => passages.map(documentOf)));
  return { knowledgeBase: fromVectorStore(store), close: nothingToClose };
});

describeReading("QdrantVectorStore", ["vector"], async (documents) => {
  const server = await startQdrantServer();
  servers.push(server);
  const store = new QdrantVectorStore(new TermEmbeddings(), {
    url: server.url,
    collectionName: "theirs",
  });
  await store.addDocuments(documents.flatMap(({ passages }) => passages.map(documentOf)));
  return { knowledgeBase: fromVectorStore(store), close: () => server.close() };
});

describeReading("a collection that LangChain made", ["vector"], async (documents) => {
  const server = await startQdrantServer();
  servers.push(server);
  const options = { url: server.url, collectionName: "theirs" };
  const store = new QdrantVectorStore(new TermEmbeddings(), options);
  await store.addDocuments(documents.flatMap(({ passages }) => passages.map(documentOf)));
  const theirs = { url: server.url, collection: "theirs", embedder: termEmbedder() };
  const knowledgeBase = await openLangChainCollection(theirs);
  if (knowledgeBase === undefined) throw new Error("it was not recognized");
  return { knowledgeBase, close: nothingToClose };
});

it("is opened with a model that fits its vectors only, and ours and unknown ones are left alone", async () => {
  const server = await startQdrantServer();
  servers.push(server);
  const options = { url: server.url, collectionName: "theirs" };
  await new QdrantVectorStore(new TermEmbeddings(), options).addDocuments([
    new Document({ pageContent: "honey" }),
  ]);
  const theirs = { url: server.url, collection: "theirs" };
  const embedder = termEmbedder({ dimensions: 7 });
  await expect(openLangChainCollection({ ...theirs, embedder })).rejects.toThrow(/gives 7/);
  await expect(openLangChainCollection(theirs)).rejects.toThrow(/no embedding model/);
  expect(await openLangChainCollection({ ...theirs, collection: "none" })).toBeUndefined();
});

describeReading("BM25Retriever", ["keyword"], async (documents) => {
  const docs = documents.flatMap(({ passages }) => passages.map(documentOf));
  return {
    knowledgeBase: fromRetriever(BM25Retriever.fromDocuments(docs, { k: 10, includeScore: true })),
    close: nothingToClose,
  };
});

describeReading("another retriever", ["hybrid"], async (documents) => {
  const store = new DistanceStore(new TermEmbeddings(), {});
  await store.addDocuments(documents.flatMap(({ passages }) => passages.map(documentOf)));
  return { knowledgeBase: fromRetriever(store.asRetriever(20)), close: nothingToClose };
});

class FixedRetriever extends BaseRetriever {
  override lc_namespace = ["tests"];
  constructor(private readonly give: () => Promise<Document[]>) {
    super();
  }
  override _getRelevantDocuments(): Promise<Document[]> {
    return this.give();
  }
}

describe("LangChain adapters", () => {
  it("drop documents of BM25Retriever that share no word with the query, scored or not", async () => {
    const docs = [
      new Document({ pageContent: "honey from bees" }),
      new Document({ pageContent: "molten tin" }),
    ];
    for (const includeScore of [true, false]) {
      const hits = await fromRetriever(
        BM25Retriever.fromDocuments(docs, { k: 5, includeScore }),
      ).search("keyword", {
        query: "honey",
        limit: 5,
      });
      expect(hits.map(({ passage }) => passage.text)).toEqual(["honey from bees"]);
    }
  });

  it("keep a document's id, and derive a missing one from source and content", async () => {
    const [a, b, c, named] = [
      new Document({ pageContent: "tea", metadata: { source: "a.md" } }),
      new Document({ pageContent: "tea", metadata: { source: "b.md" } }),
      new Document({ pageContent: "tea", metadata: { source: "a.md" } }),
      new Document({ id: "42", pageContent: "tea" }),
    ];
    const hits = await fromRetriever(
      new FixedRetriever(() => Promise.resolve([a, b, c, named])),
    ).search("hybrid", {
      query: "tea",
      limit: 9,
    });
    expect(hits).toHaveLength(3);
    expect(hits[2]?.passage.id).toBe("42");
  });

  it("keep the page and the headings of a document with an address", async () => {
    const source = "https://intranet.example/leave.pdf";
    const web = { kind: "web", url: source, provider: "knowledge_base" };
    const found = [
      new Document({ pageContent: "tea", metadata: { source, page: 3, heading: "Pay > Tea" } }),
      new Document({ pageContent: "milk", metadata: { source, loc: { pageNumber: 4 } } }),
    ];
    const retriever = fromRetriever(new FixedRetriever(() => Promise.resolve(found)));
    const hits = await retriever.search("hybrid", { query: "tea", limit: 9 });
    expect(hits.map(({ passage }) => sourceOf(passage))).toEqual([
      { ...web, page: 3, heading: "Pay > Tea" },
      { ...web, page: 4 },
    ]);
  });

  it("distinguish documents that share an id, and accept documents without metadata", async () => {
    const metadata = { id: "handbook" };
    const found = [
      new Document({ id: "1", pageContent: "tea" }),
      new Document({ id: "1", pageContent: "coffee" }),
      new Document({ id: "1", pageContent: "tea" }),
      new Document({ pageContent: "milk", metadata }),
      new Document({ pageContent: "water", metadata }),
      JSON.parse('{"pageContent": "bare"}') as Document,
    ];
    const hits = await fromRetriever(new FixedRetriever(() => Promise.resolve(found))).search(
      "hybrid",
      { query: "drinks", limit: 9 },
    );
    expect(hits.map(({ passage }) => passage.text)).toEqual([
      "tea",
      "coffee",
      "milk",
      "water",
      "bare",
    ]);
    expect(new Set(hits.map(({ passage }) => passage.id)).size).toBe(5);
    const store = new DistanceStore(new TermEmbeddings(), {});
    await store.addDocuments(found.slice(0, 2));
    const stored = await fromVectorStore(store).search("vector", { query: "tea", limit: 9 });
    expect(stored.map(({ passage }) => passage.text)).toEqual(["tea", "coffee"]);
  });

  it("treat a score as a cosine only for a known store or if the caller says so", async () => {
    const store = new DistanceStore(new TermEmbeddings(), {});
    await store.addDocuments([new Document({ pageContent: "honey" })]);
    const [unknown] = await fromVectorStore(store).search("vector", { query: "honey", limit: 1 });
    expect(unknown?.scores).toEqual([{ value: 1, scale: "fusion", by: "vector-store:distances" }]);
    const server = await startQdrantServer();
    servers.push(server);
    const theirs = new QdrantVectorStore(new TermEmbeddings(), {
      url: server.url,
      collectionName: "theirs",
    });
    await theirs.addDocuments([new Document({ pageContent: "honey" })]);
    const [known] = await fromVectorStore(theirs).search("vector", { query: "honey", limit: 1 });
    expect(known?.scores[0]?.scale).toBe("cosine");
    expect(known?.scores[0]?.value).toBeCloseTo(1, 5);
  });

  it("name the store that failed, and abandon one that ignores a cancelled run", async () => {
    const failing = fromRetriever(
      new FixedRetriever(() => Promise.reject(new Error("disk on fire"))),
    );
    await expect(failing.search("hybrid", { query: "tea", limit: 1 })).rejects.toThrow(
      "retriever:FixedRetriever failed: disk on fire",
    );
    const odd = JSON.parse('[{"metadata":{}}]') as Document[];
    await expect(
      fromRetriever(new FixedRetriever(async () => odd)).search("hybrid", {
        query: "tea",
        limit: 1,
      }),
    ).rejects.toThrow(
      "retriever:FixedRetriever failed: it returned something that is not a document",
    );
    const deaf = fromRetriever(new FixedRetriever(() => new Promise(() => undefined)));
    await expect(
      deaf.search("hybrid", { query: "tea", limit: 1, signal: AbortSignal.timeout(20) }),
    ).rejects.toThrow(/timeout/);
  });

  it("are searched each time, so that new documents are found", async () => {
    const documents: Document[] = [];
    const agent = createCorrectiveRag({
      knowledgeBase: fromRetriever(new FixedRetriever(() => Promise.resolve(documents))),
      reader: createReader({ model: "lexical" }),
      settings: { webSearch: "off", auditLog: "off" },
    });
    const question = "Where do bees keep their honey?";
    expect((await agent.ask(question)).outcome.status).toBe("abstained");
    documents.push(new Document({ pageContent: "Bees keep their honey in combs of wax." }));
    expect((await agent.ask(question)).answer).toContain("combs of wax");
    await agent.close();
  });

  it("have passages only, no documents to list or read", async () => {
    const knowledgeBase = fromRetriever(new FixedRetriever(() => Promise.resolve([])));
    expect(await knowledgeBase.documents()).toEqual([]);
    expect(await knowledgeBase.passagesOf("a.md")).toEqual([]);
  });
});
