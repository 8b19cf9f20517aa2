import { execFileSync } from "node:child_process";
import {
  link,
  mkdir,
  mkdtemp,
  realpath,
  rm,
  symlink,
  truncate,
  unlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { DocumentRecord, KnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { createGrepSearchTool, lineMatcher } from "../../src/tools/grep-search.js";
import { createReadFileTool } from "../../src/tools/read-file.js";
import { resolveIndexed } from "../../src/tools/document-lines.js";
import type { AgentTool } from "../../src/tools/tool.js";
import { createTestScope } from "../support/test-scope.js";
import { passage, stubKnowledgeBase } from "./stub-knowledge-base.js";

const SECRET = "the secret outside of the knowledge base";
let root: string;
let folder: string;
let documents: DocumentRecord[];
let knowledgeBase: KnowledgeBase;

const LINES = Array.from({ length: 60 }, (_, index) =>
  index % 20 === 9 ? `line ${index + 1} holds the needle` : `line ${index + 1}`,
);

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "file-tools-")));
  folder = join(root, "docs");
  await mkdir(folder);
  await writeFile(join(root, "secret.txt"), SECRET);
  await writeFile(join(folder, "a.md"), LINES.join("\n"));
  await writeFile(join(folder, "huge.txt"), "");
  await truncate(join(folder, "huge.txt"), 50_000_000_000);
  await symlink(join(root, "secret.txt"), join(folder, "link.txt"));
  execFileSync("mkfifo", [join(folder, "pipe.txt")]);
  const record = (name: string, over: Partial<DocumentRecord> = {}): DocumentRecord => ({
    path: `docs/${name}`,
    absolutePath: join(folder, name),
    hash: "1",
    kind: name.endsWith(".md") ? "markdown" : "text",
    title: name,
    bytes: 500,
    ...over,
  });
  documents = [
    record("a.md"),
    record("huge.txt"),
    record("link.txt"),
    record("pipe.txt"),
    record("gone.txt"),
    record("device.txt", { absolutePath: "/dev/zero" }),
    record("report.pdf", { kind: "pdf" }),
  ];
  const pages = [
    passage("p1", { path: "docs/report.pdf", kind: "pdf", page: 1, text: "Page one." }),
    passage("p2", {
      path: "docs/report.pdf",
      kind: "pdf",
      page: 2,
      text: "The needle on page two.",
    }),
  ];
  knowledgeBase = stubKnowledgeBase({ documents, passages: { "docs/report.pdf": pages } });
});

afterAll(() => rm(root, { recursive: true, force: true }));

const call = (
  tool: AgentTool,
  args: Record<string, unknown>,
  question = "where is the needle?",
) => {
  const scope = createTestScope();
  return tool.run({ args, question, round: 0, scope, signal: scope.signal });
};
const read = (args: Record<string, unknown>) => call(createReadFileTool(knowledgeBase), args);

describe("read_file", () => {
  it("reads a range of lines with its place", async () => {
    const { evidence } = await read({ path: "docs/a.md", start_line: 9, end_line: 11 });
    expect(evidence).toMatchObject([
      {
        text: "line 9\nline 10 holds the needle\nline 11",
        source: { kind: "file", path: "docs/a.md", startLine: 9, endLine: 11 },
      },
    ]);
  });

  it("reads the whole file, from a unique end of its path as well", async () => {
    const { evidence, summary } = await read({ path: "a.md" });
    expect(evidence[0]).toMatchObject({ source: { path: "docs/a.md", startLine: 1, endLine: 60 } });
    expect(summary).toBe("60 lines of docs/a.md");
  });

  it("reads documents that are no text from their passages, with pages", async () => {
    const { evidence } = await read({ path: "docs/report.pdf" });
    expect(evidence[0]).toMatchObject({
      text: "Page one.\nThe needle on page two.",
      source: { path: "docs/report.pdf", page: 1 },
    });
  });

  it("says where a file ends when the line does not exist", async () => {
    await expect(read({ path: "docs/a.md", start_line: 61 })).rejects.toThrow(
      "docs/a.md has no line 61: it ends at line 60",
    );
    await expect(read({ path: "docs/a.md", start_line: 5, end_line: 4 })).rejects.toThrow(
      "the wrong way round",
    );
  });

  const NOT_INDEXED = [
    "../secret.txt",
    "docs/../../secret.txt",
    "docs\\..\\..\\secret.txt",
    "%2e%2e%2fsecret.txt",
    "..%c0%afsecret.txt",
    "．．/secret.txt",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "C:\\Windows\\win.ini",
    "~/.ssh/id_rsa",
    "file:///etc/passwd",
    "docs/a.md\u0000.txt",
    "docs/a.md%00",
    "secret.txt",
    "docs",
    "",
    "a".repeat(2_000),
  ].map((path) => [path, "is not in the knowledge base"] as const);
  const REFUSED: readonly (readonly [path: string, message: string])[] = [
    ...NOT_INDEXED,
    ["docs/link.txt", "has become a link"],
    ["docs/pipe.txt", "is not a regular file"],
    ["docs/device.txt", "is not a regular file"],
    ["docs/huge.txt", "is larger than"],
    ["docs/gone.txt", "is no longer there"],
  ];

  it.each(REFUSED)("refuses %p with a clear message and reads nothing", async (path, message) => {
    await expect(read({ path })).rejects.toMatchObject({
      name: "PathRefusedError",
      message: expect.stringContaining(message),
    });
  });

  it("refuses a file whose folder became a link after it was indexed", async () => {
    await mkdir(join(root, "elsewhere"));
    await writeFile(join(root, "elsewhere", "b.md"), SECRET);
    await symlink(join(root, "elsewhere"), join(root, "moved"));
    const record: DocumentRecord = {
      path: "moved/b.md",
      absolutePath: join(root, "moved", "b.md"),
      hash: "1",
      kind: "markdown",
      title: "b",
      bytes: 10,
    };
    await expect(
      call(createReadFileTool(stubKnowledgeBase({ documents: [record] })), {
        path: "moved/b.md",
      }),
    ).rejects.toThrow("has become a link");
    await unlink(join(root, "moved"));
  });

  it("shows what was ingested, and not what a hard link put in its place", async () => {
    await writeFile(join(root, ".env"), SECRET);
    await link(join(root, ".env"), join(root, "hard.md"));
    const record: DocumentRecord = {
      path: "hard.md",
      absolutePath: join(root, "hard.md"),
      hash: "1",
      kind: "markdown",
      title: "hard",
      bytes: 10,
    };
    const passages = {
      "hard.md": [passage("h1", { path: "hard.md", text: "What was ingested." })],
    };
    const tools = [createReadFileTool, createGrepSearchTool].map((create) =>
      create(stubKnowledgeBase({ documents: [record], passages })),
    );
    for (const tool of tools) {
      const { evidence } = await call(tool, { path: "hard.md", pattern: "what" });
      expect(evidence.map(({ text }) => text)).toEqual(["What was ingested."]);
    }
    await unlink(join(root, "hard.md"));
  });

  it("asks which one is meant when a name is not unique", () => {
    const twice = ["x/a.md", "y/a.md"].map((path): DocumentRecord => ({
      path,
      hash: "1",
      kind: "markdown",
      title: path,
      bytes: 1,
    }));
    expect(() => resolveIndexed("a.md", twice)).toThrow('"a.md" is not unique: x/a.md, y/a.md');
  });

  it("finds a name whichever way its letters are written", () => {
    const path = "docs/u\u0308ber.md";
    const record: DocumentRecord = { path, hash: "1", kind: "markdown", title: "T", bytes: 1 };
    for (const name of ["docs/\u00fcber.md", "\u00fcber.md", path])
      expect(resolveIndexed(name, [record])).toBe(record);
  });
});

describe("grep_search", () => {
  const grep = (args: Record<string, unknown>) => call(createGrepSearchTool(knowledgeBase), args);

  it("finds lines with their numbers and merges windows that touch", async () => {
    const { evidence } = await grep({ pattern: "NEEDLE", path: "docs/a.md" });
    expect(
      evidence.map(({ source }) =>
        source.kind === "file" ? [source.startLine, source.endLine] : [],
      ),
    ).toEqual([
      [7, 13],
      [27, 33],
      [47, 53],
    ]);
    const close = await grep({ pattern: "line 1[05]", regex: true, path: "docs/a.md" });
    expect(close.evidence).toHaveLength(1);
    expect(close.evidence[0]).toMatchObject({ source: { startLine: 7, endLine: 18 } });
  });

  it("searches all documents, passes over those that cannot be read, and never shows what a link leads to", async () => {
    const { evidence } = await grep({ pattern: "needle" });
    expect(new Set(evidence.map(({ title }) => title))).toEqual(new Set(["a.md", "report.pdf"]));
    expect((await grep({ pattern: "secret" })).evidence).toEqual([]);
  });

  it("takes a pattern literally unless told otherwise, and heeds case when asked", async () => {
    expect((await grep({ pattern: "line 1[05]" })).evidence).toEqual([]);
    expect((await grep({ pattern: "NEEDLE", ignore_case: false })).evidence).toEqual([]);
  });

  it.each(["(?=x)y", "(a)\\1", "(?<!x)y", "a{1000}b{1000}c{1000}d{1000}", "["])(
    "refuses the pattern %p",
    (pattern) => {
      expect(() => lineMatcher(pattern, { regex: true, ignoreCase: true })).toThrow("pattern");
    },
  );

  it.each([
    "(a+)+$",
    "(a|a)*b",
    "(a|)*b",
    "(|a|b)+c",
    "(a*)*b",
    ".*.*.*.*.*.*.*.*=",
    "(a|aa|aaa)+b",
    "a*a*a*a*a*a*b",
  ])("reads the worst line of %p once, without going back", (pattern) => {
    const matches = lineMatcher(pattern, { regex: true, ignoreCase: false });
    expect(matches(`${"a".repeat(1_999)}!`)).toBe(false);
  });
});

it("gives the rows of a CSV file with the names of their columns, at their lines", async () => {
  const file = join(folder, "prices.csv");
  await writeFile(file, "name,price\nBolt,3\nNut,2\n");
  const document: DocumentRecord = {
    path: "docs/prices.csv",
    absolutePath: file,
    hash: "1",
    kind: "csv",
    title: "prices",
    bytes: 24,
  };
  const rows = [
    passage("c1", {
      path: "docs/prices.csv",
      kind: "csv",
      startLine: 2,
      endLine: 3,
      text: "name: Bolt; price: 3\nname: Nut; price: 2",
    }),
  ];
  const base = stubKnowledgeBase({ documents: [document], passages: { "docs/prices.csv": rows } });
  const { evidence } = await call(createReadFileTool(base), {
    path: "docs/prices.csv",
    start_line: 3,
    end_line: 3,
  });
  expect(evidence).toMatchObject([
    { text: "name: Nut; price: 2", source: { startLine: 3, endLine: 3 } },
  ]);
});

it("says how many documents a grep did not come to", async () => {
  const many = Array.from({ length: 80 }, (_, index): DocumentRecord => {
    const path = `many/${index}.md`;
    return { path, hash: "1", kind: "pdf", title: path, bytes: 1_000_000 };
  });
  const { summary } = await call(createGrepSearchTool(stubKnowledgeBase({ documents: many })), {
    pattern: "quetzal",
  });
  expect(summary).toBe(
    '0 places in 50 documents hold "quetzal"; 30 documents not searched: too large together',
  );
});
