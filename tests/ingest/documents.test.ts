import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { countByReason } from "../../src/ingest/report.js";
import { listDocuments, removeDocuments, showDocument } from "../../src/ingest/documents.js";
import { ingest } from "../../src/ingest/ingest.js";
import type { WritableKnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";

let root: string;
let knowledgeBase: WritableKnowledgeBase;
const file = async (name: string, content: string) => {
  await mkdir(path.dirname(path.join(root, name)), { recursive: true });
  await writeFile(path.join(root, name), content);
};
const run = (...targets: string[]) => ingest({ targets, knowledgeBase, cwd: root });

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "documents-")));
  knowledgeBase = await openSqliteKnowledgeBase({ directory: path.join(root, "kb") });
});
afterEach(async () => {
  await knowledgeBase.close();
  await rm(root, { recursive: true, force: true });
});

describe("documents", () => {
  it("lists them page by page with a path that opens, passages and state", async () => {
    for (const name of ["a.md", "b.md", "sub/c.md"])
      await file(`docs/${name}`, `# ${name}\n\nBees.`);
    await run("docs");
    expect(await listDocuments(knowledgeBase, { offset: 1, limit: 1 })).toMatchObject({
      total: 3,
      documents: [
        {
          path: "docs/b.md",
          absolutePath: path.join(root, "docs/b.md"),
          title: "b.md",
          passages: 1,
          state: "current",
        },
      ],
    });
    const named = async (words: string) =>
      (await listDocuments(knowledgeBase, { words })).documents.map((each) => each.path);
    expect(await named("docs/sub/")).toEqual(["docs/sub/c.md"]);
    expect(await named("docs/*.md")).toEqual(["docs/a.md", "docs/b.md"]);
    expect(await named("B.md")).toEqual(["docs/b.md"]);
  });

  it("leaves a turn to others before it reads each one's passages", async () => {
    for (const name of ["a.md", "b.md", "c.md"]) await file(`docs/${name}`, "Bees.");
    await run("docs");
    let turns = 0;
    let turn = setImmediate(function count() {
      turns += 1;
      turn = setImmediate(count);
    });
    await Promise.all(["a.md", "b.md", "c.md"].map((name) => knowledgeBase.passagesOf(name)));
    clearImmediate(turn);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it("shows one by its shown path or its place on disk", async () => {
    await file("docs/a.md", "Bees.");
    await run("docs");
    for (const name of ["docs/a.md", path.join(root, "docs/a.md")])
      expect(await showDocument(knowledgeBase, name, { cwd: root })).toMatchObject({
        document: { path: "docs/a.md" },
        passages: [{ text: "Bees." }],
      });
    expect(await showDocument(knowledgeBase, "nothing.md", { cwd: root })).toBeUndefined();
  });

  it("finds a file name however its accents are written", async () => {
    await file("docs/u\u0308ber.md", "Bees.");
    await run("docs");
    const name = "docs/\u00fcber.md";
    const filter = { type: "eq", key: "path", value: name } as const;
    expect(await knowledgeBase.search("keyword", { query: "bees", limit: 5, filter })).toHaveLength(
      1,
    );
    expect((await listDocuments(knowledgeBase, { words: "\u00dcBER" })).total).toBe(1);
    expect((await showDocument(knowledgeBase, name, { cwd: root }))?.passages).toHaveLength(1);
    expect((await removeDocuments(knowledgeBase, [name], { cwd: root })).unknown).toEqual([]);
  });

  it("removes by path, folder and glob, and names unknown targets", async () => {
    for (const name of ["a.md", "b.txt", "sub/c.md", "sub/d.md"])
      await file(`docs/${name}`, "Bees.");
    await run("docs");
    const { removed, unknown } = await removeDocuments(
      knowledgeBase,
      ["docs/*.txt", "docs/sub/", "nothing.md", ""],
      { cwd: root },
    );
    expect(removed.toSorted()).toEqual(["docs/b.txt", "docs/sub/c.md", "docs/sub/d.md"]);
    expect(unknown).toEqual(["nothing.md", ""]);
    expect((await listDocuments(knowledgeBase)).total).toBe(1);
  });
});

describe("the report", () => {
  it("counts and names what was left out; an unknown format is not a failure", async () => {
    await file("docs/a.md", "Bees.");
    await file("docs/one.png", "x");
    await file("docs/two.gif", "x");
    await file("docs/three.mp3", "x");
    await file("docs/data.xyz", "\u0000\u0001\u0002");
    await file("docs/old.doc", "\u0000\u0001\u0002");
    const { failed, skipped } = await run("docs");
    expect(failed).toEqual([]);
    expect(countByReason(skipped)).toEqual([
      { reason: "it holds no text (image, sound, archive or program)", count: 2 },
      { reason: "an image is read only if you name it", count: 1 },
      { reason: "it is not text (binary data)", count: 1 },
      { reason: ".doc files are not read: save it as .docx", count: 1 },
    ]);
    expect((await run("docs/data.xyz")).failed).toHaveLength(1);
  });

  it("tells two files of the same path apart by the folder above", async () => {
    await file("one/kb/a.md", "First.");
    await file("two/kb/a.md", "Second.");
    for (const folder of ["one", "two"])
      await ingest({
        targets: [path.join(root, folder, "kb")],
        knowledgeBase,
        cwd: path.join(root, "elsewhere"),
      });
    expect((await listDocuments(knowledgeBase)).documents.map((each) => each.path)).toEqual([
      "kb/a.md",
      "two/kb/a.md",
    ]);
  });
});
