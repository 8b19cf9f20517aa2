import { isForeignProse } from "../../src/text/languages.js";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Embedder } from "../../src/reader/embedder.js";
import {
  KnowledgeBaseError,
  type WritableKnowledgeBase,
} from "../../src/retrieval/knowledge-base.js";
import { openDatabase } from "../../src/retrieval/sqlite/database.js";
import { filterCondition } from "../../src/retrieval/sqlite/search.js";
import { viewOf } from "../../src/retrieval/view.js";
import {
  openSqliteKnowledgeBase,
  type SqliteKnowledgeBaseOptions,
} from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { libraryDocument, libraryDocuments } from "../support/library-documents.js";
import { termEmbedder } from "../support/term-embedder.js";

let directory: string;
const opened: WritableKnowledgeBase[] = [];

async function open(
  options: Partial<SqliteKnowledgeBaseOptions> = {},
): Promise<WritableKnowledgeBase> {
  const knowledgeBase = await openSqliteKnowledgeBase({ directory, ...options });
  opened.push(knowledgeBase);
  return knowledgeBase;
}

/** Vectors of the given size, all alike. */
function fixedEmbedder(model: string, dimensions: number): Embedder {
  const vector = Array.from({ length: dimensions }, (_, index) => index + 1);
  return {
    model,
    embedDocuments: async (texts) => texts.map(() => vector),
    embedQuery: async () => vector,
  };
}

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "sqlite-kb-"));
});
afterEach(async () => {
  for (const knowledgeBase of opened.splice(0)) await knowledgeBase.close();
  await rm(directory, { recursive: true, force: true });
});

it("scores documents the same however often they were replaced", async () => {
  const knowledgeBase = await open();
  const scores = async () =>
    (await knowledgeBase.search("keyword", { query: "glass bees", limit: 5 })).map(
      ({ scores: [first] }) => first?.value,
    );
  await knowledgeBase.put(libraryDocuments());
  const once = await scores();
  expect(once.length).toBeGreaterThan(0);
  for (let round = 0; round < 3; round++) await knowledgeBase.put(libraryDocuments());
  expect(await scores()).toEqual(once);
});

describe("opening", () => {
  it("leaves one file behind when closed", async () => {
    const knowledgeBase = await open();
    await knowledgeBase.put(libraryDocuments());
    await knowledgeBase.close();
    expect(await readdir(directory)).toEqual(["kb.sqlite"]);
  });

  it("says that there is no knowledge base, and how to make one, without making one", async () => {
    const missing = path.join(directory, "nowhere");
    await expect(open({ directory: missing, readOnly: true })).rejects.toMatchObject({
      name: "KnowledgeBaseError",
      message: expect.stringContaining(missing),
      hint: expect.stringContaining("ingest"),
    });
    expect(await readdir(directory)).toEqual([]);
  });

  it("says how to open it to callers without a compiler", async () => {
    for (const given of ["kb", {}, { directory: 5 }])
      await expect(openSqliteKnowledgeBase(given as never)).rejects.toThrow(
        "openSqliteKnowledgeBase takes { directory }",
      );
  });

  it("lives on when its file is emptied while it is open", async () => {
    const written = await open();
    const documents = Array.from({ length: 400 }, (_, at) =>
      libraryDocument({
        path: `shelf-${at}.md`,
        kind: "markdown",
        title: "Shelf",
        modifiedAt: "2024-03-01T12:00:00.000Z",
        texts: [`Glass bees number ${at}. ${"honey and wax ".repeat(80)}`],
      }),
    );
    await written.put(documents);
    await written.close();
    const knowledgeBase = await open({ readOnly: true });
    await knowledgeBase.search("keyword", { query: "number 7", limit: 1 });
    await truncate(path.join(directory, "kb.sqlite"), 0);
    await expect(
      knowledgeBase.search("keyword", { query: "glass bees", limit: 400 }),
    ).rejects.toThrow(KnowledgeBaseError);
  });

  it("reports a damaged file, whatever is in it", async () => {
    for (const content of [
      "this is not a database, and long enough to have a header of sixteen bytes".repeat(50),
      "SQLite format 3\0" + "x".repeat(4000),
    ]) {
      await writeFile(path.join(directory, "kb.sqlite"), content);
      await expect(open()).rejects.toMatchObject({
        name: "KnowledgeBaseError",
        hint: expect.stringContaining("ingest again"),
      });
      await expect(open({ readOnly: true })).rejects.toThrow(KnowledgeBaseError);
    }
  });

  it.each([
    [
      "a view in place of a table",
      "ALTER TABLE passages RENAME TO p; CREATE VIEW passages AS SELECT * FROM p",
      /it has a view/,
    ],
    [
      "a view without an end",
      "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
      /it has a view/,
    ],
    [
      "a trigger",
      "CREATE TRIGGER t AFTER INSERT ON passages BEGIN DELETE FROM documents; END",
      /it has a trigger/,
    ],
    [
      "a computed column",
      "ALTER TABLE documents ADD COLUMN more TEXT AS (hex(zeroblob(100000000)))",
      /its tables have other columns/,
    ],
    [
      "a table with other columns",
      "DROP TABLE facts; CREATE TABLE facts (key TEXT)",
      /other columns/,
    ],
  ])("refuses a file of somebody else's with %s", async (_, sql, message) => {
    const knowledgeBase = await open();
    await knowledgeBase.put(libraryDocuments());
    await knowledgeBase.close();
    const { default: Libsql } = await import("libsql");
    const connection = new Libsql(path.join(directory, "kb.sqlite"));
    connection.exec(sql);
    connection.close();
    await expect(open({ readOnly: true })).rejects.toThrow(message);
    await expect(open()).rejects.toThrow(message);
  });

  it("opens one whose tables another version wrote on other lines", async () => {
    const knowledgeBase = await open();
    await knowledgeBase.put(libraryDocuments());
    await knowledgeBase.close();
    const { default: Libsql } = await import("libsql");
    const connection = new Libsql(path.join(directory, "kb.sqlite"));
    connection.exec(
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_master SET sql = replace(sql, ', ', ',' || char(10) || '   ')
         WHERE name IN ('documents', 'passages')`,
    );
    connection.close();
    expect(await (await open()).documents()).toHaveLength(libraryDocuments().length);
  });

  it("reads only the beginning of cells without an end", async () => {
    const knowledgeBase = await open();
    await knowledgeBase.put(libraryDocuments());
    await knowledgeBase.close();
    const { default: Libsql } = await import("libsql");
    const connection = new Libsql(path.join(directory, "kb.sqlite"));
    const long = "replace(hex(zeroblob(1000000)), '00', 'ab')";
    connection.exec(
      `UPDATE documents SET title = ${long}; UPDATE passages SET title = ${long}, heading = ${long}, text = ${long};
       UPDATE descriptions SET metadata = '{"a":"' || ${long} || '"}'`,
    );
    connection.close();
    const reopened = await open({ readOnly: true });
    const [document] = await reopened.documents();
    expect(document?.title).toHaveLength(10_000);
    expect(document?.metadata).toEqual({ users: [] });
    expect(await (await viewOf(reopened)).documents()).toEqual([]);
    const [passage] = await reopened.passagesOf(document?.path ?? "");
    expect([passage?.title, passage?.heading].map((text) => text?.length)).toEqual([
      10_000, 10_000,
    ]);
    expect(passage?.text).toHaveLength(1_000_000);
  });

  it("reports a directory that cannot be made", async () => {
    await writeFile(path.join(directory, "file"), "");
    await expect(open({ directory: path.join(directory, "file", "kb") })).rejects.toMatchObject({
      hint: expect.stringContaining("--kb"),
    });
    await mkdir(path.join(directory, "kb.sqlite"));
    await expect(open()).rejects.toThrow(/is not a file/);
  });

  it("opens a file that may only be read, and fails once there is something to write", async () => {
    const writer = await open();
    await writer.put(libraryDocuments());
    await writer.close();
    const nobody = 65_534;
    const file = path.join(directory, "kb.sqlite");
    for (const [name, mode] of [
      [file, 0o400],
      [directory, 0o500],
    ] as const) {
      await chmod(name, mode);
      if (process.geteuid?.() === 0) await chown(name, nobody, nobody);
    }
    const user = process.geteuid?.() ?? nobody;
    // The superuser may write everything.
    process.seteuid?.(nobody);
    try {
      const knowledgeBase = await open();
      expect((await knowledgeBase.stats()).documents).toBe(libraryDocuments().length);
      await knowledgeBase.remove([]);
      await expect(knowledgeBase.put(libraryDocuments())).rejects.toThrow(/cannot be written/);
      await knowledgeBase.close();
    } finally {
      process.seteuid?.(user);
      await chmod(directory, 0o700);
    }
  });

  it("writes through no link that leads nowhere", async () => {
    await symlink(path.join(directory, "elsewhere"), path.join(directory, "kb.sqlite"));
    await expect(open()).rejects.toThrow(/cannot be written \(it is a link that leads nowhere\)/);
    expect(await readdir(directory)).toEqual(["kb.sqlite"]);
  });

  it("names both models when the index was made with another one", async () => {
    const first = await open({ embedder: fixedEmbedder("small-model", 4) });
    await first.put(libraryDocuments());
    await first.embedPending?.();
    await first.close();
    await expect(open({ embedder: fixedEmbedder("large-model", 4) })).rejects.toThrow(
      /small-model.*large-model/,
    );
  });

  it("names both sizes when the same model gives other vectors, for documents and for questions", async () => {
    const first = await open({ embedder: fixedEmbedder("model", 4) });
    await first.put(libraryDocuments());
    await first.embedPending?.();
    await first.close();
    const second = await open({ embedder: fixedEmbedder("model", 8) });
    await second.put([
      libraryDocument({ path: "new.md", kind: "text", title: "New", texts: ["x"] }),
    ]);
    await expect(second.embedPending?.()).rejects.toThrow(/4 dimensions.*gives 8/);
    await expect(second.search("vector", { query: "honey", limit: 3 })).rejects.toThrow(
      /4 dimensions.*gives 8/,
    );
    expect((await second.stats()).documents).toBe(libraryDocuments().length + 1);
  });

  it("refuses first vectors of unequal sizes", async () => {
    const uneven: Embedder = {
      model: "uneven",
      embedDocuments: async (texts) => texts.map((_, at) => Array<number>(at + 2).fill(1)),
      embedQuery: async () => [1, 1],
    };
    const knowledgeBase = await open({ embedder: uneven });
    await knowledgeBase.put(libraryDocuments());
    await expect(knowledgeBase.embedPending?.()).rejects.toThrow(/2 dimensions.*gives 3/);
    expect((await knowledgeBase.stats()).embedding).toBeUndefined();
  });

  it("searches only by keywords without a model, and stores what a model can embed later", async () => {
    const first = await open({ embedder: fixedEmbedder("model", 4) });
    await first.put(libraryDocuments().slice(0, 1));
    await first.embedPending?.();
    await first.close();
    const second = await open();
    expect(second.modes).toEqual(["keyword"]);
    await second.put(libraryDocuments().slice(1));
    expect(await second.search("keyword", { query: "honey", limit: 3 })).not.toEqual([]);
    expect((await second.stats()).embedding?.pending).toBeGreaterThan(0);
  });

  it("is readable by its owner only", async () => {
    const nested = path.join(directory, "kb");
    await open({ directory: nested });
    const modes = await Promise.all(
      [nested, path.join(nested, "kb.sqlite")].map(async (file) => (await stat(file)).mode & 0o777),
    );
    expect(modes).toEqual([0o700, 0o600]);
  });

  it("reads while another connection writes", async () => {
    const writer = await open();
    await writer.put(libraryDocuments());
    const reader = await open({ readOnly: true });
    const before = await reader.version();
    await writer.remove(["bees/honey.md"]);
    expect(await reader.version()).not.toBe(before);
    expect((await reader.documents()).map(({ path }) => path)).not.toContain("bees/honey.md");
    await expect(reader.put(libraryDocuments())).rejects.toThrow(/cannot be written/);
  });
});

describe("keyword search", () => {
  it("treats whatever a user types as words, never as syntax", async () => {
    const knowledgeBase = await open();
    await knowledgeBase.put(libraryDocuments());
    const nasty = [
      `"honey`,
      `honey" OR "`,
      `honey AND NOT bees`,
      "NEAR(honey bees, 2)",
      "title:honey",
      "honey*",
      "^honey",
      "honey\0bees",
      "🐝 honey 🍯",
      "'; DROP TABLE honey; --",
      "honey\\",
      "(honey",
      "{honey}",
      "-honey",
      "honey `bees`",
    ];
    for (const query of nasty)
      expect((await knowledgeBase.search("keyword", { query, limit: 3 })).length).toBeGreaterThan(
        0,
      );
    for (const query of ["\0", '"', "*", "🍕", "()", "\ud800"])
      expect(await knowledgeBase.search("keyword", { query, limit: 3 })).toEqual([]);
  });

  it("answers a query of 5,000 terms", async () => {
    const knowledgeBase = await open();
    await knowledgeBase.put(libraryDocuments());
    const query = `${Array.from({ length: 5000 }, (_, index) => `word${index}`).join(" ")} honey`;
    expect((await knowledgeBase.search("keyword", { query, limit: 3 }))[0]?.passage.text).toMatch(
      /honey/i,
    );
  });

  it("finds c++, version numbers, identifiers and words of other scripts whole", async () => {
    const knowledgeBase = await open();
    const texts = [
      "written in c++ by hand",
      "since version 3.14 of it",
      "set KB_AGENT_MAX_ITERATIONS to two",
      "हिन्दी में लिखा",
      "東京タワーの高さ",
      "plain text about nothing",
    ];
    await knowledgeBase.put(
      texts.map((text, index) =>
        libraryDocument({
          path: `${index}.md`,
          kind: "markdown",
          title: `t${index}`,
          texts: [text],
        }),
      ),
    );
    for (const [query, index] of [
      ["c++", 0],
      ["3.14", 1],
      ["KB_AGENT_MAX_ITERATIONS", 2],
      ["हिन्दी", 3],
      ["東京", 4],
    ] as const) {
      const hits = await knowledgeBase.search("keyword", { query, limit: 1 });
      expect(hits[0]?.passage.path).toBe(`${index}.md`);
    }
  });

  it("searches full text once, however many passages pass a filter", async () => {
    const knowledgeBase = await open();
    await knowledgeBase.put(libraryDocuments());
    await knowledgeBase.close();
    const database = await openDatabase(directory, true);
    const { sql } = filterCondition(database, { type: "ne", key: "kind", value: "pdf" });
    const plan = database.all(
      `EXPLAIN QUERY PLAN SELECT rowid FROM passage_terms WHERE passage_terms MATCH 'honey' ${sql}`,
    );
    database.close();
    // "=" would stand for a search by row id.
    expect(plan.map(({ detail }) => String(detail))).toContainEqual(
      expect.stringMatching(/SCAN passage_terms VIRTUAL TABLE INDEX 0:M\d$/),
    );
  });

  it("gives positive scores of BM25's scale, better ones higher", async () => {
    const knowledgeBase = await open();
    await knowledgeBase.put(libraryDocuments());
    const hits = await knowledgeBase.search("keyword", { query: "honey bees winter", limit: 5 });
    const scores = hits.map(({ scores: [first] }) => first);
    expect(scores.length).toBeGreaterThan(1);
    expect(scores.every((score) => score?.scale === "bm25" && score.value > 0)).toBe(true);
    expect(scores.map((score) => score?.value)).toEqual(
      scores.map((score) => score?.value ?? 0).sort((a, b) => b - a),
    );
  });

  it("stores text after a NUL character", async () => {
    const knowledgeBase = await open();
    const texts = ["honey\u0000zebra"];
    await knowledgeBase.put([
      libraryDocument({ path: "a.md", kind: "markdown", title: "A", texts }),
    ]);
    const [hit] = await knowledgeBase.search("keyword", { query: "zebra", limit: 1 });
    expect(hit?.passage.text).toBe("honey zebra");
  });

  it("forgets the terms of removed and of replaced documents", async () => {
    const knowledgeBase = await open();
    const [document] = libraryDocuments();
    if (document === undefined) throw new Error("the library is empty");
    await knowledgeBase.put([document]);
    await knowledgeBase.put([
      libraryDocument({
        path: document.record.path,
        kind: "markdown",
        title: "New",
        texts: ["quetzal"],
      }),
    ]);
    expect(
      await knowledgeBase.search("keyword", { query: document.record.title, limit: 5 }),
    ).toEqual([]);
    expect(await knowledgeBase.search("keyword", { query: "quetzal", limit: 5 })).toHaveLength(1);
    await knowledgeBase.remove([document.record.path, "unknown.md"]);
    expect(await knowledgeBase.search("keyword", { query: "quetzal", limit: 5 })).toEqual([]);
    expect(await knowledgeBase.stats()).toMatchObject({ documents: 0, passages: 0 });
  });
});

describe("vector search", () => {
  it("finds words at once, before vectors are made", async () => {
    const embedder = termEmbedder();
    const knowledgeBase = await open({ embedder });
    await knowledgeBase.put(libraryDocuments().slice(0, 2));
    expect(knowledgeBase.modes).toEqual(["keyword"]);
    await knowledgeBase.embedPending?.();
    expect(knowledgeBase.modes[0]).toBe("hybrid");
    await knowledgeBase.put(libraryDocuments().slice(2));
    const [first] = await knowledgeBase.search("hybrid", { query: "spring tides", limit: 1 });
    expect(first?.passage.path).toBe("tides.html");
    expect(first?.vector).toBeUndefined();
    await knowledgeBase.embedPending?.();
    const [again] = await knowledgeBase.search("hybrid", { query: "spring tides", limit: 1 });
    expect(again?.vector).toHaveLength(64);
  });

  it("resumes a stopped embedding, and embeds nothing twice", async () => {
    const embedder = termEmbedder();
    const many = Array.from({ length: 80 }, (_, n) =>
      libraryDocument({ path: `${n}.md`, kind: "text", title: "T", texts: [`Text ${n}`] }),
    );
    const first = await open({ embedder });
    await first.put(many);
    const controller = new AbortController();
    const stopped = first.embedPending?.({
      signal: controller.signal,
      onProgress: () => controller.abort(new Error("stopped")),
    });
    await expect(stopped).rejects.toThrow("stopped");
    await first.close();
    const second = await open({ embedder });
    expect((await second.stats()).embedding?.pending).toBe(48);
    await second.embedPending?.();
    expect((await second.stats()).embedding?.pending).toBe(0);
    expect(embedder.embedded).toHaveLength(80);
    await second.put(many.slice(0, 10));
    await second.embedPending?.();
    expect(embedder.embedded).toHaveLength(80);
  });

  it("holds no vectors of passages that the model does not know, which words find", async () => {
    const knowsPassage = (text: string) => !isForeignProse(text);
    const store = await open({ embedder: { ...fixedEmbedder("english", 4), knowsPassage } });
    const german = "Die Boote liegen im Hafen, und der Lotse ist mit dem Schiff auf der See.";
    const code = "const a = le.d(y, de); export { la, el, d } from 'que';";
    const texts = [german, code, "The boats lie in the harbor."];
    await store.put([libraryDocument({ path: "a.md", kind: "markdown", title: "A", texts })]);
    expect((await store.stats()).embedding?.pending ?? 2).toBe(2);
    await store.embedPending?.();
    expect(await store.search("vector", { query: "boats", limit: 5 })).toHaveLength(2);
    expect(await store.search("keyword", { query: "Lotse", limit: 5 })).toHaveLength(1);
  });

  it("is remade by another version of its model, and not used until then", async () => {
    const first = await open({ embedder: fixedEmbedder("shipped@1", 4) });
    await first.put(libraryDocuments());
    await first.embedPending?.();
    await first.close();
    const second = await open({ embedder: fixedEmbedder("shipped@2", 6) });
    expect(second.modes).toEqual(["keyword"]);
    await expect(second.search("vector", { query: "honey", limit: 3 })).rejects.toThrow(
      /has no vectors/,
    );
    await second.embedPending?.();
    expect(second.modes[0]).toBe("hybrid");
    expect((await second.stats()).embedding).toEqual({
      model: "shipped@2",
      dimensions: 6,
      pending: 0,
    });
  });
});
