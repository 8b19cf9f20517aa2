/** Scans, read with the programs `tesseract` and `pdftoppm` where they are installed. */
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ingest } from "../../src/ingest/ingest.js";
import { loadFile } from "../../src/formats/document-formats.js";
import { recognizeImage } from "../../src/formats/loaders/scans.js";
import { split } from "../../src/ingest/split.js";
import type { WritableKnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";

const isInstalled = ["tesseract", "pdftoppm"].every(
  (program) => spawnSync(program, ["-v"]).error === undefined,
);
/** Two pages at 200 dots to the inch, turned by a degree, with specks: text, and a table. */
const SCAN = path.join(import.meta.dirname, "files", "scan.pdf");

let directory: string;
let knowledgeBase: WritableKnowledgeBase;
const searchPath = process.env["PATH"];

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "scans-"));
  knowledgeBase = await openSqliteKnowledgeBase({ directory: path.join(directory, "kb") });
  await mkdir(path.join(directory, "docs"));
});
afterEach(async () => {
  process.env["PATH"] = searchPath;
  await knowledgeBase.close();
  await rm(directory, { recursive: true, force: true });
});

const run = (...targets: string[]) =>
  ingest({ targets, knowledgeBase, cwd: directory, vectors: false });
const textsOf = async (file: string) =>
  (await knowledgeBase.passagesOf(file)).map(({ text }) => text);

(isInstalled ? describe : describe.skip)("a scan", () => {
  it("of a page that lies askew is read with its headings, paragraphs and tables", async () => {
    await copyFile(SCAN, path.join(directory, "docs", "pumps.pdf"));
    expect(await run("docs")).toMatchObject({ added: 1, failed: [], skipped: [] });
    const passages = await knowledgeBase.passagesOf("docs/pumps.pdf");
    expect(passages).toMatchObject([
      {
        page: 1,
        text: "The pumps run from 1 April to 31 October. Each plot may draw 400 litres a week. Whoever needs more asks the water warden, Mrs. Ines Keller.\n\nA hose that is left lying on the path costs a fee of 15 euros.",
      },
      {
        page: 2,
        heading: "Statement of account",
        text: [
          "Date: 03.01.2024; Description: Rent for plot 17; Amount: -120.00",
          "Date: 15.01.2024; Description: Water, second half; Amount: -48.50",
          "Date: 02.02.2024; Description: Refund of deposit; Amount: 25.00",
        ].join("\n"),
      },
    ]);
    for (const { title, metadata } of passages) {
      expect(title).toBe("Rules for the water pumps");
      expect(metadata?.["ocr_confidence"]).toBeGreaterThan(0.8);
    }
  });

  it("of a ruled table keeps a row to a line, and takes none for a heading", async () => {
    const image = await readFile(path.join(import.meta.dirname, "files", "ruled.jpg"));
    const { blocks } = await loadFile("ruled.jpg", image);
    expect(new Set(blocks.flatMap(({ headings }) => headings))).toEqual(
      new Set(["Winter storage"]),
    );
    const lines = blocks.flatMap(({ text }) => text.split("\n"));
    expect(lines).toContainEqual(expect.stringMatching(/South.*14m.*355 kr\.$/u));
    expect(lines.filter((line) => line.includes("|"))).toEqual([]);
  });

  it("as an image is read where it is named; in a folder only a TIFF is", async () => {
    const draw = (format: string, file: string) =>
      execFileSync("pdftoppm", [format, "-r", "200", "-gray", "-singlefile", SCAN, file]);
    draw("-png", path.join(directory, "docs", "photo"));
    draw("-tiff", path.join(directory, "docs", "fax"));
    const { skipped } = await run("docs");
    expect(skipped).toMatchObject([{ path: expect.stringContaining("photo.png") }]);
    await run("docs/photo.png");
    for (const file of ["docs/fax.tif", "docs/photo.png"])
      expect((await textsOf(file)).join(" ")).toContain("draw 400 litres a week");
  });

  it("that a program cannot read is left out, and no list of files is taken for one", async () => {
    const file = (name: string) => path.join(directory, "docs", name);
    await writeFile(file("broken.tif"), "II*\0");
    execFileSync("pdftoppm", ["-png", "-singlefile", SCAN, path.join(directory, "secret")]);
    await writeFile(file("list.tif"), path.join(directory, "secret.png"));
    await writeFile(file("a.md"), "Alpha.");
    const blank = Buffer.from("P5 300 300 255\n".padEnd(90_015, "\u00ff"), "latin1");
    expect((await recognizeImage(blank))?.flatMap(({ lines }) => lines)).toEqual([]);
    expect(await run("docs")).toMatchObject({
      added: 1,
      failed: [{ path: "docs/list.tif", reason: "it is not an image" }],
      skipped: [{ path: file("broken.tif"), reason: "no text was recognized in it" }],
    });
  });
});

it("says where no program is installed which file has no text, and what to install", async () => {
  process.env["PATH"] = directory;
  const load = async (name: string, from: string) => loadFile(name, await readFile(from));
  await expect(load("pumps.pdf", SCAN)).rejects.toThrow(
    "its pages are scans: install tesseract and poppler (pdftoppm), then ingest it again",
  );
  await writeFile(path.join(directory, "fax.tif"), "II*\0");
  await expect(load("fax.tif", path.join(directory, "fax.tif"))).rejects.toMatchObject({
    message: expect.stringContaining("install tesseract"),
    kind: "unknown",
  });
});

it("reads the other pages of a PDF where some are scans, and says which", async () => {
  process.env["PATH"] = directory;
  const pdf = await readFile(path.join(import.meta.dirname, "files", "partly-scanned.pdf"));
  expect(await loadFile("rules.pdf", pdf)).toMatchObject({
    blocks: [{ page: 1, text: expect.stringContaining("voted on in March") }],
    note: "pages that are scans (2): install tesseract and poppler (pdftoppm), then ingest it again",
  });
});

it("names with a passage the words that were hard to read, and no others", () => {
  const scan = { confidence: 0.71, doubtful: ["iS", "Kel1er"] };
  const block = { text: "A fee of iS euros.", headings: [], form: "paragraph", scan } as const;
  const [passage] = split({ path: "a.pdf", kind: "pdf", title: "A" }, [block]);
  expect(passage?.metadata).toEqual({ ocr_confidence: 0.71, ocr_doubtful: ["iS"] });
});
