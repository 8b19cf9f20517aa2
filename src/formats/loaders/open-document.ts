/** OpenDocument text, presentations and spreadsheets, as LibreOffice writes them. */
import type { Block } from "../../text/block.js";
import { htmlBlocks } from "../../text/html.js";
import { descendants, element, parseMarkup, textOf, type Element } from "../../text/markup.js";
import { titleIn } from "../../text/web-page.js";
import { LoadError, type Loader } from "../document.js";
import { xmlProperties } from "../metadata.js";
import { unzipTexts } from "./archive.js";
import { onSlide } from "./office.js";
import { rowBlocks, type Row } from "./sheets.js";
import { wordSet } from "../../text/words.js";

/** Loads a text document (`.odt`), slides (`.odp`) or sheets (`.ods`). */
export const loadOpenDocument: Loader = async (bytes) => {
  const parts = await unzipTexts(bytes, "OpenDocument file");
  const content = parts.get("content.xml");
  if (content === undefined) throw new LoadError("it is not a readable OpenDocument file");
  const all = descendants(parseMarkup(content, { isXml: true }));
  const styles = descendants(parseMarkup(parts.get("styles.xml") ?? "", { isXml: true }));
  const looks = looksOf([...styles, ...all]);
  const named = (name: string): Element[] => all.filter((each) => each.name === name);
  const stated = descendants(parseMarkup(parts.get("meta.xml") ?? "", { isXml: true }));
  const about = { title: titleIn(stated, "dc:title"), metadata: xmlProperties(stated) };
  if (named("office:spreadsheet").length > 0) {
    const sheets = named("table:table").map((table) =>
      rowBlocks(rowsOf(table), table.attributes.get("table:name")),
    );
    return { ...about, blocks: sheets.flatMap(({ blocks }) => blocks) };
  }
  const slides = named("draw:page");
  if (slides.length > 0)
    return { ...about, blocks: slides.flatMap((slide, at) => slideBlocks(slide, at + 1, looks)) };
  const blocks = named("office:text").flatMap((text) => htmlBlocks(asPage(text, looks)));
  return { ...about, title: about.title || blocks[0]?.headings[0], blocks };
};

function slideBlocks(slide: Element, page: number, looks: Looks): Block[] {
  const read = htmlBlocks(asPage(slide, looks));
  // A slide may hold nothing but its title.
  return onSlide(page, read.length > 0 ? read : htmlBlocks(asPage(slide)));
}

/** Empty rows and cells are counted, up to the million at the end of a sheet. */
function* rowsOf(table: Element): Generator<Row> {
  let line = 0;
  for (const row of descendants(table).filter(({ name }) => name === "table:table-row")) {
    const repeated = Number(row.attributes.get("table:number-rows-repeated") ?? 1);
    const cells: string[] = [];
    const spans = new Map<number, number>();
    for (const cell of row.children) {
      if (typeof cell === "string" || !cell.name.endsWith("table-cell")) continue;
      const { attributes } = cell;
      spans.set(cells.length, Number(attributes.get("table:number-rows-spanned") ?? 1));
      const count = Number(attributes.get("table:number-columns-repeated") ?? 1);
      const text = textsOf(cell).join(" ");
      cells.push(...Array<string>(Math.min(count, MAX_REPEATED)).fill(text));
    }
    if (cells.some(Boolean)) yield { cells, spans, startLine: line + 1, endLine: line + 1 };
    line += repeated;
  }
}

const MAX_REPEATED = 500;

function textsOf(cell: Element): string[] {
  return descendants(cell)
    .filter(({ name }) => name === "text:p")
    .map((paragraph) => textOf(asPage(paragraph)).trim());
}

/** Names of a web page's elements by those of OpenDocument. */
const NAMES: Readonly<Record<string, string>> = {
  "text:p": "p",
  "text:list": "ul",
  "text:list-item": "li",
  "table:table": "table",
  "table:table-header-rows": "thead",
  "table:table-row": "tr",
  "table:table-cell": "td",
  "text:line-break": "br",
  "draw:text-box": "div",
};
/** Deleted text, comments, numbers of notes, and what repeats the text. */
const SKIPPED = wordSet(
  "text:tracked-changes office:annotation text:note-citation text:table-of-content " +
    "svg:title svg:desc",
);

/** Elements of a web page by the styles that stand for them: struck out, raised, numbered. */
type Looks = ReadonlyMap<string | undefined, string>;

function looksOf(all: readonly Element[]): Looks {
  return new Map(
    all.flatMap((style): [string | undefined, string][] => {
      const name = style.attributes.get("style:name");
      const inner = style.children.filter((child) => typeof child !== "string");
      if (inner[0]?.name === "text:list-level-style-number") return [[name, "ol"]];
      const text = inner.find((child) => child.name === "style:text-properties")?.attributes;
      const line = text?.get("style:text-line-through-style") ?? "none";
      const [position = ""] = text?.get("style:text-position")?.split(" ") ?? [];
      if (line !== "none") return [[name, "s"]];
      return position === "super" || parseFloat(position) > 0 ? [[name, "sup"]] : [];
    }),
  );
}

const STYLED = wordSet("text:span text:list");

/**
 * Translates a part into the elements of a web page, to be read like one.
 * @param looks none: titles of slides are text
 */
function asPage(part: Element, looks?: Looks): Element {
  const children = part.children.flatMap((child): Element["children"] => {
    if (typeof child === "string") return [child];
    if (SKIPPED.has(child.name)) return [];
    const { name, attributes: given } = child;
    if (name === "text:s") return [" ".repeat(Math.min(Number(given.get("text:c") ?? 1), 100))];
    if (name === "text:tab") return [" "];
    // A note stays in its sentence.
    if (name === "text:note") return [` (${textsOf(child).join(" ")})`];
    const page = asPage(child, looks);
    if (name === "text:h") {
      const level = Math.min(6, Number(given.get("text:outline-level")) || 1);
      return [{ ...page, name: `h${level}` }];
    }
    if (name === "presentation:notes")
      return looks === undefined ? [] : [element("h2", ["Speaker notes"]), ...page.children];
    const isTitle = looks !== undefined && given.get("presentation:class") === "title";
    const look = STYLED.has(name) ? looks?.get(given.get("text:style-name")) : undefined;
    const translated = isTitle ? "h1" : (look ?? NAMES[name]);
    return translated === undefined ? page.children : [{ ...page, name: translated }];
  });
  const columns = part.attributes.get("table:number-columns-spanned") ?? "";
  const rows = part.attributes.get("table:number-rows-spanned") ?? "";
  const spans = [
    ["colspan", columns],
    ["rowspan", rows],
  ] as const;
  return element("", children, spans);
}
