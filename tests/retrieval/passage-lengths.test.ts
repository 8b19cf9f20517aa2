import { afterEach, expect, it } from "@jest/globals";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openDatabase } from "../../src/retrieval/sqlite/database.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { passageLengths } from "../../src/retrieval/sqlite/passage-lengths.js";

let directory: string;
afterEach(async () => rm(directory, { recursive: true, force: true }));

const document = (name: string, words: number) => {
  const text = Array.from({ length: words }, (_, at) => `word${at}`).join(" ");
  const record = {
    path: name,
    hash: name,
    kind: "text" as const,
    title: "Two words",
    bytes: text.length,
  };
  return {
    record,
    passages: [{ id: name, path: name, kind: "text" as const, title: "Two words", text }],
  };
};

it("gives the length of each passage as the terms stored beside it count, gaps left by removed ones at 0", async () => {
  directory = await mkdtemp(path.join(tmpdir(), "passage-lengths-"));
  const knowledgeBase = await openSqliteKnowledgeBase({ directory });
  // Lengths of one, two and three bytes.
  await knowledgeBase.put([
    document("a", 3),
    document("b", 500),
    document("c", 1),
    document("d", 20_000),
  ]);
  await knowledgeBase.remove(["c"]);
  await knowledgeBase.close();
  const database = await openDatabase({ directory, readOnly: true });
  const stored = database
    .all("SELECT id, terms FROM passages")
    .map(({ id, terms }) => [Number(id), String(terms).split(" ").length]);
  const lengths = passageLengths(database);
  database.close();
  expect(stored.map(([row = 0]) => [row, lengths[row]])).toEqual(stored);
  expect([...lengths]).toEqual([0, 5, 502, 0, 20_002]);
});
