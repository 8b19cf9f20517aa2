/** What documents and their folders say about themselves arrives in the knowledge base. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { strToU8, zipSync } from "fflate";
import { ingest } from "../../src/ingest/ingest.js";
import { namedMetadata } from "../../src/formats/metadata.js";
import type { WritableKnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { mergeMetadata, readMetadata } from "../../src/state/metadata.js";

let root: string;
let knowledgeBase: WritableKnowledgeBase;
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "metadata-")));
  knowledgeBase = await openSqliteKnowledgeBase({ directory: path.join(root, "kb") });
});
afterEach(async () => {
  await knowledgeBase.close();
  await rm(root, { recursive: true, force: true });
});

const write = async (file: string, content: string | Uint8Array) => {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), content);
};
const run = (target = "docs", meta: string[] = []) =>
  ingest({ targets: [target], knowledgeBase, cwd: root, metadata: namedMetadata(meta) });
const metadataOf = async (file: string) =>
  (await knowledgeBase.documents()).find((each) => each.path === file)?.metadata;

describe("metadata", () => {
  it("comes from front matter, typed, without the title, and reaches every passage", async () => {
    await write(
      "docs/a.md",
      "---\ntitle: Leave\ndepartment: hr\nyear: 2025\ndraft: false\ndate: 2024-05-01\ntags: [pay, leave]\n---\n# One\n\nTea.\n\n# Two\n\nMilk.\n",
    );
    await run();
    const metadata = {
      department: "hr",
      year: 2025,
      draft: false,
      date: "2024-05-01",
      tags: ["pay", "leave"],
    };
    expect(await metadataOf("docs/a.md")).toEqual(metadata);
    const passages = await knowledgeBase.passagesOf("docs/a.md");
    expect(passages.map((passage) => passage.metadata)).toEqual([metadata, metadata]);
  });

  it("comes from folder.meta.yaml for all below it, the nearest first, then from --meta", async () => {
    await write("docs/folder.meta.yaml", "department: all\nsite: Bonn\n");
    await write("docs/hr/folder.meta.yaml", "department: hr\ngroups: [hr]\n");
    await write("docs/hr/deep/a.md", "---\nyear: 2025\n---\nTea.\n");
    await write("docs/hr/own.md", "---\nusers: anna\n---\nTea.\n");
    await write("docs/b.md", "Tea.");
    const report = await run("docs", ["site=Ulm", "source=wiki", "groups=[staff]"]);
    expect(report).toMatchObject({ added: 3, failed: [], skipped: [] });
    expect(await metadataOf("docs/hr/deep/a.md")).toEqual({
      year: 2025,
      department: "hr",
      groups: ["hr"],
      site: "Bonn",
      source: "wiki",
    });
    // Who names users or groups nearest decides on both.
    expect(await metadataOf("docs/hr/own.md")).toMatchObject({ users: ["anna"] });
    expect(await metadataOf("docs/hr/own.md")).not.toHaveProperty("groups");
    expect(await metadataOf("docs/b.md")).toMatchObject({ site: "Bonn", groups: ["staff"] });
  });

  it("of a folder holds for a file that is named alone, and for one whose text did not change", async () => {
    await write("docs/hr/a.md", "Tea.");
    await run();
    expect(await metadataOf("docs/hr/a.md")).toBeUndefined();
    await write("docs/folder.meta.yaml", "groups: [hr]\n");
    expect(await run("docs/hr/a.md")).toMatchObject({ updated: 1 });
    expect(await metadataOf("docs/hr/a.md")).toEqual({ groups: ["hr"] });
    expect(await run("docs/hr/a.md")).toMatchObject({ unchanged: 1 });
  });

  it.each([
    ["capitals", { "a.md": "---\nGroups: [hr]\n---\nTea.\n" }],
    ["capitals in a folder's", { "folder.meta.yaml": "GROUPS: hr\n", "a.md": "Tea.\n" }],
    ["another ending", { "folder.meta.yml": "groups: [hr]\n", "a.md": "Tea.\n" }],
    ["a merged key", { "a.md": "---\nx: &x {groups: [hr]}\n<<: *x\n---\nTea.\n" }],
    ["a blank line above it", { "a.md": "\n \n---\ngroups: [hr]\n---\nTea.\n" }],
    [
      "comments above it",
      { "a.md": "<!-- Ours\n---\n-->\n\n<!-- b -->\n---\ngroups: [hr]\n---\nTea.\n" },
    ],
    ["spaces before it", { "a.md": " ---\ngroups: [hr]\n---\nTea.\n" }],
    ["an end of three dots", { "a.md": "---\ngroups: [hr]\n...\nTea.\n" }],
  ])("that names permissions with %s is understood", async (_, files) => {
    for (const [name, text] of Object.entries(files)) await write(`docs/${name}`, text);
    await run();
    expect(await metadataOf("docs/a.md")).toMatchObject({ groups: ["hr"] });
  });

  it.each([
    ["without a space", "---\ngroups:[hr]\n---\nTea.\n"],
    ["as a list", "---\n- groups: [hr]\n---\nTea.\n"],
    ["in TOML", '+++\ngroups = ["hr"]\n+++\nTea.\n'],
    ["without an end", "---\ntitle: Pay\n\ngroups: [hr]\n\n# Tea\n"],
    ["with too long an end", "---\ngroups: [hr]\n----\nTea.\n"],
    ["without an end, in TOML", '+++\ngroups = ["hr"]\n\nTea.\n'],
  ])("that names permissions %s is not taken for one without", async (_, text) => {
    await write("docs/a.md", text);
    await write("docs/b.md", "Tea.");
    expect((await run()).failed).toMatchObject([{ reason: expect.stringContaining("groups") }]);
  });

  it("is no text between two breaks, which is kept, and no file in capitals, which is told", async () => {
    await write("docs/a.md", "---\n\nTea is poured at four.\n\n---\n\nCake is cut.\n");
    await write("docs/Folder.meta.yaml", "groups: [hr]\n");
    expect((await run()).skipped).toMatchObject([{ path: expect.stringContaining("Folder.meta") }]);
    const [passage] = await knowledgeBase.passagesOf("docs/a.md");
    expect(passage).toMatchObject({ text: "Tea is poured at four.\n\nCake is cut.", startLine: 3 });
  });

  it("that cannot be understood and may hold permissions leaves the file out, with the reason", async () => {
    await write("docs/bad/folder.meta.yaml", "groups: [hr\n");
    await write("docs/bad/a.md", "Tea.");
    await write("docs/b.md", "---\ngroups: [hr\n---\nTea.\n");
    await write("docs/c.md", "---\ntitle: Tea: a story\nmood: {{ x }\n---\nTea.\n");
    const { failed, added } = await run();
    expect(added).toBe(1);
    expect(failed.map(({ reason }) => reason).join("\n")).toMatch(
      /its front matter names groups, but is malformed[\s\S]*folder\.meta\.yaml cannot be read/,
    );
    for (const { reason } of failed) expect(reason).not.toContain("\n");
  });

  it("comes from the properties of Office files and web pages, but never permissions", async () => {
    await write(
      "docs/a.docx",
      zipSync({
        "word/document.xml": strToU8(
          '<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Tea.</w:t></w:r></w:p></w:body></w:document>',
        ),
        "docProps/core.xml": strToU8(
          "<cp:coreProperties><dc:title>T</dc:title><dc:creator>Anna &amp; Ben</dc:creator><cp:keywords>pay; leave</cp:keywords><dcterms:created>2024-05-01T10:00:00Z</dcterms:created></cp:coreProperties>",
        ),
        "docProps/custom.xml": strToU8(
          '<Properties><property name="Department"><vt:lpwstr>HR</vt:lpwstr></property><property name="groups"><vt:lpwstr>everyone</vt:lpwstr></property></Properties>',
        ),
      }),
    );
    await write(
      "docs/b.html",
      '<html><head><title>T</title><meta name="author" content="Cleo"><meta name="viewport" content="x"><meta property="og:title" content="x"><meta name="users" content="cleo"></head><body><p>Tea is hot.</p></body></html>',
    );
    await run();
    expect(await metadataOf("docs/a.docx")).toEqual({
      Department: "HR",
      author: "Anna & Ben",
      keywords: ["pay", "leave"],
      created: "2024-05-01T10:00:00Z",
    });
    expect(await metadataOf("docs/b.html")).toEqual({ author: "Cleo" });
  });

  it("is bounded and typed, whatever a source gives", () => {
    expect(
      readMetadata({
        date: new Date("2024-05-01"),
        nested: { deep: { er: 1, than: { this: 2 } } },
        nothing: null,
        empty: "",
        bad: NaN,
        code: () => 1,
        mixed: ["a", null, 2, {}],
        ["k".repeat(65)]: 1,
        groups: "hr",
        users: null,
      }),
    ).toEqual({
      date: "2024-05-01T00:00:00.000Z",
      "nested.deep.er": 1,
      mixed: ["a", 2],
      groups: ["hr"],
      users: [],
    });
    const many = Object.fromEntries(
      Array.from({ length: 999 }, (_, at) => [`k${at}`, "x".repeat(999)]),
    );
    expect(JSON.stringify(readMetadata({ ...many, groups: ["hr"] })).length).toBeLessThan(6_000);
    expect(readMetadata({ ...many, groups: ["hr"] })["groups"]).toEqual(["hr"]);
    expect(mergeMetadata({ users: [] }, { groups: ["hr"], a: 1 })).toEqual({ users: [], a: 1 });
  });
});
