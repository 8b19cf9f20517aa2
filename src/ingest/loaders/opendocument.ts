import type { DocumentKind } from "../../retrieval/knowledge-base.js";
import { rowText, type Block } from "../../text/block.js";
import { attributesOf, markupTokens } from "../../text/markup.js";
import { requireSaneLength, titleFromName, type Loader } from "../document.js";
import { unzipTexts } from "./archive.js";
import { officeBlocks, type Vocabulary } from "./office-blocks.js";

const TEXT: Vocabulary = {
  paragraph: new Set(["text:p", "text:h"]),
  tab: "text:tab",
  breaks: new Set(["text:line-break"]),
  table: "table:table",
  row: "table:table-row",
  cell: "table:table-cell",
  item: "text:list-item",
  skipped: new Set(["text:tracked-changes", "office:annotation", "text:note-citation"]),
  heading: (name, attributes) =>
    name === "text:h"
      ? Math.min(6, Number(attributes().get("text:outline-level") ?? 1))
      : undefined,
  headingEnds: new Set(["text:h"]),
};

/** Loads text documents, presentations and spreadsheets of the OpenDocument format. */
export const loadOpenDocument: Loader = async ({ bytes, name }) => {
  const parts = await unzipTexts(bytes, /^content\.xml$/, "OpenDocument file");
  const xml = (parts.get("content.xml") ?? "").replaceAll(
    /<text:s [^<>]{0,60}\/>|<text:s\/>/g,
    " ",
  );
  const kind: DocumentKind = "odt";
  const title = titleFromName(name);
  if (xml.includes("<office:spreadsheet")) return { kind, title, blocks: sheetRows(xml) };
  if (!xml.includes("<office:presentation"))
    return { kind, title, blocks: officeBlocks(xml, TEXT).blocks };
  const slides = xml.split("<draw:page ").slice(1);
  const blocks = slides.flatMap((slide, index) =>
    officeBlocks(`<draw:page ${slide}`, TEXT, [`Slide ${index + 1}`]).blocks.map((block) => ({
      ...block,
      page: index + 1,
    })),
  );
  return { kind, title, blocks };
};

const MAX_COLUMNS = 500;
/** Rows and cells may stand for many like them; a million empty ones end most sheets. */
const MAX_REPEATED = 100;

function sheetRows(xml: string): Block[] {
  const blocks: Block[] = [];
  let sheet = "";
  let head: string[] | undefined;
  let row = 0;
  let cells: string[] = [];
  let repeated = 1;
  let text = "";
  let characters = 0;
  for (const token of markupTokens(xml)) {
    if (token.kind === "text") text += token.text;
    else if (token.kind === "open" && token.name === "table:table") {
      sheet = attributesOf(token.attributes).get("table:name") ?? "";
      head = undefined;
      row = 0;
    } else if (token.kind === "open" && token.name === "table:table-row") {
      row += 1;
      cells = [];
    } else if (token.name === "table:table-cell") {
      if (token.kind === "open") {
        const given = attributesOf(token.attributes).get("table:number-columns-repeated");
        repeated = Math.min(Number(given ?? 1), MAX_REPEATED);
        text = "";
      }
      if (token.kind === "close" || token.isEmpty)
        for (let each = 0; each < repeated && cells.length < MAX_COLUMNS; each += 1)
          cells.push(text.replace(/\s+/g, " ").trim());
    } else if (token.kind === "close" && token.name === "table:table-row") {
      if (cells.every((cell) => cell === "")) continue;
      if (head === undefined) head = cells;
      else {
        const written = rowText(head, cells);
        requireSaneLength((characters += written.length));
        blocks.push({
          text: written,
          headings: [sheet],
          startLine: row,
          endLine: row,
          form: "row",
        });
      }
    }
  }
  return blocks;
}
