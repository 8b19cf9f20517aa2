import { describe, expect, it } from "@jest/globals";
import { strToU8, zipSync } from "fflate";
import { loadFile } from "../../src/formats/document-formats.js";

const load = (name: string, content: string | Uint8Array) =>
  loadFile(`/folder/${name}`, typeof content === "string" ? Buffer.from(content) : content);
const zip = (files: Readonly<Record<string, string>>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

const paragraph = (text: string, properties = "") =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

describe("Word", () => {
  const document = (body: string, styles = "") =>
    zip({
      "word/document.xml": `<w:document><w:body>${body}</w:body></w:document>`,
      "word/styles.xml": styles,
      "word/footnotes.xml": `<w:footnotes><w:footnote><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
    });

  it("reads headings by built-in style in any language, list items, tables and notes", async () => {
    const styles = `<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>`;
    const heading = paragraph("Bees &amp; wasps", `<w:pStyle w:val="berschrift1"/>`);
    const row = (...cells: string[]) =>
      `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join("")}</w:tr>`;
    const { title, blocks } = await load(
      "a.docx",
      document(
        heading +
          paragraph("They cluster.") +
          paragraph("one", `<w:numPr><w:numId w:val="1"/></w:numPr>`) +
          `<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:t> deleted</w:t></w:r></w:del><w:r><w:br/><w:t>on</w:t></w:r></w:p>` +
          `<w:tbl>${row("", "Low", "High")}${row("Price", "5", "9")}</w:tbl>`,
        styles,
      ),
    );
    expect(title).toBe("Bees & wasps");
    expect(blocks.map(({ text, form }) => [text, form])).toEqual([
      ["They cluster.", "paragraph"],
      ["- one", "item"],
      ["kept\non", "paragraph"],
      ["Price — Low: 5; High: 9", "row"],
      ["A note.", "paragraph"],
    ]);
  });
});

it("reads the headings and lists of Word's styles that are based on others", async () => {
  const style = (id: string, content: string) => `<w:style w:styleId="${id}">${content}</w:style>`;
  const styles =
    style("1", `<w:name w:val="heading 1"/>`) +
    style("Chapter", `<w:name w:val="Chapter"/><w:basedOn w:val="1"/>`) +
    style("Contents", `<w:basedOn w:val="1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>`) +
    style("Dots", `<w:pPr><w:numPr><w:numId w:val="5"/></w:numPr></w:pPr>`) +
    style("MoreDots", `<w:basedOn w:val="Dots"/>`) +
    style("Circle", `<w:basedOn w:val="Circle"/>`);
  const texts = ["Contents", "Chapter", "MoreDots", "Circle"].map((id) =>
    paragraph(`In ${id}`, `<w:pStyle w:val="${id}"/>`),
  );
  const word = zip({
    "word/document.xml": `<w:body>${texts.join("")}</w:body>`,
    "word/styles.xml": styles,
  });
  const { blocks } = await load("a.docx", word);
  expect(blocks.map(({ headings, text }) => [...headings, text])).toEqual([
    ["In Contents"],
    ["In Chapter", "- In MoreDots"],
    ["In Chapter", "In Circle"],
  ]);
});

it("keeps merged cells of Word and slides under their heads and beside their rows", async () => {
  const row = (...cells: string[]) => `<w:tr>${cells.join("")}</w:tr>`;
  const cell = (text: string, merged = "") =>
    `<w:tc><w:tcPr>${merged}</w:tcPr>${paragraph(text)}</w:tc>`;
  const wide = `<w:gridSpan w:val="2"/>`;
  const table =
    row(cell("Land"), cell("Hotel", wide)) +
    row(cell("Norway", `<w:vMerge w:val="restart"/>`), cell("70"), cell("200")) +
    row(cell("", "<w:vMerge/>"), cell("80"), cell("210")) +
    row(cell("Together", wide), cell("560"));
  const word = zip({ "word/document.xml": `<w:tbl>${table}</w:tbl>` });
  expect((await load("a.docx", word)).blocks.map(({ text }) => text)).toEqual([
    "Land: Norway; Hotel: 70; Hotel: 200",
    "Land: Norway; Hotel: 80; Hotel: 210",
    "Land: Together; Hotel: 560",
  ]);
  const tc = (text: string, given = "") =>
    `<a:tc ${given}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
  const tr = (...cells: string[]) => `<a:tr>${cells.join("")}</a:tr>`;
  const slide = `<a:tbl>${tr(tc("Land"), tc("Hotel"))}${tr(tc("Norway", `rowSpan="2"`), tc("70"))}${tr(tc("", `vMerge="1"`), tc("80"))}</a:tbl><a:p><a:r><a:rPr strike="sngStrike"/><a:t>90</a:t></a:r><a:r><a:rPr strike="noStrike"/><a:t> 95</a:t></a:r></a:p>`;
  const slides = zip({
    "ppt/presentation.xml": `<p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst>`,
    "ppt/_rels/presentation.xml.rels": `<Relationship Id="r1" Target="slides/slide1.xml"/>`,
    "ppt/slides/slide1.xml": slide,
  });
  expect((await load("a.pptx", slides)).blocks.map(({ text }) => text)).toEqual([
    "Land: Norway; Hotel: 70",
    "Land: Norway; Hotel: 80",
    "95",
  ]);
});

it("reads SmartArt of Word, and parts whose names are numbered", async () => {
  const word = zip({
    "word/document2.xml": `<w:body>${paragraph("Steps", `<w:pStyle w:val="H"/>`)}${paragraph("In order.")}</w:body>`,
    "word/styles2.xml": `<w:style w:styleId="H"><w:name w:val="heading 1"/></w:style>`,
    "word/diagrams/data1.xml": "<dgm:t><a:p><a:r><a:t>Melt</a:t></a:r></a:p></dgm:t>",
  });
  const { title, blocks } = await load("a.docx", word);
  expect([title, ...blocks.map(({ text }) => text)]).toEqual(["Steps", "In order.", "Melt"]);
});

it("numbers the steps of a Word list, also where its style makes it one", async () => {
  const styles = `<w:style w:styleId="Step"><w:pPr><w:numPr><w:numId w:val="5"/></w:numPr></w:pPr></w:style><w:style w:styleId="Plain"><w:basedOn w:val="Step"/><w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr></w:style>`;
  const level = (format: string) => `<w:lvl w:ilvl="0"><w:numFmt w:val="${format}"/></w:lvl>`;
  const numbering =
    `<w:abstractNum w:abstractNumId="0">${level("decimal")}<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>` +
    `<w:abstractNum w:abstractNumId="1">${level("bullet")}</w:abstractNum>` +
    `<w:num w:numId="5"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="6"><w:abstractNumId w:val="1"/></w:num>`;
  const step = (text: string) => paragraph(text, `<w:pStyle w:val="Step"/>`);
  const inList = (text: string, id: number, depth = 0) =>
    paragraph(text, `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="${id}"/></w:numPr>`);
  const word = zip({
    "word/document.xml": `<w:body>${step("Open")}${inList("gently", 5, 1)}${paragraph("Wait.")}${step("Close")}${inList("dot", 6)}${inList("none", 0)}${paragraph("plain", `<w:pStyle w:val="Plain"/>`)}</w:body>`,
    "word/styles.xml": styles,
    "word/numbering.xml": numbering,
  });
  expect((await load("a.docx", word)).blocks.map(({ text }) => text)).toEqual([
    "1. Open",
    "- gently",
    "Wait.",
    "2. Close",
    "- dot",
    "none",
    "plain",
  ]);
});

it("counts an HTML list from its start, and by the values of its items", async () => {
  const page = `<ol start="3"><li>c<li>d<li value="9">i<li>j</ol><ol start="-1"><li>a</ol>`;
  expect((await load("a.html", page)).blocks.map(({ text }) => text)).toEqual([
    "3. c",
    "4. d",
    "9. i",
    "10. j",
    "1. a",
  ]);
});

it("keeps powers and hyphens of Word and slides", async () => {
  const power = `<w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>3</w:t></w:r>`;
  const hyphen = `<w:r><w:t> e</w:t></w:r><w:r><w:noBreakHyphen/><w:t>mails</w:t></w:r>`;
  const word = zip({ "word/document.xml": `<w:body><w:p>${power}${hyphen}</w:p></w:body>` });
  expect((await load("a.docx", word)).blocks.map(({ text }) => text)).toEqual(["10^3 e-mails"]);
  const slide = `<p:sp><a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>3</a:t></a:r></a:p></p:sp>`;
  const talk = zip({
    "ppt/presentation.xml": `<p:sldId r:id="r1"/>`,
    "ppt/_rels/presentation.xml.rels": `<Relationship Id="r1" Target="slides/slide1.xml"/>`,
    "ppt/slides/slide1.xml": slide,
  });
  expect((await load("a.pptx", talk)).blocks.map(({ text }) => text)).toEqual(["10^3"]);
});

it("names Word documents by their properties where no paragraph is its title", async () => {
  const { title } = await load(
    "a.docx",
    zipSync({
      "word/document.xml": strToU8(
        '<w:document xmlns:w="w"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Leave</w:t></w:r></w:p><w:p><w:r><w:t>29 days.</w:t></w:r></w:p></w:body></w:document>',
      ),
      "docProps/core.xml": strToU8(
        "<cp:coreProperties><dc:title>Staff handbook</dc:title></cp:coreProperties>",
      ),
    }),
  );
  expect(title).toBe("Staff handbook");
});

describe("PowerPoint", () => {
  const slide = (title: string, ...lines: string[]) =>
    `<p:sld><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:r><a:t>${title}</a:t></a:r></a:p></p:sp><p:sp>${lines.map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`).join("")}</p:sp></p:sld>`;

  it("cites slides as pages, in the order of the show, with SmartArt and speaker notes", async () => {
    const { kind, blocks } = await load(
      "talk.pptx",
      zip({
        "ppt/presentation.xml": `<p:sldIdLst><p:sldId r:id="r2"/><p:sldId r:id="r1"/><p:sldId r:id="r1"/></p:sldIdLst>`,
        "ppt/_rels/presentation.xml.rels": `<Relationships><Relationship Id="r1" Target="slides/slide1.xml"/><Relationship Id="r2" Target="slides/slide2.xml"/></Relationships>`,
        "ppt/slides/slide1.xml": slide("Second", "Glass floats."),
        "ppt/slides/slide2.xml": slide("Only a title"),
        "ppt/slides/_rels/slide1.xml.rels": `<Relationships><Relationship Id="r1" Target="../slideLayouts/slideLayout1.xml"/><Relationship Id="r2" Target="../notesSlides/notesSlide1.xml"/><Relationship Id="r3" Target="../diagrams/data1.xml"/></Relationships>`,
        "ppt/notesSlides/notesSlide1.xml": slide("Tin is liquid at 232 °C.", "2"),
        "ppt/diagrams/data1.xml": "<dgm:t><a:p><a:r><a:t>Melt</a:t></a:r></a:p></dgm:t>",
      }),
    );
    expect(kind).toBe("pptx");
    expect(blocks.map(({ text, page, headings }) => [text, page, headings.join(" > ")])).toEqual([
      ["Only a title", 1, "Slide 1"],
      ["Glass floats.", 2, "Slide 2 > Second"],
      ["Melt", 2, "Slide 2 > Second"],
      ["Tin is liquid at 232 °C.", 2, "Slide 2 > Second > Speaker notes"],
    ]);
  });
});

describe("Excel", () => {
  it("reads each row with its column heads, sheet and number", async () => {
    const { blocks } = await load(
      "plan.xlsx",
      zip({
        "xl/workbook.xml": `<sheets><sheet name="Costs" r:id="r1"/><sheet name="Note" r:id="r2"/></sheets>`,
        "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
        "xl/sharedStrings.xml": `<sst><si><t>Item</t></si><si><r><t>Ri</t></r><r><t>dge</t></r><rPh><t>x</t></rPh></si></sst>`,
        "xl/styles.xml": `<numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="9"/></cellXfs>`,
        "xl/worksheets/sheet1.xml": `<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>Price</t></is></c><c r="D1" t="str"><v>Since</v></c><c r="E1" t="str"><v>Share</v></c></row><row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3"><v>0.30000000000000004</v></c><c r="D3" s="1"><v>45000</v></c><c r="E3" s="2"><v>0.25</v></c></row></sheetData>`,
        "xl/worksheets/sheet2.xml": `<sheetData><row r="1"><c r="A1" t="str"><v>All prices are net.</v></c></row></sheetData>`,
      }),
    );
    expect(blocks.map(({ text, startLine, headings }) => [text, startLine, headings[0]])).toEqual([
      ["Item: Ridge; Price: 0.3; Since: 2023-03-15; Share: 25%", 3, "Costs"],
      ["All prices are net.", 1, "Note"],
    ]);
  });
});

it("reads dates of workbooks that count from 1904, times of day, and durations", async () => {
  const { blocks } = await load(
    "mac.xlsx",
    zip({
      "xl/workbook.xml": `<workbookPr date1904="1"/><sheets><sheet name="S" r:id="r1"/></sheets>`,
      "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>`,
      "xl/styles.xml": `<numFmt numFmtId="164" formatCode="[h]:mm"/><numFmt numFmtId="165" formatCode="0.00\\ _D_M"/><cellXfs><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>`,
      "xl/worksheets/sheet1.xml": `<row r="1"><c t="str"><v>From</v></c><c t="str"><v>At</v></c><c t="str"><v>For</v></c><c t="str"><v>Cost</v></c></row><row r="2"><c s="0"><v>43538</v></c><c s="0"><v>0.75</v></c><c s="1"><v>1.25</v></c><c s="2"><v>7</v></c></row>`,
    }),
  );
  expect(blocks.map(({ text }) => text)).toEqual([
    "From: 2023-03-15; At: 18:00; For: 30:00:00; Cost: 7",
  ]);
});

describe("OpenDocument", () => {
  const p = (text: string) => `<text:p>${text}</text:p>`;
  const cell = (text: string, given = "") =>
    `<table:table-cell ${given}>${p(text)}</table:table-cell>`;
  const row = (...cells: string[]) => `<table:table-row>${cells.join("")}</table:table-row>`;
  const texts = async (name: string, body: string, meta = "") =>
    (
      await load(
        name,
        zip({ "content.xml": `<office:body>${body}</office:body>`, "meta.xml": meta }),
      )
    ).blocks.map(({ headings, text, page }) => [
      ...headings,
      text,
      ...(page === undefined ? [] : [page]),
    ]);

  it("is read with headings, lists, tables and notes, without deleted text and comments", async () => {
    const note = `<text:note><text:note-citation>1</text:note-citation><text:note-body>${p("By weight.")}</text:note-body></text:note>`;
    const heading = (level: number, text: string) =>
      `<text:h text:outline-level="${level}">${text}</text:h>`;
    const body = [
      `<text:tracked-changes>${p("Old.")}</text:tracked-changes>`,
      heading(1, "Tents"),
      heading(2, "Ridge"),
      p(`It weighs<text:s/>4 kg${note}<office:annotation>${p("Sure?")}</office:annotation>.`),
      `<text:list><text:list-item>${p("Poles")}</text:list-item><text:list-item>${p("Pegs")}</text:list-item></text:list>`,
      `<table:table>${row(cell("Tent"), cell("Price", 'table:number-columns-spanned="2"'))}${row(cell("Ridge"), cell("5"), cell("6"))}</table:table>`,
    ].join("");
    expect(await texts("a.odt", `<office:text>${body}</office:text>`)).toEqual([
      ["Ridge", "It weighs 4 kg (By weight.)."],
      ["Ridge", "- Poles"],
      ["Ridge", "- Pegs"],
      ["Ridge", "Tent: Ridge; Price: 5; Price: 6"],
    ]);
  });

  it("is read sheet by sheet and slide by slide", async () => {
    const gap = `<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>`;
    const sheet = `<table:table table:name="Costs">${row(cell("Item"), cell("Price"))}${gap}${row(cell("Ridge"), cell("5"))}</table:table>`;
    const file = zip({ "content.xml": `<office:spreadsheet>${sheet}</office:spreadsheet>` });
    expect((await load("a.ods", file)).blocks).toMatchObject([
      { headings: ["Costs"], text: "Item: Ridge; Price: 5", startLine: 5 },
    ]);
    const slide = (text: string) =>
      `<draw:page><draw:frame><draw:text-box>${p(text)}</draw:text-box></draw:frame></draw:page>`;
    expect(
      await texts(
        "a.odp",
        `<office:presentation>${slide("One")}${slide("Two")}</office:presentation>`,
      ),
    ).toEqual([
      ["Slide 1", "One", 1],
      ["Slide 2", "Two", 2],
    ]);
  });
});

describe("e-mail", () => {
  const heads = [
    "Received: from mx1 (10.0.0.4);",
    "\tTue, 3 Mar 2026 09:12:01 +0100",
    "From: =?utf-8?q?J=C3=BCrgen_Petersen?= <jp@harbour.example>",
    "To: Rhea <rhea@harbour.example>,",
    " all@harbour.example",
    "Subject: =?utf-8?b?S3Jhbg==?= =?utf-8?q?=E2=80=93_14_March?=",
    "Date: Tue, 3 Mar 2026 09:12:00 +0100",
  ];
  const mail = (...lines: string[]) => load("a.eml", [...heads, ...lines].join("\r\n"));
  const said = [
    "From: Jürgen Petersen <jp@harbour.example>",
    "To: Rhea <rhea@harbour.example>, all@harbour.example",
    "Date: Tue, 3 Mar 2026 09:12:00 +0100",
  ];

  it("is read with its heads, and without what its way and its sending added", async () => {
    const { kind, title, blocks, metadata, note } = await mail(
      'Content-Type: text/plain; charset="utf-8"',
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Each lift takes twenty=",
      "-five minutes =E2=80=93 and costs 95 =E2=82=AC.",
      "",
      "Masts have to be down.",
    );
    expect([kind, title, note]).toEqual(["mail", "Kran– 14 March", undefined]);
    expect(metadata).toEqual({
      from: ["jp@harbour.example"],
      to: ["rhea@harbour.example", "all@harbour.example"],
      date: "2026-03-03T08:12:00.000Z",
    });
    expect(blocks.map(({ text }) => text)).toEqual([
      ...said,
      "Each lift takes twenty-five minutes – and costs 95 €.",
      "Masts have to be down.",
    ]);
  });

  it("is read once though it comes as text and as a page, with the files attached to it", async () => {
    const page = Buffer.from("<p>Pay <b>by March</b>.</p><ul><li>Cash</li></ul>").toString(
      "base64",
    );
    const lines = (text: string) => [
      "Content-Type: multipart/mixed; boundary=outer",
      "",
      "This is a message in several parts.",
      "--outer",
      'Content-Type: multipart/alternative;\r\n boundary="in=ner"',
      "",
      ...["--in=ner", "Content-Type: text/plain", "", text],
      ...["--in=ner", "Content-Type: text/html", "Content-Transfer-Encoding: base64", "", page],
      "--in=ner--",
      "--outer",
      'Content-Type: text/csv; name="sums.csv"',
      'Content-Disposition: attachment; filename="sums.csv"',
      "",
      "Pier,Sum",
      "North,5",
      "--outer",
      'Content-Type: image/png; name="mill.png"',
      'Content-Disposition: attachment; filename="mill.png"',
      "",
      "no text",
      "--outer--",
      "A signature of the mailing list.",
    ];
    const plain = await mail(...lines("Pay by March."));
    const texts = plain.blocks.map(({ text }) => text);
    expect(texts).toEqual([...said, "Pay by March.", "Pier: North; Sum: 5"]);
    expect(plain.blocks.at(-1)?.headings).toEqual(["sums.csv"]);
    expect(plain.note).toBe("attached files that are not read: mill.png");
    const { blocks } = await mail(...lines(""));
    expect(blocks.slice(3, 5).map(({ text }) => text)).toEqual(["Pay by March.", "- Cash"]);
  });

  it("is read with the messages that it forwards", async () => {
    const { blocks } = await mail(
      "Content-Type: multipart/mixed; boundary=b",
      ...["", "--b", "", "See below."],
      ...["--b", "Content-Type: message/rfc822", "", "From: a@b.example", "Subject: Fuel"],
      ...["Content-Type: text/plain; charset=iso-8859-2", "Content-Transfer-Encoding: 8bit"],
      ...["", "Diesel at noon.", "--b--"],
    );
    expect(blocks.slice(3).map(({ text }) => text)).toEqual([
      "See below.",
      expect.stringMatching(/From: +a@b\.example\nSubject: Fuel/u),
      "Diesel at noon.",
    ]);
  });

  it("is refused where nothing tells that it is one, and read however deep its parts are", async () => {
    await expect(load("a.eml", "Dear all,\n\nsee you.")).rejects.toThrow(
      "it is not a readable message (no sender, date or subject)",
    );
    const deep = "Content-Type: message/rfc822\n\n".repeat(5_000);
    expect((await load("a.eml", `From: a@b.example\n${deep}`)).blocks).toHaveLength(1);
  });
});

describe("Jupyter notebooks", () => {
  const notebook = (content: unknown) => load("a.ipynb", JSON.stringify(content));
  const code = (source: string, outputs: unknown[] = []) => ({
    cell_type: "code",
    source,
    outputs,
  });

  it("are read as Markdown, code in their language, and short outputs", async () => {
    const plain = (text: unknown) => ({
      output_type: "execute_result",
      data: { "text/plain": text },
    });
    const cells = [
      { cell_type: "markdown", source: ["# Bees\n", "They sleep.\n", "```\nnever closed"] },
      { cell_type: "markdown", source: "## Count" },
      code("count()", [
        { output_type: "stream", name: "stdout", text: ["1", "2 \u001b[31mbees\u001b[0m\n"] },
        plain("<Figure size 640x480>"),
        plain("9".repeat(9_000)),
        { output_type: "display_data", data: { "image/png": "iVBORw0KGgo=" } },
        { output_type: "error", ename: "E", traceback: ["E"] },
      ]),
      code(""),
      { cell_type: "raw", source: "---\ndate: 2024\n---" },
    ];
    const metadata = { kernelspec: { language: "R" }, language_info: {} };
    const { title, kind, blocks } = await notebook({ metadata, cells, nbformat: 4 });
    expect([title, kind]).toEqual(["Bees", "notebook"]);
    expect(blocks.map(({ headings, text }) => [...headings, text])).toEqual([
      ["They sleep."],
      ["```\nnever closed"],
      ["Count", "```R\ncount()\n```"],
      ["Count", "```\n12 bees\n```"],
      ["Count", `\`\`\`\n${"9".repeat(499)}…\n\`\`\``],
      ["Count", "```\n---\ndate: 2024\n---\n```"],
    ]);
  });

  it.each(["{", "[]", "{}", '{"cells": {}}', '{"worksheets": [1]}'])(
    "that are broken give one clear line: %s",
    async (json) => {
      await expect(load("a.ipynb", json)).rejects.toThrow(/^it is not a readable notebook \(.+\)$/);
    },
  );
});

describe("Markdown of front matter alone", () => {
  it("becomes the text of its front matter", async () => {
    const { title, blocks } = await load("a.md", "---\ntitle: Tents\nprice: 9\n---\n");
    expect([title, blocks[0]?.text, blocks[0]?.startLine]).toEqual([
      "Tents",
      "title: Tents\nprice: 9",
      2,
    ]);
  });
});

describe("web pages", () => {
  it("lose menus and footers, and get their tables row by row", async () => {
    const { blocks } = await load(
      "a.html",
      `<body><div role="navigation">Home</div><ul class="menu"><li>Menu</li></ul><aside>Related</aside><h1>Plans</h1><p>Two plans.</p><table><tr><th></th><th>Basic</th><th>Pro</th></tr><tr><td>Price</td><td>5</td><td>9</td></tr></table><table><tr><th>Founded</th><td>1993</td></tr></table><ol><li>First<li>Second</ol><footer>Imprint</footer><p hidden>Hidden</p></body>`,
    );
    expect(blocks.map(({ text }) => text)).toEqual([
      "Two plans.",
      "Price — Basic: 5; Pro: 9",
      "Founded: 1993",
      "1. First",
      "2. Second",
    ]);
  });

  it("keep the right column heads for cells that span several columns", async () => {
    const row = (cells: string) => `<tr>${cells}</tr>`;
    const table =
      row(`<th>Tent</th><th colspan="2">Price</th><th>Stock</th>`) +
      row(`<td rowspan="2">Ridge</td><td>5</td><td>9</td><td rowspan="2">7</td>`) +
      row(`<td>6</td><td>8</td>`) +
      row(`<td colspan="3">Together</td><td>7</td>`);
    const { blocks } = await load("a.html", `<table>${table}</table>`);
    expect(blocks.map(({ text }) => text)).toEqual([
      "Tent: Ridge; Price: 5; Price: 9; Stock: 7",
      "Tent: Ridge; Price: 6; Price: 8; Stock: 7",
      "Tent: Together; Stock: 7",
    ]);
  });

  it("lose the link sign beside a heading, but no sign of the heading itself", async () => {
    const page =
      "<h1>Site</h1><h2>C#</h2><p>One.</p><h2>F# <b>and</b> <i>G</i><a href='#f'>#</a></h2><p>Two.</p>";
    const { blocks } = await load("a.html", page);
    expect(blocks.map(({ headings }) => headings)).toEqual([["C#"], ["F# and G"]]);
  });

  it("keep code blocks apart from sentences, as Markdown does", async () => {
    const { blocks } = await load("a.html", "<p>Run it:</p><pre><code>npm start</code></pre>");
    expect(blocks.map(({ text, form }) => [text, form])).toEqual([
      ["Run it:", "paragraph"],
      ["```\nnpm start\n```", "code"],
    ]);
    const lines = "<pre><code><div>npm ci</div><div>npm start</div></code></pre>";
    expect((await load("b.html", lines)).blocks.map(({ text }) => text)).toEqual([
      "```\nnpm ci\nnpm start\n```",
    ]);
  });

  it("leave out a menu that is not marked as one, and keep an index of links", async () => {
    const links = ["Home", "Products", "Contact"]
      .map((name) => `<li><a href="#">${name}</a></li>`)
      .join("");
    const { blocks } = await load("a.html", `<ul>${links}</ul><p>${"Two plans. ".repeat(9)}</p>`);
    expect(blocks.map(({ text }) => text.slice(0, 10))).toEqual(["Two plans."]);
    expect((await load("b.html", `<ul>${links}</ul>`)).blocks).toHaveLength(3);
  });

  it("keep notes and footnotes that are asides of the main part, and boxes in a manual", async () => {
    const box = '<div class="sidebar"><p>Tip: warm it slowly.</p></div>';
    const page = (main: string) => `<aside>Newest</aside>${main}<p>Glass melts.</p>${box}
      <aside>[1] At 1500 °C.</aside>`;
    for (const html of [
      page("<main>") + "</main><aside>Related</aside>",
      `${page('<div role="main">')}</div><div><aside>Related</aside></div>`,
    ])
      expect((await load("a.html", html)).blocks.map((block) => block.text)).toEqual([
        "Glass melts.",
        "Tip: warm it slowly.",
        "[1] At 1500 °C.",
      ]);
  });

  it("keep an article about cookies", async () => {
    const text = "Set the cookie-consent header before the first byte is sent.";
    const { blocks } = await load("a.html", `<h1>Cookies</h1><p class="cookie">${text}</p>`);
    expect(blocks.map((block) => block.text)).toEqual([text]);
  });
});

describe("what is not read", () => {
  it.each(["a.doc", "a.xls", "a.ppt", "a.pages", "a.mobi"])(
    "%s is refused in words",
    async (name) => {
      await expect(load(name, "x")).rejects.toThrow(/not read: (?:save|export|convert)/);
    },
  );
});
