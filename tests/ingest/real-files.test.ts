/** Files as LibreOffice 7.4 wrote them, and RTF by hand. */
import { describe, expect, it } from "@jest/globals";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { loadFile } from "../../src/formats/document-formats.js";

const FILES = path.join(import.meta.dirname, "files");
const load = async (name: string) => loadFile(name, await readFile(path.join(FILES, name)));

describe("a file of LibreOffice", () => {
  const fees = [
    ["Small", 150, 120],
    ["Medium", 250, 180],
    ["Large", 400, 260],
  ].map(([plot, size, fee]) => `Plot: ${plot}; Size: ${size} m²; Fee per year: ${fee} €`);

  it.each(["guide.odt", "guide.rtf", "guide.docx"])(
    "keeps headings, numbers of lists, tables and signs, but nothing struck out: %s",
    async (name) => {
      const { blocks, metadata } = await load(name);
      expect(metadata).toMatchObject({ author: "Ines Keller" });
      expect(blocks.map(({ text }) => text)).toEqual([
        "The pumps run from 1 April to 31 October – “as long as it is warm”. Señor Núñez ordered 10^3 litres; everybody may draw water. 日本 🐝 too.",
        "A key is handed out for:",
        "1. a deposit of €25,",
        "2. a signature.",
        "- Lost keys cost twice.",
        "- Found keys go to the office.",
        "The fees of a plot are listed here.",
        ...fees,
        "Payment is due in March.",
      ]);
      const headings = blocks.map((block) => block.headings.at(-1));
      expect(headings.slice(1, 8)).toEqual([...Array<string>(5).fill("Keys"), "Fees", "Fees"]);
    },
  );

  it("parts cells that stand close, in the first row as in any other, by the row with the most", async () => {
    const { blocks } = await load("price-list.pdf");
    expect(blocks.slice(1).map(({ text }) => text)).toEqual(
      [
        ["G-100", "Leaf rake, wood", "18.40", "1", "3"],
        ["G-110", "Border spade", "34.90", "1", "5"],
        ["G-120", "Pruning shears", "27.50", "2", "2"],
        ["G-130", "Watering can 10 l", "12.95", "4", "2"],
        ["G-140", "Wheelbarrow", "89.00", "1", "14"],
        ["S-200", "Meadow mix 1 kg", "21.00", "6", "4"],
        ["S-210", "Lawn mix 5 kg", "48.00", "2", "4"],
        ["S-220", "Sunflower, 50 g", "3.20", "20", "1"],
      ].map(
        ([article, name, price, pack, days]) =>
          `Article: ${article}; Name: ${name}; Unit price: ${price}; Pack size: ${pack}; Lead time (days): ${days}`,
      ),
    );
  });

  it("keeps the rows of a bank statement with the heads of their columns, and the empty cells empty", async () => {
    const { blocks } = await load("bank.pdf");
    expect(blocks.map(({ text }) => text)).toEqual([
      "Date: 01.01.; Description: Balance brought forward; Balance: 3,000.00",
      "Date: 02.01.; Description: Standing order rent; Debit: 850.00; Balance: 2,150.00",
      "Date: 05.01.; Description: Card payment garden centre Miller, Lakeside, 12:40; Debit: 64.90; Balance: 2,085.10",
      "Date: 15.01.; Description: Salary Weber Ltd; Credit: 3,100.00; Balance: 5,185.10",
      "Date: 20.01.; Description: Transfer allotment association, fee plot 17; Debit: 120.00; Balance: 5,065.10",
      "Date: 31.01.; Description: Interest; Credit: 1.05; Balance: 5,066.15",
      "Please check this statement and report mistakes within six weeks.",
    ]);
  });

  it("reads the columns of a paper one after the other, and joins their lines", async () => {
    const { title, blocks } = await load("paper.pdf");
    expect(title).toBe("On the growth of colonies in spring");
    const text = blocks.map((block) => block.text).join(" ");
    // Each sentence begins with its paragraph's letter and its number.
    const starts = text.match(/(?<=\s|^)[A-K][1-7](?=\s)/gu) ?? [];
    const [letters, numbers] = ["A B C D E F G H I K", "1 2 3 4 5 6 7"].map((each) =>
      each.split(" "),
    );
    expect(starts).toEqual(letters?.flatMap((each) => numbers?.map((number) => each + number)));
    expect(text).not.toContain("\n");
    expect(new Set(blocks.flatMap(({ headings }) => headings))).toEqual(
      new Set(["Introduction", "Method", "Results"]),
    );
  });

  it("reads a column beside a wider abstract", async () => {
    const { blocks } = await load("moorings.pdf");
    const texts = blocks.map(({ text }) => text);
    expect(texts.filter((text) => text.includes("\n"))).toEqual([]);
    expect(texts).toContain("Station: S2; Depth (m): 9; Rate (mm/y): 0.31");
    const letters = texts.join(" ").match(/\b[A-I][1-8](?= )/gu) ?? [];
    const inOrder = ["A", "B", "C", "D", "E", "F", "G", "H", "I"].flatMap((letter) =>
      Array.from({ length: 8 }, (_, at) => `${letter}${at + 1}`),
    );
    expect(letters).toEqual(inOrder);
  });

  it("tells the heads of a table apart that stand close to each other", async () => {
    const { blocks } = await load("boatyard.pdf");
    expect(blocks.filter(({ form }) => form === "row").map(({ text }) => text)).toEqual([
      "Hall: North; Largest boat: 9 m; Price per metre: 310 kr.",
      "Hall: South; Largest boat: 14 m; Price per metre: 355 kr.",
      "Hall: Outdoor; Largest boat: 18 m; Price per metre: 140 kr.",
    ]);
  });

  it("tells a number from the text of the next column, on the pages that the table goes on, too", async () => {
    const rows = (await load("orders.pdf")).blocks.filter(({ form }) => form === "row");
    expect(rows).toHaveLength(60);
    const row = /^Order: A-\d+; City: \w+; Amount: [\d.]+; Status: (?:open|paid); Shipped: /u;
    for (const { text } of rows) expect(text).toMatch(row);
  });

  it("leaves the line below a table alone, and reads heads that a page repeats", async () => {
    const { blocks } = await load("statement.pdf");
    expect(blocks.filter(({ form }) => form === "row")).toHaveLength(46);
    expect(blocks.at(-1)).toMatchObject({
      form: "paragraph",
      text: "Please check the statement within 14 days.",
    });
  });

  it("keeps dates, shares and empty cells of a sheet", async () => {
    expect((await load("sheet.ods")).blocks).toMatchObject([
      { startLine: 2, text: "Plot: A1; Tenant: Weber; Fee: 120.5; Due: 2024-03-01; Share: 12%" },
      { startLine: 3 },
      { startLine: 4, text: "Plot: A3; Fee: 260; Due: 2024-04-15; Share: 26%" },
    ]);
  });
});

describe("RTF", () => {
  const texts = async (body: string, head = "\\ansi\\ansicpg1252") =>
    (await loadFile("a.rtf", Buffer.from(`{\\rtf1${head} ${body}}`, "latin1"))).blocks.map(
      ({ text }) => text,
    );

  it("decodes the code page that it names, and one sign for each in place of Unicode", async () => {
    expect(await texts("\\'cf\\'f0\\'e8\\'e2\\'e5\\'f2\\par", "\\ansi\\ansicpg1251")).toEqual([
      "Привет",
    ]);
    expect(await texts("\\'93\\'fa\\'96\\'7b\\par", "\\ansi\\ansicpg932")).toEqual(["日本"]);
    expect(await texts("\\uc1 a\\u8364 ?b \\uc2\\u-10179 ??\\u-9040\\'3f\\'3f!\\par")).toEqual([
      "a€b 💰!",
    ]);
  });

  it("leaves out pictures, headers, hidden and deleted text, and instructions of fields", async () => {
    const picture = "{\\pict\\pngblip\\bin5 }}{{\\}}";
    const field = '{\\field{\\*\\fldinst HYPERLINK "https://example.org"}{\\fldrslt the page}}';
    expect(
      await texts(
        `{\\header Page}See ${field}{\\v hidden}{\\deleted gone}${picture}.\\par {\\*\\unknown text}Next\\par`,
      ),
    ).toEqual(["See the page.", "Next"]);
  });

  it("reads headings by outline level or style, footnotes in their sentence, and cells of a table", async () => {
    const style = "{\\stylesheet{\\s5 Heading 2;}{\\s6\\outlinelevel0 Kapitel;}}";
    const row = (...cells: string[]) =>
      `\\trowd\\intbl ${cells.map((cell) => `${cell}\\cell `).join("")}\\row `;
    const { blocks } = await loadFile(
      "a.rtf",
      Buffer.from(
        `{\\rtf1${style}\\pard\\s6 Bees\\par\\pard\\s5 Care\\par\\pard Feed them{\\*\\footnote\\pard Sugar.} twice.\\par ${row("Month", "Litres", "Who")}${row("March", "2", "Ole")}\\pard End\\par}`,
      ),
    );
    expect(blocks.map(({ headings, text }) => [headings.join(" > "), text])).toEqual([
      ["Care", "Feed them (Sugar.) twice."],
      ["Care", "Month: March; Litres: 2; Who: Ole"],
      ["Care", "End"],
    ]);
  });

  it("keeps the columns of merged cells, whether they are marked or only wider", async () => {
    const row = (layout: string, ...cells: string[]) =>
      `\\trowd${layout}\\pard\\intbl ${cells.map((cell) => `${cell}\\cell `).join("")}\\row `;
    const even = "\\cellx1000\\cellx2000\\cellx3000";
    const head = row(even, "Plot", "Tenant", "Fee");
    expect(
      await texts(
        head +
          row("\\clmgf\\cellx1000\\clmrg\\cellx2000\\cellx3000", "A1", "", "120") +
          row("\\clvmgf\\cellx1000\\cellx2000\\cellx3000", "B1", "Weber", "90") +
          row("\\clvmrg\\cellx1000\\cellx2000\\cellx3000", "", "Ito", "95"),
      ),
    ).toEqual([
      "Plot: A1; Fee: 120",
      "Plot: B1; Tenant: Weber; Fee: 90",
      "Plot: B1; Tenant: Ito; Fee: 95",
    ]);
    expect(
      await texts(
        head + row("\\cellx2000\\cellx3000", "A1", "120") + row(even, "B1", "Weber", "90"),
      ),
    ).toEqual(["Plot: A1; Fee: 120", "Plot: B1; Tenant: Weber; Fee: 90"]);
  });

  it("is read as far as it goes when it is cut, and refused when it is none", async () => {
    expect(await texts("{\\b bold {\\i unclosed")).toEqual(["bold unclosed"]);
    await expect(loadFile("a.rtf", Buffer.from("Only text"))).rejects.toThrow("not a readable RTF");
    const deep = `${"{".repeat(200_000)}deep${"}".repeat(200_000)}`;
    expect(await texts(deep)).toEqual(["deep"]);
  });
});
