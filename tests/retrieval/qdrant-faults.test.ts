import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import {
  KnowledgeBaseError,
  type WritableKnowledgeBase,
} from "../../src/retrieval/knowledge-base.js";
import {
  openQdrantKnowledgeBase,
  type QdrantKnowledgeBaseOptions,
} from "../../src/retrieval/qdrant/open-qdrant-knowledge-base.js";
import type { QdrantConnection } from "../../src/retrieval/qdrant/collection.js";
import { readAll } from "../../src/retrieval/qdrant/search.js";
import { pointId } from "../../src/retrieval/qdrant/points.js";
import { libraryDocument, libraryDocuments } from "../support/library-documents.js";
import { startQdrantServer, type QdrantTestServer } from "../support/qdrant-server.js";
import { termEmbedder } from "../support/term-embedder.js";

let server: QdrantTestServer;
beforeEach(async () => {
  server = await startQdrantServer();
});
afterEach(async () => {
  await server.close();
  expect(server.violations).toEqual([]);
});

const open = (options: Partial<QdrantKnowledgeBaseOptions> = {}): Promise<WritableKnowledgeBase> =>
  openQdrantKnowledgeBase({
    url: server.url,
    collection: "library",
    initialDelayInMs: 1,
    ...options,
  });
const filled = async (
  options: Partial<QdrantKnowledgeBaseOptions> = {},
): Promise<WritableKnowledgeBase> => {
  const store = await open(options);
  await store.put(libraryDocuments());
  await store.embedPending?.();
  return store;
};
const search = (store: WritableKnowledgeBase, query: string) =>
  store.search("keyword", { query, limit: 5 });
const texts = async (store: WritableKnowledgeBase, path: string) =>
  (await store.passagesOf(path)).map(({ text }) => text);
const creations = () => server.requests.filter((route) => /^PUT \/collections\/[^/]+$/.test(route));

describe("a missing collection", () => {
  it("is an error that names it for every read, and is never created by reading", async () => {
    const store = await open({ collection: "libary" });
    const reads = [
      () => search(store, "honey"),
      () => store.documents(),
      () => store.passagesOf("a.md"),
      () => store.version(),
      () => store.stats(),
      () => store.remove(["a.md"]),
    ];
    for (const read of reads) await expect(read()).rejects.toThrow(/no collection "libary"/);
    await expect(search(store, "honey")).rejects.toThrow(KnowledgeBaseError);
    await expect(search(store, "honey")).rejects.toMatchObject({
      hint: "check QDRANT_COLLECTION, or fill it with: corrective-rag ingest PATH",
    });
    expect(creations()).toEqual([]);
    expect(server.collections.size).toBe(0);
  });

  it("reads as empty for a caller about to fill it, and is not created by reading", async () => {
    const store = await open({ mayBeMissing: true });
    expect([await store.documents(), await search(store, "honey"), await store.stats()]).toEqual([
      [],
      [],
      { documents: 0, passages: 0 },
    ]);
    expect(creations()).toEqual([]);
    await store.put(libraryDocuments());
    expect(await store.documents()).toHaveLength(4);
  });

  it("is noticed if it is deleted while in use", async () => {
    const store = await filled();
    server.collections.delete("library");
    await expect(search(store, "honey")).rejects.toThrow(/no collection "library"/);
    expect(creations()).toHaveLength(1);
  });
});

describe("making the collection", () => {
  it("leaves its layout to the server, with IDF on the sparse vector and an index for each field that is filtered by", async () => {
    await filled({ embedder: termEmbedder({ dimensions: 48 }) });
    const collection = server.collections.get("library");
    expect(collection?.config).toEqual({
      vectors: { dense: { size: 48, distance: "Cosine" } },
      sparse_vectors: { bm25: { modifier: "idf" } },
    });
    expect([...(collection?.indexes.keys() ?? [])].sort()).toEqual([
      "facts[].instant",
      "facts[].key",
      "facts[].number",
      "facts[].text",
      "folders",
      "path",
      "pending",
      "type",
    ]);
  });

  it("tolerates another process creating it at the same moment (409)", async () => {
    const stores = await Promise.all([open(), open(), open()]);
    await Promise.all(stores.map((store) => store.put(libraryDocuments())));
    expect(creations().length).toBeGreaterThan(1);
    expect(await stores[0]?.stats()).toMatchObject({ documents: 4, passages: 5 });
  });

  it("creates payload indexes that an interrupted run left out", async () => {
    server.fail({ match: /PUT .*\/index/, skip: 2, times: 9, status: 400 });
    await expect(filled()).rejects.toThrow(/injected fault/);
    const collection = server.collections.get("library");
    expect(collection?.indexes.size).toBe(2);
    server.fail({ match: /^$/ });
    const second = await startOver();
    expect(collection?.indexes.size).toBe(8);
    expect(await second.documents()).toHaveLength(4);
  });

  /** The faults above are used up first. */
  async function startOver(): Promise<WritableKnowledgeBase> {
    for (let attempt = 0; attempt < 9; attempt++) await filled().catch(() => undefined);
    return filled();
  }
});

describe("an unwilling server", () => {
  it("is asked again after 429, 500 and 503, and after a broken connection", async () => {
    const store = await filled();
    for (const fault of [
      { status: 429 },
      { status: 429, retryAfter: "0" },
      { status: 500 },
      { status: 503 },
      { drop: true },
    ]) {
      server.fail({ match: /points\/query\/batch/, ...fault });
      expect(await search(store, "honey")).not.toEqual([]);
    }
  });

  it("is given up after the retries, with one line that says where and what", async () => {
    const store = await filled({ maxRetries: 2 });
    server.fail({ match: /points\/query\/batch/, times: 3, status: 500 });
    const before = server.requests.length;
    await expect(search(store, "honey")).rejects.toThrow(
      /^Qdrant, collection "library": 127\.0\.0\.1:\d+ answered 500: injected fault$/,
    );
    expect(server.requests.length - before).toBe(3);
  });

  it("is not asked about an invalid date", async () => {
    const store = await filled();
    const search = store.search("keyword", {
      query: "honey",
      limit: 1,
      filter: { type: "gte", key: "date", value: "last week" },
    });
    await expect(search).rejects.toThrow(/"last week" is not an ISO 8601 date/);
  });

  it("is not asked again after a refusal (400)", async () => {
    const store = await filled();
    server.fail({ match: /points\/query\/batch/, status: 400 });
    const before = server.requests.length;
    await expect(search(store, "honey")).rejects.toThrow(/400: injected fault/);
    expect(server.requests.length - before).toBe(1);
  });

  it("has a time limit on each attempt", async () => {
    await filled();
    const store = await open({ timeoutInMs: 500, maxRetries: 1 });
    server.fail({ match: /points\/query\/batch/, times: 2, delayInMs: 2_000 });
    await expect(search(store, "honey")).rejects.toThrow(/no answer within 500 ms/);
  });

  it("is left at once when the run is cancelled, even during a request", async () => {
    const store = await filled();
    server.fail({ match: /points\/query\/batch/, times: 9, delayInMs: 5_000 });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("cancelled")), 300);
    await expect(
      store.search("keyword", { query: "honey", limit: 1, signal: controller.signal }),
    ).rejects.toThrow("cancelled");
    expect(server.requests.filter((route) => route.includes("query"))).toHaveLength(1);
  });

  it("has different hints for an unreachable address and a refused key", async () => {
    const nobody = await openQdrantKnowledgeBase({
      url: "http://127.0.0.1:9",
      collection: "library",
      maxRetries: 0,
    });
    await expect(search(nobody, "honey")).rejects.toMatchObject({
      message: expect.stringContaining("could not be reached"),
      hint: expect.stringContaining("QDRANT_URL"),
    });
    const guarded = await startQdrantServer({ apiKey: "right" });
    const options = { url: guarded.url, collection: "library", maxRetries: 0 };
    const store = await openQdrantKnowledgeBase({ ...options, apiKey: "wrong-key" });
    const failure = await store.documents().catch((error: unknown) => error);
    expect(failure).toMatchObject({ hint: expect.stringContaining("QDRANT_API_KEY") });
    expect(String(failure)).not.toContain("wrong-key");
    await (await openQdrantKnowledgeBase({ ...options, apiKey: "right" })).put(libraryDocuments());
    await guarded.close();
  });
});

describe("what a server says of a failure", () => {
  const answering = async (
    status: number,
    type: string,
    body: string,
  ): Promise<{ url: string; close: () => void }> => {
    const other = createServer((_request, response) => {
      response.writeHead(status, { "content-type": type }).end(body);
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return { url: `http://127.0.0.1:${port}`, close: () => other.close() };
  };

  it.each([
    [401, "text/plain", "Invalid key sk-very-secret", /401: "Invalid key \[key\]"/],
    [500, "text/plain", "upstream died", /500: "upstream died"/],
    [500, "application/json", "upstream died", /did not answer as Qdrant does/],
    [200, "text/html", "<html>log in</html>", /did not answer as Qdrant does/],
  ])("is reported in one line, without the key: %s %s %s", async (status, type, body, message) => {
    const other = await answering(status, type, body);
    const store = await open({ url: other.url, apiKey: "sk-very-secret", maxRetries: 0 });
    const failure: unknown = await store.stats().catch((error: unknown) => error);
    other.close();
    expect(String(failure)).toMatch(message);
    expect(String(failure)).not.toContain("sk-very-secret");
  });
});

describe("vectors that do not fit", () => {
  it("are an error that names both sizes, when searching and when storing", async () => {
    await filled({ embedder: termEmbedder({ dimensions: 48 }) });
    const store = await open({ embedder: termEmbedder({ dimensions: 32 }) });
    await expect(store.search("vector", { query: "honey", limit: 1 })).rejects.toThrow(
      /48 dimensions.*terms gives 32/,
    );
    await store.put([
      libraryDocument({ path: "new.md", kind: "markdown", title: "New", texts: ["New."] }),
    ]);
    await expect(store.embedPending?.()).rejects.toThrow(/48 dimensions.*gives 32/);
  });

  it("of another model are an error that names both models", async () => {
    await filled({ embedder: termEmbedder({ model: "old-model" }) });
    const store = await open({ embedder: termEmbedder({ model: "new-model" }) });
    await expect(store.search("vector", { query: "honey", limit: 1 })).rejects.toThrow(
      /old-model.*new-model/,
    );
  });

  it("cannot be mixed with passages without vectors, either way round", async () => {
    await filled();
    await expect((await open({ embedder: termEmbedder() })).documents()).rejects.toThrow(
      /without vectors.*terms/,
    );
    await filled({ collection: "with-vectors", embedder: termEmbedder() });
    const without = await open({ collection: "with-vectors" });
    await expect(without.put(libraryDocuments())).rejects.toThrow(
      /vectors of terms, but no embedding model/,
    );
    expect(await search(without, "honey")).not.toEqual([]);
  });

  it("of a foreign collection are refused with a hint", async () => {
    const response = await fetch(`${server.url}/collections/theirs`, {
      method: "PUT",
      body: JSON.stringify({ vectors: { size: 3, distance: "Cosine" } }),
    });
    expect(response.status).toBe(200);
    await expect((await open({ collection: "theirs" })).documents()).rejects.toThrow(
      /"theirs" was made by LangChain: it can be searched, but not ingested into/,
    );
  });
});

it("refuses a collection whose texts were analyzed by another version", async () => {
  const store = await filled();
  const payload = { type: "collection", format: 1, version: "old" };
  const points = [{ id: pointId("collection"), vector: {}, payload }];
  const response = await fetch(`${server.url}/collections/library/points?wait=true`, {
    method: "PUT",
    body: JSON.stringify({ points }),
  });
  expect(response.status).toBe(200);
  await store.close();
  await expect((await open()).documents()).rejects.toThrow(/has format 1; this version reads 3\./);
});

describe("vectors that are made later", () => {
  it("are missing at first, when words already find the passages, and made once", async () => {
    const embedder = termEmbedder();
    const store = await open({ embedder });
    await store.put(libraryDocuments());
    expect((await store.stats()).embedding?.pending).toBe(5);
    const found = await store.search("hybrid", { query: "honey", limit: 3 });
    expect(found[0]?.passage.path).toBe("bees/honey.md");
    expect(found[0]?.vector).toBeUndefined();
    const seen: number[] = [];
    await store.embedPending?.({ onProgress: ({ done }) => void seen.push(done) });
    expect(seen).toEqual([5]);
    expect((await store.search("vector", { query: "honey", limit: 3 }))[0]?.vector).toBeDefined();
    embedder.embedded.length = 0;
    await store.put(libraryDocuments());
    await store.embedPending?.();
    expect(embedder.embedded).toEqual([]);
  });
});

describe("half-finished writes", () => {
  const longer = () =>
    libraryDocument({
      path: "bees/honey.md",
      kind: "markdown",
      title: "Honey",
      texts: ["Mead is honey wine.", "It wants yeast and patience."],
    });

  it("leave the document as it was, with its old hash, when the upload breaks off", async () => {
    const store = await filled({ maxRetries: 0 });
    const [before] = libraryDocuments();
    server.fail({ match: /points\/batch/, drop: true });
    await expect(store.put([longer()])).rejects.toThrow(KnowledgeBaseError);
    expect(await texts(store, "bees/honey.md")).toEqual(before?.passages.map(({ text }) => text));
    expect(await search(store, "mead yeast")).toEqual([]);
    expect((await store.documents()).find(({ path }) => path === "bees/honey.md")?.hash).toBe(
      before?.record.hash,
    );
    expect(await store.stats()).toMatchObject({ documents: 4, passages: 5 });
  });

  it("are completed by the next ingestion, and leave nothing behind", async () => {
    const embedder = termEmbedder();
    const store = await filled({ maxRetries: 0, embedder });
    server.fail({ match: /points\/batch/, drop: true });
    await expect(store.put([longer()])).rejects.toThrow(KnowledgeBaseError);
    await store.put([longer()]);
    expect((await store.stats()).embedding?.pending).toBe(2);
    await store.embedPending?.();
    expect((await store.stats()).embedding?.pending).toBe(0);
    expect(await texts(store, "bees/honey.md")).toEqual([
      "Mead is honey wine.",
      "It wants yeast and patience.",
    ]);
    const stored = [...(server.collections.get("library")?.points.values() ?? [])];
    expect(stored.filter(({ payload }) => payload["type"] === "staged")).toEqual([]);
    expect(stored).toHaveLength(5 + 4 + 1);
  });

  it("count as done if only the answer was lost", async () => {
    const store = await filled();
    server.fail({ match: /points\/batch/, drop: true, afterEffect: true });
    await store.put([longer()]);
    expect(await texts(store, "bees/honey.md")).toEqual([
      "Mead is honey wine.",
      "It wants yeast and patience.",
    ]);
  });

  it("are removed together with their document", async () => {
    const store = await filled({ maxRetries: 0 });
    server.fail({ match: /points\/batch/, status: 500 });
    await expect(store.put([longer()])).rejects.toThrow();
    await store.remove(["bees/honey.md"]);
    expect(
      [...(server.collections.get("library")?.points.values() ?? [])].filter(
        ({ payload }) => payload["path"] === "bees/honey.md",
      ),
    ).toEqual([]);
  });
});

describe("large writes", () => {
  it("are split into requests that the server accepts", async () => {
    const store = await open();
    const long = (name: string) =>
      libraryDocument({
        path: `${name}.md`,
        kind: "markdown",
        title: name,
        texts: Array.from({ length: 40 }, (_, at) => `Passage ${at} ${"x".repeat(300_000)}`),
      });
    await store.put([long("a"), long("b")]);
    expect(server.bodies.filter(({ bytes }) => bytes > 17_000_000)).toEqual([]);
    expect(await texts(store, "b.md")).toHaveLength(40);
    expect(await store.stats()).toMatchObject({ documents: 2, passages: 80 });
  });

  it("read back more documents and passages than one page holds, in reading order", async () => {
    const store = await open();
    const many = libraryDocument({
      path: "many.md",
      kind: "markdown",
      title: "Many",
      texts: Array.from({ length: 600 }, (_, index) => `Passage ${index}.`),
    });
    await store.put([many]);
    expect(await texts(store, "many.md")).toEqual(many.passages.map(({ text }) => text));
    expect(server.requests.filter((route) => route.includes("scroll")).length).toBe(2);
  });
});

describe("a list without an end", () => {
  const page = (count = 500) => Array.from({ length: count }, (_, id) => ({ id, payload: { id } }));
  type Page = (asked: number) => { points: object[]; next_page_offset: unknown };
  const list = (answer: Page) => {
    let asked = 0;
    const call = async () => answer(asked++);
    const connection = { call, timeoutInMs: 20_000 } as unknown as QdrantConnection;
    return readAll(connection, {}, (payload) => payload);
  };
  const onAndOn: Page = (asked) => ({ points: page(), next_page_offset: asked + 1 });

  it.each<[string, Page]>([
    ["that is always new", onAndOn],
    ["that stays the same", () => ({ points: page(), next_page_offset: 500 })],
    ["after an empty page", () => ({ points: [], next_page_offset: 500 })],
    ["after 200,000 points", () => ({ points: page(200_000), next_page_offset: 9 })],
  ])("is left, with one line, at an offset %s", async (_name, answer) => {
    await expect(list(answer)).rejects.toThrow("the list of points does not end");
  });

  it("is left after twelve times the limit of one request", async () => {
    const clock = jest.spyOn(performance, "now").mockReturnValueOnce(0).mockReturnValue(240_001);
    await expect(list(onAndOn)).rejects.toThrow("a list of points took longer than 240 s");
    clock.mockReturnValueOnce(0).mockReturnValue(239_999);
    await expect(list(onAndOn)).rejects.toThrow("does not end");
    clock.mockRestore();
  });
});
