import { describe, expect, it } from "@jest/globals";
import { strToU8, zipSync } from "fflate";
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { deflateSync } from "node:zlib";
import { LoadError } from "../../src/formats/document.js";
import { parseFile, type ParsedFile } from "../../src/ingest/parse-file.js";
import { CSV, HTML, JSON_SHAPES, MARKDOWN, WORDS, type Shapes } from "./shapes.js";

/** Far more than any of them needs on a busy machine, far less than a quadratic one takes. */
const LIMITS = { seconds: 120 };
const CHARACTERS = 20_000;

const parse = (file: string, content: string | Uint8Array, limits: object = LIMITS) =>
  parseFile({ file, path: file, bytes: Buffer.from(content) }, limits);
/** What is refused at once is as good as what is read; what meets a limit is not. */
const outcome = (file: string, content: string | Uint8Array): Promise<string> =>
  parse(file, content).then(
    () => "parsed",
    (error: unknown) => (error instanceof LoadError ? error.message : String(error)),
  );
const charactersOf = ({ passages }: ParsedFile) =>
  passages.reduce(
    (sum, { text, title, heading = "" }) => sum + text.length + title.length + heading.length,
    0,
  );

describe.each([
  ["text", "a.txt", WORDS],
  ["Markdown of odd words", "a.md", WORDS],
  ["Markdown", "a.md", MARKDOWN],
  ["HTML", "a.html", HTML],
  ["CSV of odd words", "a.csv", WORDS],
  ["CSV", "a.csv", CSV],
  ["JSON", "a.json", JSON_SHAPES],
] satisfies [string, string, Shapes][])("%s", (_kind, file, shapes) => {
  it.each(Object.keys(shapes))("is read within the limits: %s", async (name) => {
    expect(await outcome(file, shapes[name]?.(CHARACTERS) ?? "")).not.toMatch(/reading it/);
  });
});

it.each(Object.keys(WORDS))("HTML with a title and headings of %s is read", async (name) => {
  const text = WORDS[name]?.(CHARACTERS / 5) ?? "";
  const page = `<title>${text}</title><h1>${text}</h1><p>${text}</p><table><th>${text}</th><th>b</th><tr><td>1</td><td>2</td></tr></table>`;
  expect(await outcome("a.html", page)).not.toMatch(/reading it/);
});

describe("a title or heading", () => {
  it.each([
    [
      "a.md",
      `# ${"Bees ".repeat(8_000)}\n\n## ${"Wax ".repeat(8_000)}\n\n${"One.\n\n".repeat(500)}`,
    ],
    [
      "a.html",
      `<title>${"Bees ".repeat(8_000)}</title><h1>${"Wax ".repeat(8_000)}</h1>${"<p>One.</p>".repeat(500)}`,
    ],
    ["a.csv", `${"name".repeat(5_000)},b\n${"1,2\n".repeat(500)}`],
    ["a.json", JSON.stringify({ title: "Bees ".repeat(8_000), ["k".repeat(9_000)]: [{ a: 1 }] })],
  ])("that is long is not copied into every passage of %s", async (file, content) => {
    expect(charactersOf(await parse(file, content))).toBeLessThan(4 * content.length);
  });
});

describe("archives", () => {
  const zip = (files: Readonly<Record<string, Uint8Array>>) => zipSync(files, { level: 9 });
  /** Declares its members as larger than they are, which costs a test nothing. */
  const zipBomb = (names: readonly string[]): Uint8Array => {
    const bytes = Buffer.from(zip(Object.fromEntries(names.map((name) => [name, strToU8("x")]))));
    const entry = Buffer.from("PK\u0001\u0002");
    for (let at = bytes.indexOf(entry); at !== -1; at = bytes.indexOf(entry, at + 4))
      bytes.writeUInt32LE(150_000_000, at + 24);
    return bytes;
  };

  it.each(["a.docx", "a.epub", "a.xlsx", "a.pptx"])(
    "that unpack to too much are refused unread: %s",
    async (file) => {
      const bomb = zipBomb([
        "word/document.xml",
        "xl/sharedStrings.xml",
        "ppt/slides/slide1.xml",
        "content.xml",
      ]);
      expect(await outcome(file, bomb)).toMatch(/unpacks to too much data/);
    },
  );

  it("read a chapter once, however often the spine names it", async () => {
    const book = zip({
      "META-INF/container.xml": strToU8(`<rootfile full-path="b.opf"/>`),
      "b.opf": strToU8(`<item id="a" href="a.xhtml"/>${`<itemref idref="a"/>`.repeat(50_000)}`),
      "a.xhtml": strToU8("<p>Once.</p>"),
    });
    expect((await parse("a.epub", book)).passages.map(({ text }) => text)).toEqual(["Once."]);
  });

  it("do not repeat one text of a workbook without end", async () => {
    const workbook = zip({
      "xl/workbook.xml": strToU8(`<sheet name="A" r:id="r1"/>`),
      "xl/_rels/workbook.xml.rels": strToU8(
        `<Relationship Id="r1" Target="worksheets/sheet1.xml"/>`,
      ),
      "xl/sharedStrings.xml": strToU8(`<si><t>${"x ".repeat(10_000)}</t></si>`),
      "xl/worksheets/sheet1.xml": strToU8(`<row><c t="s"><v>0</v></c></row>`.repeat(50_000)),
    });
    expect(await outcome("a.xlsx", workbook)).toMatch(/too much text/);
  });
});

describe("limits", () => {
  /** A page whose content unpacks to a thousand times its size. */
  const pdfBomb = (megabytes: number): Uint8Array => {
    const content = deflateSync(
      Buffer.concat([Buffer.from("BT "), Buffer.alloc(megabytes * 1_000_000, "(a) Tj ")]),
    );
    const head =
      "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n<</Type/Page/Parent 2 0 R/Contents 4 0 R/MediaBox[0 0 9 9]>>\nendobj\n";
    const stream = `4 0 obj\n<</Length ${content.length}/Filter/FlateDecode>>\nstream\n`;
    return Buffer.concat([
      Buffer.from(head + stream),
      content,
      Buffer.from("\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF"),
    ]);
  };

  it("end a file that takes too long, and the next one is read", async () => {
    const slow = parse("a.pdf", pdfBomb(50), { seconds: 1 });
    await expect(slow).rejects.toThrow(/takes longer than 1 s/);
    expect((await parse("a.txt", "Bees.")).passages).toHaveLength(1);
  });

  it("end a file that takes too much memory", async () => {
    const large = parse("a.pdf", pdfBomb(100), { seconds: 120, megabytes: 40 });
    await expect(large).rejects.toThrow(/more than 40 MB of memory/);
  });

  it("end at once when the caller gives up", async () => {
    const controller = new AbortController();
    const bytes = Buffer.from(pdfBomb(50));
    const parsing = parseFile(
      { file: "a.pdf", path: "a.pdf", bytes },
      { signal: controller.signal },
    );
    const reason = new Error("interrupted");
    setTimeout(() => controller.abort(reason), 200);
    await expect(parsing).rejects.toBe(reason);
  });
});

it("a thread that ended between two files is replaced", async () => {
  // In a process of its own, which hears of its threads.
  const script = `
    import { parseFile } from ${JSON.stringify(path.resolve("src/ingest/parse-file.ts"))};
    const threads = [];
    process.on("worker", (thread) => threads.push(thread));
    const parse = (file) =>
      parseFile({ file, path: file, bytes: Buffer.from("Bees.") }, { seconds: 60 });
    await parse("a.txt");
    await Promise.all(threads.map((thread) => thread.terminate()));
    console.log(threads.length, (await parse("b.txt")).passages[0].text);
  `;
  const { NODE_OPTIONS: _, ...env } = process.env;
  const args = ["--import", "tsx", "--input-type=module", "-e", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toBe("1 Bees.\n");
}, 50_000);
