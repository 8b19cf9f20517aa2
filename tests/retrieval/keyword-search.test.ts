/** Searches that would cost too much: what is asked of the engine instead, and what is found. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openDatabase, type Database } from "../../src/retrieval/sqlite/database.js";
import { anyOf } from "../../src/retrieval/sqlite/fts-query.js";
import type { KeywordSearch } from "../../src/retrieval/sqlite/keyword-candidates.js";
import { keywordIndexReader, type KeywordIndex } from "../../src/retrieval/sqlite/keyword-index.js";
import { expandedRows, plainRows } from "../../src/retrieval/sqlite/keyword-search.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { metaOf } from "../../src/retrieval/sqlite/schema.js";

let directory: string;
let database: Database;
let index: KeywordIndex;
/** Terms whose occurrences were read, and expressions that were put to the full-text index. */
let asked: unknown[] = [];

/** 200 passages: `pump` in all, `water` in every second, `tank` in every third, `glycol` in twelve, `halden` in two, `lindqvist` in one. */
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "keyword-search-"));
  const knowledgeBase = await openSqliteKnowledgeBase({ directory });
  await knowledgeBase.put(
    Array.from({ length: 200 }, (_, n) => {
      const name = `${n}.md`;
      const glycol = n < 2 || n >= 190 ? "glycol" : "";
      const words = [
        "pump",
        n % 2 === 0 ? "water" : "oil",
        n % 3 === 0 ? "tank" : "",
        glycol,
        n < 2 ? "halden" : "",
        n === 1 ? "lindqvist" : "",
      ];
      const text = words.filter((word) => word !== "").join(" ");
      const record = {
        path: name,
        hash: name,
        kind: "text" as const,
        title: "",
        bytes: text.length,
      };
      return {
        record,
        passages: [{ id: name, path: name, kind: "text" as const, title: "", text }],
      };
    }),
  );
  await knowledgeBase.close();
  const opened = await openDatabase({ directory, readOnly: true });
  database = {
    ...opened,
    file: opened.file,
    all(sql, values) {
      if (/passage_occurrences WHERE|passage_terms MATCH/.test(sql)) asked.push(values?.[0]);
      return opened.all(sql, values);
    },
    close: () => opened.close(),
  };
  index = keywordIndexReader(database, metaOf(database))();
});
afterAll(async () => {
  database.close();
  await rm(directory, { recursive: true, force: true });
});

function searchFor(terms: string[], more: Partial<KeywordSearch> = {}): KeywordSearch {
  asked = [];
  return { database, index, terms, limit: 1, condition: undefined, ...more };
}

/** So many occurrences for a query's own terms; as many as there are for those that expand it. */
const most = (query: number) => ({ query, expansion: 1_000 });

describe("a search within what it may cost", () => {
  it("reads the occurrences of all terms", () => {
    plainRows(searchFor(["pump", "halden"]));
    expect(asked).toEqual(["pump", "halden"]);
  });

  it("gives the scores and the order of the engine's own BM25", () => {
    const terms = ["water", "tank", "glycol"];
    const found = plainRows(searchFor(terms, { limit: 150 }));
    const rows = database.all(
      "SELECT rowid AS row, rank FROM passage_terms WHERE passage_terms MATCH ? ORDER BY rank, rowid",
      [anyOf(terms) ?? ""],
    );
    expect(found.map(({ row }) => row)).toEqual(rows.map(({ row }) => row));
    found.forEach(({ score }, at) => {
      expect(score).toBeCloseTo(-Number(rows[at]?.["rank"]), 10);
    });
  });

  it("gives the best first few as the beginning of all", () => {
    const all = plainRows(searchFor(["water", "tank", "glycol"], { limit: 1_000 }));
    expect(plainRows(searchFor(["water", "tank", "glycol"], { limit: 30 }))).toEqual(
      all.slice(0, 30),
    );
  });

  it("finds all that a filter lets through, however far behind the others", () => {
    const condition = { sql: "d.path = ?", values: ["199.md"] };
    expect(plainRows(searchFor(["pump", "water"], { condition })).map(({ row }) => row)).toEqual([
      200,
    ]);
    expect(
      plainRows(
        searchFor(["pump", "water"], { condition: { sql: "d.path = ?", values: ["none"] } }),
      ),
    ).toEqual([]);
  });

  it("leaves nothing behind for the next search", () => {
    const once = plainRows(searchFor(["water", "glycol"], { limit: 50 }));
    plainRows(searchFor(["pump"], { limit: 50 }));
    expect(plainRows(searchFor(["water", "glycol"], { limit: 50 }))).toEqual(once);
  });
});

describe("a search beyond it", () => {
  it("looks for candidates with the rare terms, and ranks them by all", () => {
    const [full] = plainRows(searchFor(["pump", "lindqvist", "halden"]));
    const [found] = plainRows(searchFor(["pump", "lindqvist", "halden"], { most: most(10) }));
    expect(asked).toEqual(["lindqvist", "halden"]);
    expect(found).toEqual(full);
  });

  it("adds passages that hold two of the frequent terms, where rare ones are too few", () => {
    plainRows(searchFor(["pump", "water", "tank", "lindqvist"], { most: most(40) }));
    // Of the pairs only the rarest fits: water and tank stand together in 34 passages, the others in more.
    expect(asked).toEqual(["lindqvist", '("tank" AND "water")']);
  });

  it("reads all terms after all, where the affordable ones find fewer than were wanted", () => {
    const rows = plainRows(
      searchFor(["pump", "lindqvist", "halden"], { most: most(10), limit: 5 }),
    );
    expect(asked).toEqual(["lindqvist", "halden", "pump", "lindqvist", "halden"]);
    expect(rows).toHaveLength(5);
    plainRows(searchFor(["pump"], { most: most(10) }));
    expect(asked).toEqual(["pump"]);
  });

  it("expands with terms that fit into what an expansion may cost", () => {
    expandedRows(searchFor(["lindqvist", "halden"], { most: { query: 40, expansion: 20 } }));
    expect(asked.slice(2)).toContain("glycol");
    expandedRows(searchFor(["lindqvist", "halden"], { most: { query: 40, expansion: 10 } }));
    expect(asked.slice(2)).not.toContain("glycol");
  });
});
