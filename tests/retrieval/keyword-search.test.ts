/** Searches that would cost too much: what is asked of the engine instead, and what is found. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openDatabase, type Database } from "../../src/retrieval/sqlite/database.js";
import { statisticsReader } from "../../src/retrieval/sqlite/collection-statistics.js";
import { expandedRows, plainRows, type KeywordSearch } from "../../src/retrieval/sqlite/keyword-search.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { metaOf } from "../../src/retrieval/sqlite/schema.js";

let directory: string;
let database: Database;
/** Expressions that were put to the full-text index. */
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
      const record = { path: name, hash: name, kind: "text" as const, title: "", bytes: text.length };
      return { record, passages: [{ id: name, path: name, kind: "text" as const, title: "", text }] };
    }),
  );
  await knowledgeBase.close();
  const opened = await openDatabase({ directory, readOnly: true });
  database = {
    ...opened,
    file: opened.file,
    all(sql, values) {
      if (sql.includes("passage_terms MATCH")) asked.push(values?.[0]);
      return opened.all(sql, values);
    },
    close: () => opened.close(),
  };
});
afterAll(async () => {
  database.close();
  await rm(directory, { recursive: true, force: true });
});

function searchFor(terms: string[], more: Partial<KeywordSearch> = {}): KeywordSearch {
  asked = [];
  return { database, statistics: statisticsReader(database, metaOf(database))(), terms, limit: 1, condition: undefined, ...more };
}

describe("a search within what it may cost", () => {
  it("asks for all terms", () => {
    plainRows(searchFor(["pump", "halden"]));
    expect(asked).toEqual(['"pump" OR "halden"']);
  });
});

describe("a search beyond it", () => {
  it("looks for candidates with the rare terms, and ranks them by all", () => {
    const [full] = plainRows(searchFor(["pump", "lindqvist", "halden"]));
    const [found] = plainRows(searchFor(["pump", "lindqvist", "halden"], { maxPostings: 10 }));
    expect(asked).toEqual(['"lindqvist" OR "halden"']);
    expect(found).toEqual(full);
  });

  it("adds passages that hold two of the frequent terms, where rare ones are too few", () => {
    plainRows(searchFor(["pump", "water", "tank", "lindqvist"], { maxPostings: 40 }));
    // Of the pairs only the rarest fits: water and tank stand together in 34 passages, the others in more.
    expect(asked).toEqual(['"lindqvist" OR ("tank" AND "water")']);
  });

  it("asks for all terms after all, where the affordable ones find fewer than were wanted", () => {
    const rows = plainRows(searchFor(["pump", "lindqvist", "halden"], { maxPostings: 10, limit: 5 }));
    expect(asked).toEqual(['"lindqvist" OR "halden"', '"pump" OR "lindqvist" OR "halden"']);
    expect(rows).toHaveLength(5);
    plainRows(searchFor(["pump"], { maxPostings: 10 }));
    expect(asked).toEqual(['"pump"']);
  });

  it("expands with terms that fit into half of it only", () => {
    expandedRows(searchFor(["lindqvist", "halden"], { maxPostings: 40 }));
    expect(asked[1]).toContain('"glycol"');
    expandedRows(searchFor(["lindqvist", "halden"], { maxPostings: 20 }));
    expect(asked[1]).not.toContain('"glycol"');
  });
});
