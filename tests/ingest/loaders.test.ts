import { describe, expect, it } from "@jest/globals";
import { strToU8, zipSync } from "fflate";
import { LoadError } from "../../src/formats/document.js";
import { loadFile } from "../../src/formats/document-formats.js";
import { compoundsIn } from "../../src/formats/loaders/pdf-paragraphs.js";

const load = (name: string, content: string | Uint8Array) =>
  loadFile(`/folder/${name}`, typeof content === "string" ? Buffer.from(content) : content);
const texts = async (name: string, content: string | Uint8Array) =>
  (await load(name, content)).blocks.map(({ text }) => text);

/** A PDF of one line of text a page, written by hand. */
function pdfOf(pages: readonly string[]): Uint8Array {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ")}] /Count ${pages.length} >>`,
  ];
  objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  pages.forEach((text, index) => {
    const stream = `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
    );
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  });
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  return Buffer.from(
    `${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF`,
  );
}

const docx = (body: string) =>
  zipSync({
    "[Content_Types].xml": strToU8(
      `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    ),
    "_rels/.rels": strToU8(
      `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    "word/document.xml": strToU8(
      `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    ),
  });

describe("Markdown", () => {
  it("reads headings with nothing below them as text, and no pictures inside of the text", async () => {
    const picture = `![hive](data:image/png;base64,${"iVBORw0K".repeat(4_000)})`;
    const { blocks } = await load("a.md", `# Notes\n## Honey\n## Hive\n${picture} Oak.\n## Wax\n`);
    expect(blocks.map((each) => [...each.headings, each.text, each.startLine])).toEqual([
      ["Honey", 2],
      ["Hive", "hive Oak.", 4],
      ["Wax", 5],
    ]);
  });

  it("leaves out badges, which link to what they show, and keeps the words for a picture", async () => {
    const badge = "[![Weekly downloads](https://badges.test/x.svg)](https://registry.test/x)";
    const text = `# Hives ${badge}\n\n${badge} ${badge}\n\nPress ![the red button](b.png) twice.\n`;
    const { title, blocks } = await load("a.md", text);
    expect(title).toBe("Hives");
    expect(blocks.map((each) => each.text)).toEqual(["Press the red button twice."]);
  });

  it("gives blocks their heading path and lines, without the title that every passage carries", async () => {
    const { title, blocks } = await load(
      "guide.md",
      "# Guide\n\nIntro.\n\n## Setup\n\nFirst line\nsecond line.\n\n### Linux\n\nUse apt.\n\n## Use\n\nRun it.\n",
    );
    expect(title).toBe("Guide");
    expect(
      blocks.map(({ headings, text, startLine, endLine }) => [
        headings.join(" > "),
        text,
        startLine,
        endLine,
      ]),
    ).toEqual([
      ["", "Intro.", 3, 3],
      ["Setup", "First line\nsecond line.", 7, 8],
      ["Setup > Linux", "Use apt.", 12, 12],
      ["Use", "Run it.", 16, 16],
    ]);
  });

  it("takes the title from the front matter and keeps line numbers right after it", async () => {
    const { title, blocks } = await load(
      "a.md",
      `---\ntitle: "From front matter"\ntags: [x]\n---\n\nText.\n`,
    );
    expect([title, blocks[0]?.text, blocks[0]?.startLine]).toEqual([
      "From front matter",
      "Text.",
      6,
    ]);
  });

  it("drops markup that a quotation does not need and leaves code alone", async () => {
    expect(
      await texts(
        "a.md",
        "See **the [guide](http://x.y)** and `a_b`.\n\n```js\nconst a = **b**;\n```\n\n<!-- hidden -->\n",
      ),
    ).toEqual(["See the guide and `a_b`.", "```js\nconst a = **b**;\n```"]);
  });

  it("reads list items one by one with their lines, and keeps inner structure as written", async () => {
    const { blocks } = await load("a.md", "1. one *x*\n2. two\n\n- three\n  - inner\n");
    expect(blocks.map(({ text, startLine }) => [text, startLine])).toEqual([
      ["1. one x", 1],
      ["2. two", 2],
      ["- three\n  - inner", 4],
    ]);
  });

  it("numbers a list as readers see it, though its writer numbered every item 1", async () => {
    const list = "3. three\n3. four\n\n   more of four\n3. five\n";
    expect(await texts("a.md", list)).toEqual([
      "3. three",
      "4. four\n\n   more of four",
      "5. five",
    ]);
  });

  it("reads headings and tables in HTML, and leaves out rules between parts", async () => {
    const { title, blocks } = await load(
      "README.md",
      `<h1 align="center">Tents</h1>\n\nSold here.\n\n***\n\n<h2>Prices</h2>\n\n<table><tr><th>Tent</th><th>Price</th></tr><tr><td>Ridge</td><td>5</td></tr></table>\n`,
    );
    expect(title).toBe("Tents");
    expect(blocks.map(({ headings, text }) => [...headings, text])).toEqual([
      ["Sold here."],
      ["Prices", "Tent: Ridge; Price: 5"],
    ]);
  });

  it("reads each heading of a block of HTML where it stands", async () => {
    const { blocks } = await load("page.md", "<h2>A</h2>\n<p>One.</p>\n<h2>B</h2>\n<p>Two.</p>\n");
    expect(blocks.map(({ headings, text }) => [...headings, text].join(" > "))).toEqual([
      "A > One.",
      "B > Two.",
    ]);
  });

  it("leaves out what was struck out, as it does in web pages and Word", async () => {
    expect(await texts("a.md", "It costs ~~9~~ 7 euros.")).toEqual(["It costs  7 euros."]);
    expect(await texts("a.html", "<p>It costs <del>9</del> 7 euros.</p>")).toEqual([
      "It costs 7 euros.",
    ]);
    const run = (text: string, strike = "") =>
      `<w:r><w:rPr>${strike}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
    const words = `${run("It costs ")}${run("9", "<w:strike/>")}${run(" 7 euros.")}`;
    expect(await texts("a.docx", docx(`<w:p>${words}</w:p>`))).toEqual(["It costs 7 euros."]);
    const twice = `${run("six ", "<w:dstrike/>")}${run("or five", "<w:strike/>")}${run(" eight")}`;
    expect(await texts("b.docx", docx(`<w:p>${twice}</w:p>`))).toEqual(["eight"]);
  });
});

describe("text", () => {
  it("is not code that was minified, unlike code and books with long lines", async () => {
    const minified = `Search.setIndex(${JSON.stringify(Array.from({ length: 900 }, (_, at) => `t${at}`))})`;
    await expect(load("searchindex.js", minified)).rejects.toThrow(
      "it is code without line breaks, made for machines",
    );
    expect(await texts("book.txt", minified)).toHaveLength(1);
    expect(await texts("a.js", "run();\n\nstop();\n")).toEqual(["run();", "stop();"]);
  });

  it("parts the boxes of a checklist, so that one of them can be quoted", async () => {
    expect(
      await texts("todo.txt", "Before the trip\n\n[ ] Book the ferry\n[x] Pay the cabin"),
    ).toEqual(["Before the trip", "[ ] Book the ferry", "[x] Pay the cabin"]);
  });

  it("has the titles that rules of signs make, as in reStructuredText and AsciiDoc", async () => {
    const manual = `.. _pump:

==============
The Bilge Pump
==============

It runs by itself.

Care
====

Name    Hours
-------------
Filter  40

\`\`screen\`\`
----------
Clean it weekly.

Storage
=======================

Drain it first.

Not a title::

    x = 1
    -----

The pump has two speeds, both of them loud.
-----

Done.
`;
    const { title, blocks } = await load("pump.rst", manual);
    expect(title).toBe("The Bilge Pump");
    expect(blocks.map(({ text, headings, startLine }) => [startLine, headings, text])).toEqual([
      [1, [], ".. _pump:"],
      [7, [], "It runs by itself."],
      [12, ["Care"], "Name    Hours\n-------------\nFilter  40"],
      [18, ["Care", "``screen``"], "Clean it weekly."],
      [23, ["Storage"], "Drain it first."],
      [25, ["Storage"], "Not a title::"],
      [27, ["Storage"], "    x = 1\n    -----"],
      [30, ["Storage"], "The pump has two speeds, both of them loud.\n-----"],
      [33, ["Storage"], "Done."],
    ]);
  });

  it("has no titles in the examples between rules of AsciiDoc", async () => {
    const example = "------------\npump --start\n------------";
    const ruled = `pump(1)\n=======\n\nNAME\n----\npump - moves water\n\n${example}\n`;
    const marked = `= Pumps\n\n== Start\n\n${example}\n\n=== At sea ===\n\nWait.\n`;
    const read = async (text: string) =>
      (await load("pump.adoc", text)).blocks.map(({ text, headings }) => [headings, text]);
    expect(await read(ruled)).toEqual([
      [["NAME"], "pump - moves water"],
      [["NAME"], example],
    ]);
    expect(await read(marked)).toEqual([
      [["Start"], example],
      [["Start", "At sea"], "Wait."],
    ]);
    expect((await load("pump.adoc", marked)).title).toBe("Pumps");
  });

  it("is decoded from UTF-8, UTF-16 and Windows-1252, with any line breaks", async () => {
    expect(await texts("a.txt", "\uFEFFcafé\r\nline\r\n\r\nnext")).toEqual(["café\nline", "next"]);
    expect(await texts("a.txt", Buffer.from("\uFEFFcafé", "utf16le"))).toEqual(["café"]);
    expect(await texts("a.txt", Buffer.from("caf\xe9 au lait", "latin1"))).toEqual([
      "café au lait",
    ]);
  });

  it("is refused with a reason if its encoding is unknown", async () => {
    // Russian in Windows-1251, Japanese in Shift-JIS.
    for (const bytes of [
      "0ODq5fLgIMHu8OXpIOH76+Ag5+Dv8/nl7eAg4iAxOTkxIOPu5PMg8SDq7vHs7uTw7uzgIM/r5fHl9uou",
      "k4yLnoNeg4+BW4LNMTk1OJROgsmKrpCsgrWCvYFCjYKCs4LNMzMzg4GBW4Nng4uCxYKggumBQg==",
    ])
      await expect(load("a.txt", Buffer.from(bytes, "base64"))).rejects.toThrow(
        /convert it to UTF-8/,
      );
    await expect(
      load("a.txt", Buffer.from([...Array(60).keys()].map((n) => 0x80 + ((n * 37) % 128)))),
    ).rejects.toThrow(/convert it to UTF-8/);
    await expect(load("a.txt", Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]))).rejects.toThrow(
      /UTF-32/,
    );
  });

  it("is not read from binary data", async () => {
    await expect(load("a.txt", Buffer.from([1, 2, 0, 3]))).rejects.toThrow(/binary/);
    await expect(
      load("a.dat", Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3, 4, 0xff, 0xfe])),
    ).rejects.toThrow(LoadError);
  });
});

describe("HTML", () => {
  const article = `<p>${"The float glass process floats molten glass on molten tin. ".repeat(12)}</p>`;
  it("keeps the main content with its headings and leaves out navigation and scripts", async () => {
    const { title, blocks } = await load(
      "a.html",
      `<html><head><title>Glass</title></head><body><nav><a href="/">Home</a></nav><article><h2>Process</h2>${article}<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table><pre>x = 1\ny</pre></article><script>alert(1)</script><footer>Imprint</footer></body></html>`,
    );
    const all = blocks.map(({ text }) => text).join("\n");
    expect(title).toBe("Glass");
    expect(all).toContain("molten tin");
    expect(all).toContain("A: 1; B: 2");
    expect(all).toContain("x = 1\ny");
    expect(all).not.toMatch(/alert|Home/);
    expect(blocks.find(({ text }) => text.includes("molten"))?.headings).toEqual(["Process"]);
  });

  it("reads unknown and outdated elements within a line, as browsers do", async () => {
    const page = `<p>The <acronym>TOAST</acronym> code (<tt>toast.c</tt>) runs <o:p>late</o:p>.</p>`;
    expect(await texts("a.html", page)).toEqual(["The TOAST code (toast.c) runs late."]);
  });

  it.each([
    [
      "a term with its description",
      "<dt>port</dt><dd>Where it listens.</dd>",
      ["- port: Where it listens."],
    ],
    [
      "several terms",
      "<dt>-p</dt><dt>--port</dt><dd><p>Port.</p><p>More.</p></dd>",
      ["- -p, --port: Port.", "More."],
    ],
    ["terms without an end", "<dt>a<dd>One.<dt>b<dd>Two.", ["- a: One.", "- b: Two."]],
    ["terms in paragraphs", "<dt><p>a<a>¶</a></p></dt><dd>One.</dd>", ["- a: One."]],
    ["terms alone", "<dt>a</dt><dt>b</dt>", ["- a, b"]],
    ["an empty description", "<dt>a</dt><dd></dd><dt>b</dt><dd>Two.</dd>", ["- a", "- b: Two."]],
    ["a list as description", "<dt>a</dt><dd><ul><li>One</li></ul></dd>", ["- a", "- One"]],
    ["code as description", "<dt>a</dt><dd><pre>x</pre>Why.</dd>", ["- a", "```\nx\n```", "Why."]],
  ])("reads %s of a description list", async (_name, list, expected) => {
    expect(await texts("a.html", `<dl>${list}</dl>`)).toEqual(expected);
  });

  it("reads a page of an encyclopedia without its buttons, and a table's caption once", async () => {
    const { blocks } = await load(
      "a.html",
      `<h2>History<span class="mw-editsection">[<a>edit</a>]</span></h2><table><tr><th colspan="2">Tower</th></tr><tr><th>Height</th><td>330 m</td></tr></table><p>Tall.</p>`,
    );
    expect(blocks.map(({ text, headings }) => [...headings, text])).toEqual([
      ["History", "Tower"],
      ["History", "Height: 330 m"],
      ["History", "Tall."],
    ]);
  });

  it("leaves out what is struck out across paragraphs or twice, and nothing in code", async () => {
    const page =
      "<del><p>Old price.</p><p>Old <b>date</b>.</p></del><p><del><s>5</s></del> <s></s>4</p><pre>a = <s>1</s></pre>";
    expect(await texts("page.html", page)).toEqual(["4", "```\na = 1\n```"]);
  });

  it("ends a term at a heading, and puts it before the table that describes it", async () => {
    const table = "<table><tr><td>a<td>b<tr><td>1<td>2</table>";
    expect(
      await texts("page.html", `<dl><dt>Sizes<dd>${table}<dt>Last</dt><h2>Next</h2><p>Text.`),
    ).toEqual(["- Sizes", "a: 1; b: 2", "- Last", "Text."]);
  });

  it("leaves out links to the pages before and after, and their titles", async () => {
    const next = `<a accesskey="n" href="c.html"><img src="next.gif" alt="Next"></a>`;
    const page = (head: string, foot: string) =>
      texts("b.html", `<title>Glass</title><h1>Glass</h1>${head}${article}${foot}`);
    const [kept] = await page("", "");
    const header = `<div><table><tr><th colspan="2">Glass</th></tr><tr><td>Chapter 2. Making</td><td>${next}</td></tr></table></div>`;
    const footer = `<div><hr><table><tr><td><a accesskey="p" href="a.html">Prev</a></td><td>${next}</td></tr><tr><td>Sand</td><td>Windows</td></tr></table></div>`;
    expect(await page(header, footer)).toEqual([kept]);
    const line = `<p>Next: <a href="c.html" rel="next">Windows</a>, Up: <a href="." rel="up">Making</a></p>`;
    expect(await page(line, line)).toEqual([kept]);
    const text = `<p>It is cut next, see <a href="c.html" rel="next">Windows</a>.</p>`;
    expect(await page("", text)).toEqual([kept, "It is cut next, see Windows."]);
  });

  it("ends the heading of a note with the note, and keeps that of its section", async () => {
    const note = (name: string, text: string) =>
      `<div class="${name}"><h3>Note</h3><p>${text}</p></div>`;
    const sections = `<h1>Glass</h1><div><h2>Making</h2><div class="title"><h3>Bath</h3></div><p>Tin melts.</p>${note("tip", "Wear gloves.")}${note("tip", "Open a window.")}<p>Glass floats.</p></div><div><h3>Cutting</h3><p>Score it.</p></div>`;
    const { blocks } = await load("a.html", `<title>Glass</title>${sections}`);
    expect(blocks.map(({ text, headings }) => [headings, text])).toEqual([
      [["Making", "Bath"], "Tin melts."],
      [["Making", "Bath", "Note"], "Wear gloves."],
      [["Making", "Bath", "Note"], "Open a window."],
      [["Making", "Bath"], "Glass floats."],
      [["Making", "Cutting"], "Score it."],
    ]);
  });

  it("takes the whole page if there is no article", async () => {
    expect(await texts("a.html", "<ul><li>One</li><li>Two</li></ul>")).toEqual(["- One", "- Two"]);
  });

  it.each([
    ["a hundred thousand divs", "<div>".repeat(100_000)],
    ["a hundred thousand inline elements", "<b>".repeat(100_000)],
    ["tags that never end", "<a ".repeat(100_000)],
  ])(
    "is quick to read shapes that could keep a parser busy for minutes: %s",
    async (_name, source) => {
      const started = performance.now();
      await load("a.html", `<html><body>${source}`).catch((error: unknown) =>
        expect(String(error)).toMatch(/nested too deeply/),
      );
      expect(performance.now() - started).toBeLessThan(60_000);
    },
  );

  it("is decoded as the page declares", async () => {
    const page = Buffer.from(
      `<html><head><meta charset="iso-8859-2"></head><body><p>\xa3\xf3d\xbc jest pi\xeaknym miastem.</p></body></html>`,
      "latin1",
    );
    expect(await texts("a.html", page)).toEqual(["Łódź jest pięknym miastem."]);
  });

  it("survives a page nested thousands of levels deep", async () => {
    const deep = `${"<div>".repeat(2_000)}text${"</div>".repeat(2_000)}`;
    const outcome = await load("a.html", deep).then(
      () => "loaded",
      (error: unknown) => (error instanceof LoadError ? "reported" : "broken"),
    );
    expect(["loaded", "reported"]).toContain(outcome);
  });
});

describe("other formats", () => {
  it("reads a PDF with its pages", async () => {
    const { kind, blocks } = await load(
      "a.pdf",
      pdfOf(["The honey bee dances.", "Glass floats on tin."]),
    );
    expect(kind).toBe("pdf");
    expect(blocks.map(({ text, page }) => [text, page])).toEqual([
      ["The honey bee dances.", 1],
      ["Glass floats on tin.", 2],
    ]);
  });

  it("joins the lines of a PDF to paragraphs, separated by wide gaps", async () => {
    const lines = [
      ["The committee has met on page"],
      ["4. The next point was hyphen-"],
      ["ated here."],
      ["A new paragraph.", 40],
    ] as const;
    const text = lines.map(([line, gap = 14]) => `0 -${gap} Td (${line}) Tj`).join(" ");
    expect(await texts("a.pdf", pdfOf([`) Tj ${text} (`]))).toEqual([
      "The committee has met on page 4. The next point was hyphenated here.",
      "A new paragraph.",
    ]);
  });

  it("leaves out the heads of a PDF's pages that name the chapter, by the number", async () => {
    const said = ["Bees", "Hives", "Honey", "Wax", "Wasps", "Nests"];
    const page = (text: string, index: number) => {
      const number = index + 9;
      const head = `Chapter ${number < 12 ? "2: Bees" : "3: Wasps"} ${number}`;
      return `${number % 2 === 1 ? head : `${number} The garden`}) Tj 0 -40 Td (${text} 40 are here.`;
    };
    expect(await texts("a.pdf", pdfOf(said.map(page)))).toEqual(
      said.map((text) => `${text} 40 are here.`),
    );
  });

  it("shortens the dots of a table of contents, and takes none of its lines for a heading", async () => {
    const dots = " . . . . . . . . . . . .";
    const contents = `/F1 16 Tf (1 Bees${dots} 3) Tj /F1 12 Tf 0 -20 Td (1.1 Hives${dots}. 4) Tj 0 -14 Td (1.2 Honey......... 7`;
    const { blocks } = await load(
      "a.pdf",
      pdfOf([`) Tj ${contents}`, "A hive is a box for bees."]),
    );
    expect(blocks.map(({ text, headings }) => [headings, text])).toEqual([
      [[], "1 Bees … 3"],
      [[], "1.1 Hives … 4\n1.2 Honey … 7"],
      [[], "A hive is a box for bees."],
    ]);
  });

  it("keeps the hyphen of a cut word that the PDF writes elsewhere", async () => {
    const lines = ["Storm-driven waves rose.", "They said that storm-", "driven water is hyphen-"];
    const text = [...lines, "ated."].map((line) => `0 -14 Td (${line}) Tj`).join(" ");
    expect((await texts("a.pdf", pdfOf([`) Tj ${text} (`]))).join(" ")).toMatch(
      /that storm-driven water is hyphenated\.$/u,
    );
  });

  it("looks for hyphens in a line without spaces in a moment", () => {
    const text = `${"a".repeat(60_000)} top-of-the-line`;
    const line = { text, left: 0, right: 1, y: 0, size: 12, cells: [] };
    const before = process.cpuUsage();
    expect([...compoundsIn([line])]).toEqual(["top-of", "of-the", "the-line"]);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
  });

  it("joins the lines of each column of a PDF", async () => {
    const left = ["The herons of the northern river", "bank are fed at dawn by Mr Ole", "Holm."];
    const right = ["All the ducks of the western bay", "swim out to the Isle of Man."];
    const shown = (lines: readonly string[]) =>
      lines.map((line) => `0 -14 Td (${line}) Tj`).join(" ");
    const page = `) Tj ${shown(left)} 260 42 Td ${shown(right)} (`;
    expect(await texts("a.pdf", pdfOf([page]))).toEqual([left.join(" "), right.join(" ")]);
  });

  it("keeps the rows of a PDF's table, with the heads of their columns", async () => {
    const at = (x: number, y: number, text: string) => `1 0 0 1 ${x} ${y} Tm (${text}) Tj`;
    const page = [
      at(72, 600, "What a parcel costs is listed here."),
      ...[at(72, 560, "Weight"), at(180, 560, "Destination"), at(320, 560, "Price")],
      ...[at(72, 540, "up to 2 kg"), at(180, 540, "Inland"), at(330, 540, "4.50")],
      // A cell of two lines, and the others in their middle.
      ...[at(72, 513, "up to 5 kg"), at(180, 520, "Inland, with"), at(180, 506, "islands")],
      at(330, 513, "6.90"),
      ...[at(72, 486, "up to 10 kg"), at(330, 486, "12.00")],
      at(72, 440, "Ask at the counter."),
    ];
    expect(await texts("a.pdf", pdfOf([`) Tj ${page.join(" ")} (`]))).toEqual([
      "What a parcel costs is listed here.",
      "Weight: up to 2 kg; Destination: Inland; Price: 4.50",
      "Weight: up to 5 kg; Destination: Inland, with islands; Price: 6.90",
      "Weight: up to 10 kg; Price: 12.00",
      "Ask at the counter.",
    ]);
  });

  it("keeps the rows of a PDF's list of sums, which has no heads", async () => {
    const rows = [
      ["Subtotal", "100.00"],
      ["Tax", "19.00"],
      ["Total", "119.00"],
    ] as const;
    const page = rows.map(
      ([name, sum], row) =>
        `1 0 0 1 72 ${600 - 16 * row} Tm (${name}) Tj 1 0 0 1 140 ${600 - 16 * row} Tm (${sum}) Tj`,
    );
    expect(await texts("a.pdf", pdfOf([`) Tj ${page.join(" ")} (`]))).toEqual([
      "Subtotal: 100.00",
      "Tax: 19.00",
      "Total: 119.00",
    ]);
  });

  it("reads larger print of a PDF as headings, and loses none that has nothing below it", async () => {
    const line = (size: number, gap: number, text: string) =>
      `/F1 ${size} Tf 0 -${gap} Td (${text}) Tj`;
    const first = [
      line(24, 30, "Beehives"),
      line(18, 40, "Care"),
      line(12, 25, "Open them in spring, when the air is warm."),
      line(18, 40, "Harvest of"),
      line(18, 22, "honey"),
      line(12, 25, "Wait for summer."),
    ];
    const pages = [first, [line(12, 30, "Then spin it."), line(24, 40, "98 of 100 hives live")]];
    const { title, blocks } = await load(
      "a.pdf",
      pdfOf(pages.map((lines) => `) Tj ${lines.join(" ")} (`)),
    );
    expect(title).toBe("Beehives");
    expect(blocks.map(({ text, headings, page }) => [page, headings, text])).toEqual([
      [1, ["Care"], "Open them in spring, when the air is warm."],
      [1, ["Harvest of honey"], "Wait for summer."],
      [2, ["Harvest of honey"], "Then spin it."],
      [2, [], "98 of 100 hives live"],
    ]);
  });

  it("keeps large print of a PDF that is too long for a heading, and text with one large sign", async () => {
    const line = (size: number, gap: number, text: string) =>
      `/F1 ${size} Tf 0 -${gap} Td (${text}) Tj`;
    const abstract = Array.from({ length: 8 }, () =>
      line(16, 20, "All of this is set in large print."),
    );
    const body = [
      line(12, 40, "Body text is what most of the page holds, line after line."),
      line(12, 14, "It goes on, line after line, as the text of a page does."),
    ];
    const sign =
      "/F1 12 Tf 0 -14 Td (The sum) Tj /F1 24 Tf (S) Tj /F1 12 Tf ( of all is small.) Tj";
    const many = Array.from({ length: 12 }, () => body[1]);
    const pages = [[...abstract, ...body, ...many, sign]];
    const { blocks } = await load(
      "a.pdf",
      pdfOf(pages.map((lines) => `) Tj ${lines.join(" ")} (`)),
    );
    expect(blocks[0]?.text).toMatch(/^(?:All of this is set in large print\.\s*){8}$/u);
    expect(blocks.every(({ headings }) => headings.length === 0)).toBe(true);
    expect(blocks.map(({ text }) => text).join(" ")).toContain("The sumS of all is small.");
  });

  it("says what is wrong with a PDF that is damaged or has no text", async () => {
    await expect(load("a.pdf", "%PDF-1.4 nonsense")).rejects.toThrow(/not a readable PDF/);
    await expect(load("a.pdf", pdfOf([""]))).rejects.toThrow(/no text/);
  });

  it("reads a Word document with headings, and rejects what is not one", async () => {
    const heading = `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Bees</w:t></w:r></w:p><w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>Winter</w:t></w:r></w:p>`;
    const { title, blocks } = await load(
      "a.docx",
      docx(`${heading}<w:p><w:r><w:t>They cluster.</w:t></w:r></w:p>`),
    );
    expect(blocks.map(({ text }) => text)).toContain("They cluster.");
    expect(title).toBe("Bees");
    await expect(load("a.docx", "not a zip")).rejects.toThrow(/not a readable Word document/);
  });

  it("reads an EPUB in the order of its spine", async () => {
    const book = zipSync({
      "META-INF/container.xml": strToU8(
        `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
      ),
      "OEBPS/book.opf": strToU8(
        `<package xmlns:dc="x"><metadata><dc:title>The Book</dc:title></metadata><manifest><item id="b" href="../Text/b%20c.xhtml"/><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
      ),
      "OEBPS/a.xhtml": strToU8(
        `<?xml version="1.0"?><html><body><h1>One</h1><p>First.</p></body></html>`,
      ),
      "Text/b c.xhtml": strToU8(`<html><body><h1>Two</h1><p>Second.</p></body></html>`),
    });
    const { title, blocks } = await load("a.epub", book);
    expect([title, blocks.map(({ text, headings }) => [headings[0], text])]).toEqual([
      "The Book",
      [
        ["One", "First."],
        ["Two", "Second."],
      ],
    ]);
    await expect(load("a.epub", "nothing")).rejects.toThrow(/not a readable EPUB/);
  });

  it("reads CSV as header: value rows with their lines, whatever the delimiter", async () => {
    const { blocks, metadata } = await load(
      "a.csv",
      `name;height\n"Eiffel;\nTower";330\nShard;310\n`,
    );
    expect(blocks.map(({ text, startLine, endLine }) => [text, startLine, endLine])).toEqual([
      ["name: Eiffel; Tower; height: 330", 2, 3],
      ["name: Shard; height: 310", 4, 4],
    ]);
    expect(metadata).toEqual({ columns: ["name", "height"] });
    expect(await texts("a.tsv", "a\tb\n1\t2")).toEqual(["a: 1; b: 2"]);
  });

  it.each([
    [
      "a delimiter inside of quotes",
      '"Name, first";"Age, years"\nBob;5',
      "Name, first: Bob; Age, years: 5",
    ],
    ["Excel's own first line", "sep=;\na;b\n1;2", "a: 1; b: 2"],
    ["a quote that is never closed", 'a,12"\n"x,2', 'a: "x; 12": 2'],
  ])("reads CSV with %s", async (_name, source, row) => {
    const { blocks } = await load("rows.csv", source);
    expect(blocks.map(({ text }) => text)).toEqual([row]);
  });

  it("reads the title above a table as text, and a table of one column with its head", async () => {
    expect(await texts("a.csv", "Sales of 2024\n\nRegion,Cost\nNorth,5\nSouth,\n")).toEqual([
      "Sales of 2024",
      "Region: North; Cost: 5",
      "Region: South",
    ]);
    expect(await texts("a.csv", "Region\nNorth\nSouth\n")).toEqual([
      "Region: North",
      "Region: South",
    ]);
    expect(await texts("a.csv", "Sales\nRegion,Cost\n")).toEqual(["Sales", "Region; Cost"]);
    const german = "Sales, 2024\nRegion;Cost\nNorth;5,20\nSouth;6,10\n";
    expect(await texts("a.csv", german)).toEqual([
      "Sales, 2024",
      "Region: North; Cost: 5,20",
      "Region: South; Cost: 6,10",
    ]);
  });

  it("takes a single name beside an empty corner as the head of a table", async () => {
    expect(await texts("prices.csv", ",price\ntent,100\nstove,80\n")).toEqual([
      "tent — price: 100",
      "stove — price: 80",
    ]);
  });

  it("keeps a long column of text a table of one column in spite of a stray comma", async () => {
    const rows = Array.from({ length: 12 }, (_, index) => `entry ${index}`);
    const read = await texts("notes.csv", ["note", ...rows, "well, yes", "no"].join("\n"));
    expect(read.at(0)).toBe("note: entry 0");
    expect(read.at(-1)).toBe("note: no");
  });

  it("keeps JSON integers that are too long for JavaScript, and powers of ten", async () => {
    const { blocks } = await load(
      "a.json",
      '{"id": 1234567890123456789, "text": "1234567890123456789 \\" 1"}',
    );
    expect(blocks[0]?.text).toBe('id: 1234567890123456789\ntext: 1234567890123456789 " 1');
    for (const [name, start] of [
      ["a.html", "<p>"],
      ["a.md", ""],
    ] as const) {
      const read = await load(name, `${start}10<sup>3</sup> tents, the 1<sup>st</sup>`);
      expect(read.blocks[0]?.text).toBe("10^3 tents, the 1st");
    }
  });

  it("takes the title from front matter in TOML as well", async () => {
    const { title, blocks } = await load("a.md", '+++\ntitle = "Tents"\n+++\n\nDry.\n');
    expect([title, blocks.map(({ text, startLine }) => [text, startLine])]).toEqual([
      "Tents",
      [["Dry.", 5]],
    ]);
  });

  it("takes the title from the first heading if the front matter folds it over lines", async () => {
    const { title } = await load("a.md", "---\ntitle: >-\n  Tents\n---\n\n# Dry tents\n\nDry.\n");
    expect(title).toBe("Dry tents");
  });

  it("reads JSON as key: value lines, an object's lists under their key", async () => {
    const { title, blocks } = await load(
      "a.json",
      JSON.stringify({
        title: "Towers",
        items: [{ name: "Shard", tags: ["a", "b"], at: { city: "London" } }],
      }),
    );
    expect(title).toBe("Towers");
    expect(blocks.map(({ headings, text }) => [headings[0], text])).toEqual([
      [undefined, "title: Towers"],
      ["items", "name: Shard\ntags: a, b\nat.city: London"],
    ]);
    await expect(load("a.json", "{broken")).rejects.toThrow(/not valid JSON/);
    await expect(load("a.json", "[".repeat(100_000) + "]".repeat(100_000))).rejects.toThrow(
      /nested too deeply|not valid JSON/,
    );
  });

  it("reads JSON lines as one block per record and skips broken ones", async () => {
    const { blocks } = await load("a.jsonl", `{"a":1}\nbroken\n{"b":"x"}\n`);
    expect(blocks.map(({ text, startLine }) => [text, startLine])).toEqual([
      ["a: 1", 1],
      ["b: x", 3],
    ]);
    await expect(load("a.jsonl", "broken")).rejects.toThrow(/valid JSON/);
  });

  it("reads a record with a title and a text as that text under that title", async () => {
    const { blocks } = await load(
      "corpus.jsonl",
      `{"_id": "a", "title": "Tents", "text": "Dry.\\n\\nLight."}\n{"_id": "b", "title": "Stoves", "text": "Hot.", "year": 1998}\n`,
    );
    expect(blocks.map(({ headings, text, startLine }) => [headings, text, startLine])).toEqual([
      [["Tents"], "Dry.", 1],
      [["Tents"], "Light.", 1],
      [["Stoves"], "Hot.", 2],
      [["Stoves"], "year: 1998", 2],
    ]);
    const list = await load(
      "tents.json",
      `[{"title": "Tents", "text": "Dry."}, {"title": "Name"}]`,
    );
    expect(list.blocks.map(({ headings, text }) => [headings, text])).toEqual([
      [["Tents"], "Dry."],
      [[], "title: Name"],
    ]);
  });
});
