/** Filters mean the same in SQLite, in Qdrant and in memory, and a malformed one is one clear line. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { WritableKnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openQdrantKnowledgeBase } from "../../src/retrieval/qdrant/open-qdrant-knowledge-base.js";
import { filterMatcher } from "../../src/retrieval/search-filter.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { viewOf } from "../../src/retrieval/view.js";
import { readFilter, type Filter, type Scalar } from "../../src/settings/filter.js";
import type { Metadata } from "../../src/state/metadata.js";
import { libraryDocument, type LibraryDocument } from "../support/library-documents.js";
import { startQdrantServer, type QdrantTestServer } from "../support/qdrant-server.js";

const METADATA: readonly (Metadata | undefined)[] = [
  undefined,
  { department: "hr", year: 2024, tags: ["pay", "2025"], reviewed: "2024-05-01" },
  { department: "hr", year: 2025.5, tags: [], public: true },
  { department: "it", year: "2025", reviewed: "2024-05-01T10:00:00Z", tags: ["pay"] },
  { department: ["it", "hr"], date: "2020-02-02", public: false },
  { year: -1, tags: ["Ärger"], reviewed: "soon" },
];

function library(): LibraryDocument[] {
  return METADATA.map((metadata, at) => {
    const document = libraryDocument({
      path: `${at % 2 === 0 ? "even" : "odd/deep"}/d${at}.${at % 3 === 0 ? "md" : "txt"}`,
      kind: at % 3 === 0 ? "markdown" : "text",
      title: `D${at}`,
      ...(at > 1 && { modifiedAt: `2024-0${at}-01T12:00:00.000Z` }),
      texts: ["Tea here.", "More tea."],
    });
    const [first, second] = document.passages;
    return {
      record: { ...document.record, ...(metadata && { metadata }) },
      // The second passage has values of its own, as a row of a table does.
      passages: [first, second].flatMap((passage, part) =>
        passage === undefined
          ? []
          : [{ ...passage, metadata: { ...metadata, ...(part === 1 && { row: at }) } }],
      ),
    };
  });
}

/** The meaning of a filter in the plainest words, written apart from the code under test. */
function passes(
  filter: Filter,
  passage: { path: string; kind: string; modifiedAt?: string; metadata?: Metadata },
): boolean {
  const valuesOf = (key: string): Scalar[] | undefined => {
    const { kind, modifiedAt, metadata = {} } = passage;
    if (key === "path") return [passage.path];
    if (key === "kind") return [kind];
    const own = metadata[key];
    if (key === "date" && own === undefined)
      return modifiedAt === undefined ? undefined : [modifiedAt];
    return own === undefined ? undefined : [own].flat();
  };
  const day = (text: Scalar) => /^\d{4}-\d\d-\d\d$/.test(String(text));
  const isDate = (text: Scalar) => day(text) || /^\d{4}-\d\d-\d\dT/.test(String(text));
  const at = (text: Scalar) => Date.parse(String(text));
  const after = (text: Scalar) => at(text) + (day(text) ? 86_399_999 : 0);
  const same = (a: Scalar, b: Scalar): boolean => {
    if (typeof b === "number") return typeof a !== "boolean" && a !== "" && Number(a) === b;
    if (isDate(b)) return isDate(a) && at(a) >= at(b) && at(a) <= after(b);
    return String(a) === String(b);
  };
  const ordered = (test: (a: number, low: number, high: number) => boolean): boolean => {
    if (!("value" in filter)) return false;
    const { key, value } = filter;
    const b: Scalar = Array.isArray(value) ? "" : (value as Scalar);
    return (valuesOf(key) ?? []).some((a) => {
      if (typeof b === "number") return typeof a !== "boolean" && a !== "" && test(Number(a), b, b);
      return isDate(a) && test(at(a), at(b), after(b));
    });
  };
  const onPath = (pattern: string): boolean =>
    passage.path === pattern ||
    passage.path.startsWith(pattern.endsWith("/") ? pattern : `${pattern}/`) ||
    (pattern === "**/*.md" && passage.path.endsWith(".md"));
  const one = (key: string, value: Scalar): boolean =>
    key === "path"
      ? onPath(String(value))
      : (valuesOf(key) ?? []).some((each) => same(each, value));
  switch (filter.type) {
    case "eq":
      return one(filter.key, filter.value);
    case "ne":
      return !one(filter.key, filter.value);
    case "in":
      return filter.value.some((value) => one(filter.key, value));
    case "nin":
      return !filter.value.some((value) => one(filter.key, value));
    case "gt":
      return ordered((a, _, high) => a > high);
    case "gte":
      return ordered((a, low) => a >= low);
    case "lt":
      return ordered((a, low) => a < low);
    case "lte":
      return ordered((a, _, high) => a <= high);
    case "exists":
      return valuesOf(filter.key) !== undefined;
    case "and":
      return filter.filters.every((each) => passes(each, passage));
    case "or":
      return filter.filters.some((each) => passes(each, passage));
    case "not":
      return !passes(filter.filter, passage);
    case "names":
      throw new Error("not part of the language");
  }
}

const PATHS = ["even", "odd/", "odd/deep/d1.txt", "nowhere", "**/*.md", "even/d0.md"];
const DATES = ["2024-05-01", "2024-05-01T10:00:00Z", "2020-02-02", "2024-03-01T12:00:00.000Z"];
const OWN = ["department", "year", "tags", "reviewed", "public", "row", "unknown"];
const VALUES: Scalar[] = ["hr", "it", "pay", "2025", "Ärger", "true", "", true, false, 2024, 2025];
const own = fc.constantFrom(...OWN);
const value = fc.constantFrom<Scalar>(...VALUES, ...DATES, -1, 3);
const order = fc.constantFrom("gt", "gte", "lt", "lte");
const condition: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ type: fc.constantFrom("eq", "ne"), key: own, value }),
  fc.record({
    type: fc.constantFrom("in", "nin"),
    key: own,
    value: fc.array(value, { maxLength: 3 }),
  }),
  fc.record({ type: order, key: own, value: fc.constantFrom(...DATES, 0, 2024, 2025, 2025.5) }),
  fc.record({ type: order, key: fc.constant("date"), value: fc.constantFrom(...DATES) }),
  fc.record({
    type: fc.constant("eq"),
    key: fc.constant("date"),
    value: fc.constantFrom(...DATES),
  }),
  fc.record({
    type: fc.constantFrom("in", "nin"),
    key: fc.constant("path"),
    value: fc.subarray(PATHS),
  }),
  fc.record({
    type: fc.constantFrom("eq", "ne"),
    key: fc.constant("kind"),
    value: fc.constantFrom("markdown", "text", "pdf"),
  }),
  fc.record({ type: fc.constant("exists"), key: fc.constantFrom(...OWN, "path", "kind", "date") }),
);
const { filter: anyFilter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    condition,
    fc.record({ type: fc.constant("not" as const), filter: tie("filter") }),
    fc.record({
      type: fc.constantFrom("and" as const, "or" as const),
      filters: fc.array(tie("filter"), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));

describe("a filter", () => {
  let directory: string;
  let server: QdrantTestServer;
  let stores: WritableKnowledgeBase[];
  const documents = library();
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "filters-"));
    server = await startQdrantServer();
    stores = [
      await openSqliteKnowledgeBase({ directory }),
      await openQdrantKnowledgeBase({ url: server.url, collection: "f", mayBeMissing: true }),
    ];
    for (const store of stores) await store.put(documents);
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });

  it("finds in SQLite, in Qdrant and in memory what a plain evaluator finds", async () => {
    const passages = documents.flatMap((document) => document.passages);
    await fc.assert(
      fc.asyncProperty(anyFilter, async (filter) => {
        const expected = passages.filter((each) => passes(filter, each)).map(({ id }) => id);
        const inMemory = passages.filter(filterMatcher(filter)).map(({ id }) => id);
        expect(inMemory).toEqual(expected);
        const records = documents.filter(({ record }) => passes(filter, record));
        for (const store of stores) {
          const hits = await store.search("keyword", { query: "tea", limit: 50, filter });
          expect(hits.map(({ passage }) => passage.id).sort()).toEqual([...expected].sort());
          expect((await store.documents(filter)).map((each) => each.path).sort()).toEqual(
            records.map(({ record }) => record.path).sort(),
          );
          expect(await store.stats(filter)).toMatchObject({
            documents: records.length,
            passages: expected.length,
          });
        }
      }),
      { numRuns: 100 },
    );
    expect(server.violations).toEqual([]);
    expect([...server.unindexed]).toEqual([]);
  });

  it("means the same as an object, as JSON and in words", () => {
    const asObject: Filter = {
      type: "or",
      filters: [
        {
          type: "and",
          filters: [
            { type: "eq", key: "department", value: 'h"r' },
            { type: "gt", key: "year", value: 2024 },
          ],
        },
        { type: "not", filter: { type: "in", key: "status", value: ["draft", "old one"] } },
      ],
    };
    const inWords = `department = "h\\"r" and year > 2024 or not status in [draft, 'old one']`;
    expect(readFilter(inWords)).toEqual(asObject);
    expect(readFilter(JSON.stringify(asObject))).toEqual(asObject);
    expect(readFilter(asObject)).toEqual(asObject);
  });

  it.each<[string, Filter]>([
    ["path = docs/**", { type: "eq", key: "path", value: "docs/**" }],
    ["date>=2025-01-01", { type: "gte", key: "date", value: "2025-01-01" }],
    ['"my key" != 3', { type: "ne", key: "my key", value: 3 }],
    ["year = '3'", { type: "eq", key: "year", value: "3" }],
    ["a exists", { type: "exists", key: "a" }],
    ["a NOT IN (1, 2)", { type: "nin", key: "a", value: [1, 2] }],
    ["not a = true", { type: "not", filter: { type: "eq", key: "a", value: true } }],
    ["zip = 00501", { type: "eq", key: "zip", value: "00501" }],
    ["id = 90071992547409931", { type: "eq", key: "id", value: "90071992547409931" }],
  ])("is read from the words %s", (text, filter) => {
    expect(readFilter(text)).toEqual(filter);
  });

  it.each<[unknown, RegExp]>([
    ["", /at its end it needs a key/],
    ["department", /at its end it needs =, !=/],
    ["department = ", /at its end it needs a value/],
    ['department = "hr', /needs a closing "/],
    ["a = 1 b = 2", /at "b = 2" it needs and, or or the end/],
    ["(a = 1", /at its end it needs \)/],
    ["a in 1", /it needs a list/],
    ["a ! 1", /at "! 1"/],
    ["year > many", /only numbers and dates have an order/],
    ["date > 2024", /date is compared with a date like 2024-05-01/],
    ["date = yesterday", /date is compared with a date/],
    ["{", /its JSON is malformed/],
    ['{"type":"eq","key":"a"}', /value/],
    [{ type: "like", key: "a", value: "b" }, /type/],
    [{ type: "and", filters: [] }, /holds no condition/],
    ["(".repeat(5_000), /nested too deeply/],
    [`${"not ".repeat(5_000)}a = 1 or`, /needs a key/],
    ["a = 1 or ".repeat(200) + "a = 1", /more than 100 conditions/],
  ])("that is malformed is one clear line: %j", (given, message) => {
    expect(() => readFilter(given)).toThrow(message);
    try {
      readFilter(given);
    } catch (error) {
      expect(String(error)).not.toContain("\n");
    }
  });

  it("nested without end in JSON is refused, not a full stack", () => {
    let deep: unknown = { type: "exists", key: "a" };
    for (let level = 0; level < 20_000; level++) deep = { type: "not", filter: deep };
    expect(() => readFilter(deep)).toThrow(/nested too deeply/);
  });
});

describe("a view with a filter", () => {
  it("counts documents with its keys once, again when they changed, and for others who ask", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "views-"));
    const store = await openSqliteKnowledgeBase({ directory });
    const put = async (file: string, metadata: Metadata): Promise<void> => {
      const sketch = { path: file, kind: "markdown", title: file, texts: ["Bees."] } as const;
      const { record, passages } = libraryDocument({ ...sketch, texts: [...sketch.texts] });
      const described = passages.map((passage) => ({ ...passage, metadata }));
      await store.put([{ record: { ...record, metadata }, passages: described }]);
    };
    try {
      await put("a.md", { year: 2025, groups: ["hr"] });
      await put("b.md", { color: "red" });
      let counts = 0;
      const base = { ...store, stats: (filter?: Filter) => ((counts += 1), store.stats(filter)) };
      const countsOf = async (filter: string, groups?: string[]): Promise<number> => {
        counts = 0;
        const principal = groups && { id: "anna", groups };
        await viewOf(base, { filter: readFilter(filter), principal });
        return counts;
      };
      expect(await countsOf("path = x or kind = pdf and date > 2020-01-01")).toBe(0);
      expect(await countsOf("year = 2025", ["hr"])).toBeGreaterThan(0);
      expect(await countsOf("not year = 2024 and path = x", ["hr"])).toBe(0);
      await expect(countsOf("year = 2025")).rejects.toThrow('no document has the key "year"');
      await put("c.md", {});
      expect(await countsOf("year = 2025", ["hr"])).toBeGreaterThan(0);
    } finally {
      await store.close();
      await rm(directory, { recursive: true });
    }
  });
});
