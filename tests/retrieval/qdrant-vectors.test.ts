import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { termsToIndex } from "../../src/retrieval/indexed-text.js";
import type { WritableKnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import {
  AVERAGE_TERMS,
  passageVector,
  pointId,
  queryVector,
  termId,
} from "../../src/retrieval/qdrant/points.js";
import { openQdrantKnowledgeBase } from "../../src/retrieval/qdrant/open-qdrant-knowledge-base.js";
import { pack } from "../../src/retrieval/qdrant/write.js";
import { searchTerms } from "../../src/text/analyse.js";
import { libraryDocuments } from "../support/library-documents.js";
import { loadQdrantApi } from "../support/qdrant-openapi.js";
import { startQdrantServer, type QdrantTestServer } from "../support/qdrant-server.js";

describe("BM25 by sparse vectors", () => {
  let server: QdrantTestServer;
  let store: WritableKnowledgeBase;
  beforeAll(async () => {
    server = await startQdrantServer();
    store = await openQdrantKnowledgeBase({ url: server.url, collection: "library" });
    await store.put(libraryDocuments());
  });
  afterAll(() => server.close());

  it.each([
    "honey bees in winter",
    "spring tides moon",
    "honey honey honey",
    "molten glass sheet",
    "unknown words",
  ])("gives the scores of the formula for: %s", async (query) => {
    const hits = await store.search("keyword", { query, limit: 10 });
    const expected = textbookScores(query);
    expect(hits).toHaveLength([...expected.values()].filter((score) => score > 0).length);
    for (const { passage, scores } of hits)
      expect(scores[0]?.value).toBeCloseTo(expected.get(passage.text) ?? -1, 8);
  });

  /** BM25 written down as in the books, over the same terms, with the average length that the vectors assume. */
  function textbookScores(query: string): Map<string, number> {
    const passages = libraryDocuments().flatMap(({ passages }) =>
      passages.map((passage) => ({
        text: passage.text,
        terms: Object.values(termsToIndex(passage)).flat(),
      })),
    );
    const idf = (term: string) => {
      const n = passages.filter(({ terms }) => terms.includes(term)).length;
      return Math.log(1 + (passages.length - n + 0.5) / (n + 0.5));
    };
    return new Map(
      passages.map(({ text, terms }) => {
        const asked = searchTerms(query);
        const score = [...new Set(asked)].reduce((sum, term) => {
          // A word that is repeated counts again, three times at most.
          const weight = Math.min(3, asked.filter((candidate) => candidate === term).length);
          const tf = terms.filter((candidate) => candidate === term).length;
          return (
            sum +
            (weight * idf(term) * tf * 2.2) /
              (tf + 1.2 * (0.25 + (0.75 * terms.length) / AVERAGE_TERMS))
          );
        }, 0);
        return [text, score];
      }),
    );
  }

  it("makes vectors with ascending, unique indices of 32 bits and positive values, whatever the terms", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 60 }), (terms) => {
        for (const { indices, values } of [passageVector(terms), queryVector(terms)]) {
          expect(indices).toEqual([...new Set(indices)].sort((a, b) => a - b));
          expect(
            indices.every((index) => Number.isInteger(index) && index >= 0 && index < 2 ** 32),
          ).toBe(true);
          expect(values.every((value) => value > 0 && Number.isFinite(value))).toBe(true);
          expect(values).toHaveLength(indices.length);
        }
      }),
    );
  });

  it("spreads terms over the whole range, so that few share an index", () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => termId(`term${index}`));
    // 20,000 terms in 2^32 places share about 0.05 of them.
    expect(new Set(ids).size).toBeGreaterThanOrEqual(ids.length - 2);
    expect(ids.filter((id) => id < 2 ** 31).length / ids.length).toBeCloseTo(0.5, 1);
  });
});

describe("point ids", () => {
  it("are version 5 UUIDs, the same for the same content and different for any other", () => {
    expect(pointId("passage", "a.md", "text")).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(pointId("passage", "a.md", "text")).toBe(pointId("passage", "a.md", "text"));
    // Parts are kept apart: moving a boundary makes another id.
    expect(pointId("passage", "a.md", "text")).not.toBe(pointId("passage", "a.mdt", "ext"));
  });
});

describe("packing of requests", () => {
  it("keeps all items in order, within the limits unless one item is larger", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 150 }), { maxLength: 600 }),
        fc.integer({ min: 10, max: 20_000 }),
        (items, maxBytes) => {
          const requests = pack(items, maxBytes);
          expect(requests.flat()).toEqual(items);
          for (const request of requests) {
            const sizes = request.map((item) => Buffer.byteLength(JSON.stringify(item)));
            const bytes = sizes.reduce((sum, size) => sum + size, 0);
            expect(request.length === 1 || bytes <= maxBytes).toBe(true);
          }
        },
      ),
    );
  });
});

describe("the check against Qdrant's API description", () => {
  const api = loadQdrantApi();
  const problems = (route: string, body: unknown) => {
    const [method = "", pathname = ""] = route.split(" ");
    return api(method, pathname)?.requestProblems(body);
  };

  it.each([
    ["PUT /collections/c/points", { points: [{ id: "x", payload: {} }] }],
    ["PUT /collections/c/points", { points: [{ id: "x", vector: { bm25: { indices: [1] } } }] }],
    ["PUT /collections/c", { vectors: { dense: { size: 4, distance: "cosine" } } }],
    ["PUT /collections/c", { vectors: { dense: { size: 4.5, distance: "Cosine" } } }],
    ["PUT /collections/c", { sparse_vectors: { bm25: { modifier: "IDF" } } }],
    ["POST /collections/c/points/query/batch", { searches: [{ query: { rrf: { k: "60" } } }] }],
    ["POST /collections/c/points/query/batch", { searches: [{ filters: {} }] }],
    [
      "POST /collections/c/points/query/batch",
      { searches: [{ filter: { must: [{ key: "a", match: { values: 1 } }] } }] },
    ],
    ["POST /collections/c/points/batch", { operations: [{ remove: {} }] }],
    ["PUT /collections/c/index", { field_name: "a", field_schema: "string" }],
  ])("notices what is wrong with %s %j", (route, body) => {
    expect(problems(route, body)).not.toEqual([]);
  });

  it("finds operations by their path, and no others", () => {
    expect(api("POST", "/collections/c/points/query/batch")?.template).toBe(
      "/collections/{collection_name}/points/query/batch",
    );
    expect(api("POST", "/collections/c/points/find")).toBeUndefined();
    expect(
      problems("PUT /collections/c", {
        vectors: { dense: { size: 4, distance: "Cosine" } },
        sparse_vectors: { bm25: { modifier: "idf" } },
      }),
    ).toEqual([]);
    expect(
      api("GET", "/collections/c")?.responseProblems({ result: { status: "blue" } }),
    ).not.toEqual([]);
  });
});
