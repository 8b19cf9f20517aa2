import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { DocumentRecord, Passage } from "../../src/retrieval/knowledge-base.js";
import { createGrepSearchTool, createReadFileTool } from "../../src/tools/file-tools.js";
import type { AgentTool } from "../../src/tools/tool.js";
import { createTestScope } from "../support/test-scope.js";
import { passage, stubKnowledgeBase } from "./stub-knowledge-base.js";

const record = (path: string, over: Partial<DocumentRecord> = {}): DocumentRecord => ({
  path,
  hash: "1",
  kind: "markdown",
  title: path,
  bytes: 500,
  ...over,
});

/** Three passages of twenty lines, each under a heading of its own, and a PDF of two pages. */
const LINES = Array.from({ length: 60 }, (_, index) =>
  index % 20 === 9 ? `line ${index + 1} has the needle` : `line ${index + 1}`,
);
const sections = [0, 20, 40].map((from) =>
  passage(`a${from}`, {
    path: "docs/a.md",
    // The heading takes the first line, an empty line the second.
    text: LINES.slice(from + 2, from + 20).join("\n"),
    startLine: from + 3,
    endLine: from + 20,
    heading: `Part ${from / 20 + 1}`,
  }),
);
const pages = ["Page one.", "The needle on page two."].map((text, index) =>
  passage(`p${index}`, { path: "docs/report.pdf", kind: "pdf", page: index + 1, text }),
);
const knowledgeBase = stubKnowledgeBase({
  documents: [record("docs/a.md"), record("docs/report.pdf", { kind: "pdf" })],
  passages: { "docs/a.md": sections, "docs/report.pdf": pages },
});

const holding = (document: DocumentRecord, passages: Passage[] = []) =>
  stubKnowledgeBase({ documents: [document], passages: { [document.path]: passages } });

const call = (
  tool: AgentTool,
  args: Record<string, unknown>,
  question = "where is the needle?",
) => {
  const scope = createTestScope();
  return tool.run({ args, question, round: 0, scope, signal: scope.signal });
};
const read = (args: Record<string, unknown>, base = knowledgeBase) =>
  call(createReadFileTool(base), args);

describe("read_file", () => {
  it("reads a whole file by a unique end of its path, as the passages that a search would find", async () => {
    const { evidence, summary } = await read({ path: "a.md" });
    expect(evidence.map(({ id }) => id).sort()).toEqual(["a0", "a20", "a40"]);
    expect(summary).toBe("3 passages of docs/a.md");
  });

  it("reads the passages that hold a range of lines, whole", async () => {
    const { evidence } = await read({ path: "docs/a.md", start_line: 9, end_line: 11 });
    expect(evidence).toMatchObject([
      { id: "a0", source: { kind: "file", path: "docs/a.md", start_line: 3, end_line: 20 } },
    ]);
  });

  it("reads the passage below a heading when asked for the heading's line", async () => {
    const { evidence } = await read({ path: "docs/a.md", start_line: 21, end_line: 21 });
    expect(evidence.map(({ id }) => id)).toEqual(["a20"]);
  });

  it("reads the rows of every sheet of a workbook, each of which counts from 1", async () => {
    const sheets = [1, 2].map((sheet) =>
      passage(`s${sheet}`, {
        path: "stock.xlsx",
        kind: "xlsx",
        startLine: 2,
        endLine: 100 / sheet,
        heading: `Sheet ${sheet}`,
        text: `part: Bolt ${sheet}`,
      }),
    );
    const base = holding(record("stock.xlsx", { kind: "xlsx" }), sheets);
    const { evidence } = await read({ path: "stock.xlsx", start_line: 10, end_line: 12 }, base);
    expect(evidence.map(({ id }) => id)).toEqual(["s1", "s2"]);
    await expect(read({ path: "stock.xlsx", start_line: 101 }, base)).rejects.toThrow(
      "it ends at line 100",
    );
  });

  it("reads a document without lines whole, with its pages", async () => {
    const { evidence } = await read({ path: "docs/report.pdf", start_line: 7 });
    expect(evidence.map(({ source }) => source.kind === "file" && source.page).sort()).toEqual([
      1, 2,
    ]);
  });

  it("returns the passages closest to the question, and says how many it left out", async () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      passage(`m${index}`, { path: "m.md", text: index === 17 ? "a needle" : "hay" }),
    );
    const { evidence, summary } = await read({ path: "m.md" }, holding(record("m.md"), many));
    expect(evidence[0]).toMatchObject({ id: "m17" });
    expect(summary).toBe("20 passages of m.md; 12 less relevant ones left out");
  });

  it("reports where a file ends if the line does not exist", async () => {
    await expect(read({ path: "docs/a.md", start_line: 61 })).rejects.toThrow(
      "docs/a.md has no line 61: it ends at line 60",
    );
    await expect(read({ path: "docs/a.md", start_line: 5, end_line: 4 })).rejects.toThrow(
      "the range of lines 5 to 4 is reversed",
    );
  });

  it.each([
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
  ])("refuses %p with a clear message and reads nothing", async (path) => {
    await expect(read({ path })).rejects.toThrow("is not in the knowledge base");
  });

  it("suggests documents with a similar name", async () => {
    await expect(read({ path: "the report" })).rejects.toThrow("did you mean docs/report.pdf?");
  });

  it("asks which one is meant when a name is not unique", async () => {
    const base = stubKnowledgeBase({ documents: [record("x/a.md"), record("y/a.md")] });
    await expect(read({ path: "a.md" }, base)).rejects.toThrow(
      '"a.md" is not unique; did you mean x/a.md, y/a.md?',
    );
  });

  it("finds a name whichever way its letters are written", async () => {
    const path = "docs/u\u0308ber.md";
    const base = holding(record(path), [passage("u", { path })]);
    for (const name of ["docs/\u00fcber.md", "\u00fcber.md", path])
      expect((await read({ path: name }, base)).evidence).toHaveLength(1);
  });
});

it("shows what was ingested, and not what took the file's place: no tool opens a file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "file-tools-"));
  await writeFile(join(folder, ".env"), "the secret outside of the knowledge base");
  await symlink(join(folder, ".env"), join(folder, "a.md"));
  const document = record("a.md", { absolutePath: join(folder, "a.md") });
  const base = holding(document, [passage("h1", { path: "a.md", text: "What was ingested." })]);
  for (const tool of [createReadFileTool(base), createGrepSearchTool(base)]) {
    const { evidence } = await call(tool, { path: "a.md", pattern: "what" });
    expect(evidence.map(({ text }) => text)).toEqual(["What was ingested."]);
  }
  expect((await call(createGrepSearchTool(base), { pattern: "secret" })).evidence).toEqual([]);
  await rm(folder, { recursive: true });
});

describe("grep_search", () => {
  const grep = (args: Record<string, unknown>) => call(createGrepSearchTool(knowledgeBase), args);

  it("finds passages with a matching line, those with most matches first", async () => {
    const { evidence, summary } = await grep({ pattern: "NEEDLE" });
    expect(evidence.map(({ id }) => id)).toEqual(["a0", "a20", "a40", "p1"]);
    expect(summary).toBe('4 passages with "NEEDLE"');
    const { evidence: most } = await grep({ pattern: "line 4" });
    expect(most.map(({ id }) => id)).toEqual(["a40", "a0", "a20"]);
  });

  it("finds the passages under a matching heading, and heeds the path", async () => {
    const { evidence } = await grep({ pattern: "part 2", path: "docs/a.md" });
    expect(evidence.map(({ id }) => id)).toEqual(["a20"]);
    expect((await grep({ pattern: "part 2", path: "docs/*.pdf" })).evidence).toEqual([]);
  });

  it("takes a pattern literally, across line breaks, and heeds case when asked", async () => {
    expect((await grep({ pattern: "line 1[05]" })).evidence).toEqual([]);
    const { evidence } = await grep({ pattern: "line 11  line 12" });
    expect(evidence.map(({ id }) => id)).toEqual(["a0"]);
    expect((await grep({ pattern: "NEEDLE", ignore_case: false })).evidence).toEqual([]);
  });
});

it("says how many documents a grep skipped, and lets others run in between", async () => {
  const documents = Array.from({ length: 80 }, (_, index) =>
    record(`many/${index}.md`, { bytes: index < 30 ? 10_000_000 : 1_000 }),
  );
  let turns = 0;
  const count = (): void => {
    turns += 1;
    other = setImmediate(count);
  };
  let other = setImmediate(count);
  const { summary } = await call(createGrepSearchTool(stubKnowledgeBase({ documents })), {
    pattern: "quetzal",
  });
  clearImmediate(other);
  expect(turns).toBeGreaterThan(0);
  expect(summary).toBe('0 passages with "quetzal"; 30 not searched: too large, or out of time');
});
