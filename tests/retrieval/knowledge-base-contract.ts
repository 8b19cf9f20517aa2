/** What every knowledge base promises, asked of each implementation with the same questions about the same documents. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  KnowledgeBaseError,
  type Hit,
  type KnowledgeBase,
  type SearchMode,
  type WritableKnowledgeBase,
} from "../../src/retrieval/knowledge-base.js";
import { DOCUMENT_KINDS } from "../../src/formats/document-formats.js";
import { readFilter } from "../../src/settings/filter.js";
import {
  libraryDocument,
  libraryDocuments,
  type LibraryDocument,
} from "../support/library-documents.js";

export interface Opened<Base> {
  knowledgeBase: Base;
  close: () => Promise<void>;
}

const SCALES: Record<SearchMode, readonly string[]> = {
  keyword: ["bm25", "fusion"],
  vector: ["cosine", "fusion"],
  hybrid: ["fusion"],
};

const paths = (hits: readonly Hit[]) => hits.map(({ passage }) => passage.path);

/** The part that read-only stores keep as well. `open` gives a store that holds the library. */
export function describeReading(
  name: string,
  modes: readonly SearchMode[],
  open: (documents: LibraryDocument[]) => Promise<Opened<KnowledgeBase>>,
): void {
  describe(`${name}, searched`, () => {
    let opened: Opened<KnowledgeBase>;
    beforeAll(async () => {
      opened = await open(libraryDocuments());
    });
    afterAll(() => opened.close());

    it("serves exactly the modes it says, and rejects others", async () => {
      expect([...opened.knowledgeBase.modes].sort()).toEqual([...modes].sort());
      const others = (["keyword", "vector", "hybrid"] as const).filter(
        (mode) => !modes.includes(mode),
      );
      for (const mode of others)
        await expect(
          opened.knowledgeBase.search(mode, { query: "honey", limit: 3 }),
        ).rejects.toThrow(KnowledgeBaseError);
    });

    for (const mode of modes) {
      describe(`by ${mode}`, () => {
        it("finds the passage that answers, best first, with its place", async () => {
          const hits = await opened.knowledgeBase.search(mode, {
            query: "How is float glass made with molten tin?",
            limit: 3,
          });
          expect(hits[0]?.passage).toMatchObject({
            path: "glass/float.txt",
            title: "Float glass",
            kind: "text",
            startLine: 1,
            endLine: 9,
          });
          expect(hits[0]?.passage.text).toContain("liquid tin");
          expect(hits[0]?.passage.id).not.toBe("");
        });

        it("gives every hit a score with its scale, and orders by the first", async () => {
          const hits = await opened.knowledgeBase.search(mode, {
            query: "honey bees in winter",
            limit: 5,
          });
          const firsts = hits.map(({ scores }) => scores[0]);
          expect(firsts.length).toBeGreaterThan(1);
          expect(new Set(firsts.map((score) => score?.scale)).size).toBe(1);
          expect(SCALES[mode]).toContain(firsts[0]?.scale);
          const values = firsts.map((score) => score?.value ?? 0);
          expect(values).toEqual([...values].sort((a, b) => b - a));
          for (const { scores } of hits) for (const score of scores) expect(score.by).not.toBe("");
        });

        it("respects the limit and returns each passage once", async () => {
          const hits = await opened.knowledgeBase.search(mode, { query: "honey bees", limit: 2 });
          expect(hits).toHaveLength(2);
          expect(new Set(hits.map(({ passage }) => passage.id)).size).toBe(2);
        });

        it("gives a passage the same id each time", async () => {
          const ids = async () =>
            (await opened.knowledgeBase.search(mode, { query: "honey bees", limit: 3 })).map(
              ({ passage }) => passage.id,
            );
          expect(await ids()).toEqual(await ids());
        });

        it("finds nothing for an empty query", async () => {
          expect(await opened.knowledgeBase.search(mode, { query: "  ", limit: 3 })).toEqual([]);
        });

        it("filters by path, folder and glob", async () => {
          const search = (path: string) =>
            opened.knowledgeBase.search(mode, {
              query: "honey bees glass tides",
              limit: 10,
              filter: { type: "eq", key: "path", value: path },
            });
          expect(new Set(paths(await search("bees/honey.md")))).toEqual(new Set(["bees/honey.md"]));
          for (const folder of ["bees/", "bees"])
            expect(new Set(paths(await search(folder)))).toEqual(
              new Set(["bees/honey.md", "bees/winter/cluster.md"]),
            );
          expect(await search("bee")).toEqual([]);
          expect(new Set(paths(await search("bees/*.md")))).toEqual(new Set(["bees/honey.md"]));
          expect(new Set(paths(await search("**/*.md")))).toEqual(
            new Set(["bees/honey.md", "bees/winter/cluster.md"]),
          );
          expect(await search("nowhere/*.md")).toEqual([]);
        });

        it("filters by kind and by date, both ends included, and leaves undated documents out of a range", async () => {
          const search = (filter: string) =>
            opened.knowledgeBase.search(mode, {
              query: "honey bees glass tides",
              limit: 10,
              filter: readFilter(filter),
            });
          expect(new Set(paths(await search("kind = html")))).toEqual(new Set(["tides.html"]));
          expect(new Set(paths(await search("date >= 2024-03-01")))).toEqual(
            new Set(["bees/honey.md", "bees/winter/cluster.md"]),
          );
          expect(new Set(paths(await search("date <= 2024-03-01")))).toEqual(
            new Set(["bees/honey.md", "tides.html"]),
          );
          expect(
            new Set(paths(await search("kind = markdown and path = bees/ and date = 2024-06-15"))),
          ).toEqual(new Set(["bees/winter/cluster.md"]));
        });

        it("stops when the run is cancelled", async () => {
          await expect(
            opened.knowledgeBase.search(mode, {
              query: "honey",
              limit: 3,
              signal: AbortSignal.abort(new Error("cancelled")),
            }),
          ).rejects.toThrow("cancelled");
        });
      });
    }

    if (modes.includes("vector")) {
      it("searches hypothetical documents instead of the query and merges hits by best score", async () => {
        const hypotheticals = [
          "Molten glass is poured on a bath of liquid tin.",
          "Neap tides happen when sun and moon pull at right angles.",
        ];
        const hits = await opened.knowledgeBase.search("vector", {
          query: "honey",
          limit: 2,
          hypotheticals,
        });
        expect(new Set(paths(hits))).toEqual(new Set(["glass/float.txt", "tides.html"]));
      });
    }

    if (modes.includes("hybrid") && modes.includes("vector")) {
      it("reports the score of each leg of a hybrid search, with the cosine that the fast path needs", async () => {
        const query = "How is float glass made with molten tin?";
        const [hybrid] = await opened.knowledgeBase.search("hybrid", { query, limit: 1 });
        const [vector] = await opened.knowledgeBase.search("vector", { query, limit: 1 });
        const [keyword] = await opened.knowledgeBase.search("keyword", { query, limit: 1 });
        const value = (hit: Hit | undefined, scale: string) =>
          hit?.scores.find((score) => score.scale === scale)?.value;
        expect(value(hybrid, "cosine")).toBeCloseTo(value(vector, "cosine") ?? -1, 5);
        expect(value(hybrid, "bm25")).toBeCloseTo(value(keyword, "bm25") ?? -1, 5);
        // The best by words has all of their share.
        const cosine = value(hybrid, "cosine") ?? 0;
        expect(value(hybrid, "fusion")).toBeCloseTo(0.25 + 0.75 * cosine, 5);
        expect(hybrid?.vector?.length).toBeGreaterThan(0);
      });

      it("uses hypothetical documents only for the vector leg of a hybrid search", async () => {
        const hits = await opened.knowledgeBase.search("hybrid", {
          query: "colony summer",
          limit: 2,
          hypotheticals: ["Float glass is made on liquid tin."],
        });
        expect(paths(hits)).toEqual(expect.arrayContaining(["bees/honey.md", "glass/float.txt"]));
      });
    }

    it("has a name, and a version that stays while nothing changes", async () => {
      expect(await opened.knowledgeBase.version()).toBe(await opened.knowledgeBase.version());
      expect(opened.knowledgeBase.name).not.toBe("");
    });
  });
}

/** The part that only stores keep that can be filled. `open` gives an empty store. */
export function describeWriting(
  name: string,
  open: () => Promise<Opened<WritableKnowledgeBase>>,
): void {
  describe(`${name}, filled`, () => {
    const withStore = async (use: (knowledgeBase: WritableKnowledgeBase) => Promise<void>) => {
      const { knowledgeBase, close } = await open();
      try {
        await use(knowledgeBase);
      } finally {
        await close();
      }
    };
    const byPath = (documents: readonly { path: string }[]) =>
      documents.map(({ path }) => path).sort();

    it("returns its documents as given, and their passages in reading order", () =>
      withStore(async (store) => {
        const documents = libraryDocuments();
        await store.put(documents);
        expect(byPath(await store.documents())).toEqual(
          byPath(documents.map(({ record }) => record)),
        );
        const [honey] = documents;
        expect((await store.documents()).find(({ path }) => path === "bees/honey.md")).toEqual(
          JSON.parse(JSON.stringify(honey?.record)),
        );
        expect((await store.passagesOf("bees/honey.md")).map(({ text }) => text)).toEqual(
          honey?.passages.map(({ text }) => text),
        );
        expect(await store.passagesOf("unknown.md")).toEqual([]);
        expect(await store.stats()).toMatchObject({ documents: 4, passages: 5 });
      }));

    it("returns documents of every kind", () =>
      withStore(async (store) => {
        await store.put(
          DOCUMENT_KINDS.map((kind) =>
            libraryDocument({ path: `a.${kind}`, kind, title: kind, texts: ["Text."] }),
          ),
        );
        expect((await store.documents()).map(({ kind }) => kind).sort()).toEqual(
          [...DOCUMENT_KINDS].sort(),
        );
        for (const kind of DOCUMENT_KINDS)
          expect(await store.passagesOf(`a.${kind}`)).toMatchObject([{ kind, text: "Text." }]);
      }));

    it("replaces what was stored under a path, and drops passages that are gone", () =>
      withStore(async (store) => {
        await store.put(libraryDocuments());
        const shorter = libraryDocument({
          path: "bees/honey.md",
          kind: "markdown",
          title: "Honey",
          texts: ["Only mead is written about here now."],
        });
        await store.put([shorter]);
        expect((await store.passagesOf("bees/honey.md")).map(({ text }) => text)).toEqual([
          "Only mead is written about here now.",
        ]);
        expect(
          paths(
            await store.search("keyword", {
              query: "thirty kilograms colony",
              limit: 5,
            }),
          ),
        ).not.toContain("bees/honey.md");
        expect(paths(await store.search("keyword", { query: "mead", limit: 5 }))).toEqual([
          "bees/honey.md",
        ]);
        expect(await store.stats()).toMatchObject({ documents: 4, passages: 4 });
      }));

    it("ends up the same when the same documents are stored twice", () =>
      withStore(async (store) => {
        await store.put(libraryDocuments());
        const found = async () =>
          (await store.search("keyword", { query: "honey bees", limit: 5 })).map(
            ({ passage }) => passage,
          );
        const before = await found();
        await store.put(libraryDocuments());
        expect(await found()).toEqual(before);
        expect(await store.stats()).toMatchObject({ documents: 4, passages: 5 });
      }));

    it("follows a change of title, order and date", () =>
      withStore(async (store) => {
        const sketch = {
          path: "a.md",
          kind: "markdown" as const,
          title: "Old",
          modifiedAt: "2024-01-01T00:00:00.000Z",
          texts: ["First lines of tea.", "Second lines of tea."],
        };
        await store.put([libraryDocument(sketch)]);
        await store.put([
          libraryDocument({
            ...sketch,
            modifiedAt: "2025-01-01T00:00:00.000Z",
            texts: [...sketch.texts].reverse(),
          }),
        ]);
        expect(
          (await store.passagesOf("a.md")).map(({ text, modifiedAt }) => [text, modifiedAt]),
        ).toEqual([
          ["Second lines of tea.", "2025-01-01T00:00:00.000Z"],
          ["First lines of tea.", "2025-01-01T00:00:00.000Z"],
        ]);
        expect(
          await store.search("keyword", {
            query: "tea",
            limit: 5,
            filter: readFilter("date <= 2024-12-31"),
          }),
        ).toEqual([]);
      }));

    it("filters by names however their accents are written", () =>
      withStore(async (store) => {
        const path = "bu\u0308cher/u\u0308ber.md";
        await store.put([libraryDocument({ path, kind: "markdown", title: "A", texts: ["Tea."] })]);
        for (const named of ["b\u00fccher", "b\u00fccher/\u00fcber.md", "b\u00fccher/*.md", path])
          expect(
            await store.search("keyword", {
              query: "tea",
              limit: 5,
              filter: { type: "eq", key: "path", value: named },
            }),
          ).toHaveLength(1);
      }));

    it("removes documents with their passages, and ignores unknown paths", () =>
      withStore(async (store) => {
        await store.put(libraryDocuments());
        await store.remove(["bees/honey.md", "unknown.md"]);
        expect(byPath(await store.documents())).toEqual([
          "bees/winter/cluster.md",
          "glass/float.txt",
          "tides.html",
        ]);
        expect(
          paths(
            await store.search("keyword", {
              query: "honey nectar kilograms",
              limit: 5,
            }),
          ),
        ).toEqual(["bees/winter/cluster.md"]);
      }));

    it("changes its version whenever its content changes", () =>
      withStore(async (store) => {
        const versions = [await store.version()];
        await store.put(libraryDocuments());
        versions.push(await store.version());
        await store.remove(["tides.html"]);
        versions.push(await store.version());
        expect(new Set(versions).size).toBe(3);
      }));

    it("stores a document without passages", () =>
      withStore(async (store) => {
        await store.put([
          libraryDocument({ path: "empty.md", kind: "markdown", title: "Empty", texts: [] }),
        ]);
        expect(byPath(await store.documents())).toEqual(["empty.md"]);
        expect(await store.passagesOf("empty.md")).toEqual([]);
      }));
  });
}
