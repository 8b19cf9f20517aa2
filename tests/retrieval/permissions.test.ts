/** What a caller may not see is in no output. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "@jest/globals";
import { MemorySaver } from "@langchain/langgraph";
import { searchForLeaks } from "../../bench/leaks.js";
import { createCorrectiveRag } from "../../src/corrective-rag.js";
import { createReader } from "../../src/reader/create-reader.js";
import { fromRetriever } from "../../src/retrieval/langchain/from-langchain.js";
import { openQdrantKnowledgeBase } from "../../src/retrieval/qdrant/open-qdrant-knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { viewOf } from "../../src/retrieval/view.js";
import { readContext } from "../../src/settings/context.js";
import { withPrincipal } from "../../src/settings/principal.js";
import type { Metadata } from "../../src/state/metadata.js";
import { libraryDocument } from "../support/library-documents.js";
import { startQdrantServer } from "../support/qdrant-server.js";

const METADATA: Readonly<Record<string, Metadata>> = {
  "open.md": {},
  "hr.md": { groups: ["hr"] },
  "anna.md": { users: ["anna"], year: 2025 },
  "nobody.md": { groups: [] },
  "date.md": { groups: ["2025-01-01"] },
};
const documents = Object.entries(METADATA).map(([title, metadata]) => {
  const sketch = {
    path: title,
    title,
    kind: "markdown",
    texts: ["Tea is served at four."],
  } as const;
  const { record, passages } = libraryDocument({ ...sketch, texts: [...sketch.texts] });
  return { record: { ...record, metadata }, passages };
});

describe("permissions", () => {
  it("leave no canary of a hidden document in any output of random runs", async () => {
    const { leaks, seen_by_permitted, outputs } = await searchForLeaks({ runs: 60, seed: 7 });
    expect(leaks).toEqual([]);
    // The same canaries are found in the outputs of those who may see them.
    expect(seen_by_permitted).toBeGreaterThan(outputs / 10);
  });

  it("mean the same in SQLite, in Qdrant and behind a LangChain retriever", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "permissions-"));
    const server = await startQdrantServer();
    const sqlite = await openSqliteKnowledgeBase({ directory });
    const qdrant = await openQdrantKnowledgeBase({
      url: server.url,
      collection: "p",
      mayBeMissing: true,
    });
    const retriever = fromRetriever(
      {
        getName: () => "BM25Retriever",
        invoke: async () =>
          documents.map(({ record, passages }) => ({
            pageContent: passages[0]?.text ?? "",
            metadata: { source: record.path, ...record.metadata },
          })),
      } as unknown as Parameters<typeof fromRetriever>[0],
      { mode: "keyword" },
    );
    try {
      await sqlite.put(documents);
      await qdrant.put(documents);
      for (const store of [sqlite, qdrant, retriever]) {
        const seenBy = async (principal?: { id: string; groups?: string[] }) => {
          const view = await viewOf(store, { principal });
          const hits = await view.search("keyword", { query: "tea", limit: 9 });
          for (const { passage } of hits)
            expect(Object.keys(passage.metadata ?? {})).not.toEqual(
              expect.arrayContaining([expect.stringMatching(/users|groups/)]),
            );
          return hits.map(({ passage }) => passage.path).sort();
        };
        expect(await seenBy()).toEqual(["open.md"]);
        expect(await seenBy({ id: "ben" })).toEqual(["open.md"]);
        expect(await seenBy({ id: "anna" })).toEqual(["anna.md", "open.md"]);
        expect(await seenBy({ id: "ben", groups: ["hr", "it"] })).toEqual(["hr.md", "open.md"]);
        // A user is no group, and a name that looks like a date is compared letter by letter.
        expect(await seenBy({ id: "hr", groups: ["anna"] })).toEqual(["open.md"]);
        expect(await seenBy({ id: "x", groups: ["2025-01-01T00:00:00Z"] })).toEqual(["open.md"]);
        expect(await seenBy({ id: "x", groups: ["2025-01-01"] })).toEqual(["date.md", "open.md"]);
      }
    } finally {
      await sqlite.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    }
  });

  it("refuse filters by keys that no visible document has, in the same words whether one is hidden", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "permissions-"));
    const store = await openSqliteKnowledgeBase({ directory });
    try {
      await store.put(documents);
      const refusal = (key: string) =>
        viewOf(store, { filter: { type: "exists", key } }).then(
          () => "",
          (error: unknown) => String(error).replace(key, "KEY"),
        );
      expect(await refusal("year")).toMatch(/no document has the key "KEY"/);
      expect(await refusal("year")).toBe(await refusal("nowhere"));
      expect(await refusal("groups")).toBe(await refusal("nowhere"));
      const anna = { principal: { id: "anna" } };
      const view = await viewOf(store, { ...anna, filter: { type: "exists", key: "year" } });
      expect((await view.documents()).map((each) => each.path)).toEqual(["anna.md"]);
    } finally {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    }
  });

  it("keep a thread to its caller", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "permissions-"));
    const store = await openSqliteKnowledgeBase({ directory });
    await store.put(documents);
    const agent = createCorrectiveRag({
      model: "embedded",
      knowledgeBase: store,
      reader: createReader({ model: "lexical" }),
      checkpointer: new MemorySaver(),
      settings: { auditLog: "off" },
    });
    try {
      const ask = (id: string | undefined) =>
        agent.ask("When is tea served?", {
          threadId: "t",
          context: id === undefined ? {} : { principal: { id } },
        });
      expect((await ask("anna")).outcome.status).not.toBe("failed");
      for (const other of ["ben", undefined]) {
        const { outcome, answer } = await ask(other);
        expect(outcome.status).toBe("failed");
        expect(answer).toContain("belongs to another caller");
      }
      expect((await ask("anna")).outcome.status).not.toBe("failed");
    } finally {
      await agent.close();
      await store.close();
      await rm(directory, { recursive: true, force: true });
    }
  });

  it("take an authenticated identity, whatever a client claims and wherever", () => {
    const claim = { principal: { id: "boss" } };
    const body = { top_k: 3, ...claim };
    const user = { id: "anna", groups: ["hr"] };
    const merged = withPrincipal(body, user);
    expect(readContext({ context: merged }).context.principal).toEqual(user);
    expect(readContext({ context: withPrincipal(body, undefined) }).context).toEqual({ top_k: 3 });
    // LangGraph's server tells whom it authenticated.
    const langgraph_auth_user = { identity: "anna", groups: ["hr"] };
    expect(
      readContext({ context: body, configurable: { langgraph_auth_user } }).context.principal,
    ).toEqual(user);
    // A host's own `principal` is not ours.
    expect(readContext({ configurable: claim }).context.principal).toBeUndefined();
  });

  it("refuse a filter or an identity that is malformed, instead of seeing more", () => {
    expect(() => readContext({ context: { principal: { id: "" } } })).toThrow();
    expect(() => readContext({ context: { filter: "department =" } })).toThrow(/needs a value/);
  });
});
