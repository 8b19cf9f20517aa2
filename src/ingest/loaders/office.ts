/** Word and PowerPoint: their XML differs in little but names. */
import { HeadingPath, TableReader, type Block } from "../../text/block.js";
import { attributesOf, markupTokens } from "../../text/markup.js";
import { oneLine } from "../../text/one-line.js";
import { requireSaneLength, type Loader } from "../document.js";
import { elements, relations, unzipTexts } from "./archive.js";

type Attributes = ReadonlyMap<string, string>;

interface Vocabulary {
  paragraph: string;
  text: string;
  tab: string;
  breaks: readonly string[];
  table: string;
  row: string;
  cell: string;
  /** Marks the paragraph that it stands in, or the next one, as an item of a list. */
  item: string;
  /** Deleted text, comments, second renderings. */
  skipped: readonly string[];
  /** The level of a heading, 0 for the document's title; undefined for other elements. */
  heading: (name: string, attributes: () => Attributes) => number | undefined;
  /** At the end of which a heading's paragraphs are over. */
  headingEnd: string;
}

/** Loads a Word document: headings by their style, lists, tables, notes. */
export const loadDocx: Loader = async (bytes) => {
  const parts = await unzipTexts(bytes, "word/", "Word document");
  const styles = headingStyles(parts.get("word/styles.xml") ?? "");
  const words: Vocabulary = {
    paragraph: "w:p",
    text: "w:t",
    tab: "w:tab",
    breaks: ["w:br", "w:cr"],
    table: "w:tbl",
    row: "w:tr",
    cell: "w:tc",
    item: "w:numpr",
    skipped: ["w:del", "w:movefrom", "mc:fallback"],
    heading: (element, attributes) => {
      const value = (): string => attributes().get("w:val") ?? "";
      if (element === "w:outlinelvl") return outlineLevel(value());
      return element === "w:pstyle" ? (styles.get(value()) ?? styleLevel(value())) : undefined;
    },
    headingEnd: "w:p",
  };
  const { blocks, title } = officeBlocks(parts.get("word/document.xml"), words);
  const notes = ["word/footnotes.xml", "word/endnotes.xml"].flatMap(
    (part) => officeBlocks(parts.get(part), words).blocks,
  );
  const first = title || (blocks[0]?.headings[0] ?? "");
  const body = blocks.map((block) => ({
    ...block,
    headings: block.headings[0] === first ? block.headings.slice(1) : block.headings,
  }));
  return { title: first, blocks: [...body, ...notes] };
};

/** Outline levels count from 0; 9 is body text. */
function outlineLevel(value: string | undefined): number | undefined {
  const level = Number(value);
  return level >= 0 && level < 6 ? level + 1 : undefined;
}

/** `heading 2` → 2, `Title` → 0 */
function styleLevel(name: string): number | undefined {
  const [isTitle, level] = /^(?:title|heading ?([1-6]))$/i.exec(name) ?? [];
  return isTitle === undefined ? undefined : Number(level ?? 0);
}

/** Styles are named in the writer's language, but each tells which built-in one it is. */
function headingStyles(xml: string): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  let style = "";
  for (const token of markupTokens(xml)) {
    if (token.kind !== "open" || !["w:style", "w:name", "w:outlinelvl"].includes(token.name))
      continue;
    const given = attributesOf(token.attributes);
    if (token.name === "w:style") style = given.get("w:styleid") ?? "";
    const isName = token.name === "w:name";
    const value = given.get("w:val") ?? "";
    const level = isName ? styleLevel(value) : outlineLevel(value);
    if (token.name !== "w:style" && level !== undefined && (isName || !levels.has(style)))
      levels.set(style, level);
  }
  return levels;
}

const SLIDE: Vocabulary = {
  paragraph: "a:p",
  text: "a:t",
  tab: "a:tab",
  breaks: ["a:br"],
  table: "a:tbl",
  row: "a:tr",
  cell: "a:tc",
  item: "a:buchar",
  skipped: ["mc:fallback"],
  heading: (name, attributes) =>
    name === "p:ph" && ["title", "ctrTitle", "subTitle"].includes(attributes().get("type") ?? "")
      ? 1
      : undefined,
  headingEnd: "p:sp",
};

/** Loads a presentation slide by slide; a slide is cited as its page. */
export const loadPptx: Loader = async (bytes) => {
  const parts = await unzipTexts(bytes, "ppt/", "presentation");
  const slides = slidesInOrder(parts).map((slide) => parts.get(slide) ?? "");
  let characters = 0;
  const blocks = slides.flatMap((xml, index) => {
    requireSaneLength((characters += xml.length));
    const page = index + 1;
    const above = [`Slide ${page}`];
    const read = officeBlocks(xml, SLIDE, above).blocks;
    // A slide may hold nothing but its title.
    const untitled = { ...SLIDE, heading: () => undefined };
    const found = read.length > 0 ? read : officeBlocks(xml, untitled, above).blocks;
    return found.map((block) => ({ ...block, page }));
  });
  return { blocks };
};

/** In the order in which they are shown, each once. */
function slidesInOrder(parts: ReadonlyMap<string, string>): readonly string[] {
  const targets = relations(parts.get("ppt/_rels/presentation.xml.rels"), "ppt");
  const shown = elements(parts.get("ppt/presentation.xml"), "p:sldid")
    .map((slide) => targets.get(slide.get("r:id")) ?? "")
    .filter((part) => parts.has(part));
  if (shown.length > 0) return [...new Set(shown)];
  const byNumber = new Intl.Collator("en", { numeric: true });
  return [...parts.keys()]
    .filter((part) => part.startsWith("ppt/slides/slide"))
    .sort(byNumber.compare);
}

function officeBlocks(
  xml = "",
  words: Vocabulary,
  above: readonly string[] = [],
): { blocks: Block[]; title: string } {
  const blocks: Block[] = [];
  const path = new HeadingPath();
  const tables: TableReader[] = [];
  let title = "";
  let text = "";
  let level: number | undefined;
  let isItem = false;
  let inParagraph = 0;
  let inText = false;
  let skipped = 0;
  const push = (content: string, form: Block["form"]): void => {
    if (content !== "") blocks.push({ text: content, headings: [...above, ...path.texts], form });
  };
  const endParagraph = (): void => {
    const content = text.replace(/[^\S\n]+/g, " ").trim();
    text = "";
    if (content === "") return;
    if (level === 0 && title === "") title = oneLine(content);
    else if (level === undefined || !path.enter(Math.max(level, 1), oneLine(content)))
      push(isItem ? `- ${content}` : content, isItem ? "item" : "paragraph");
    isItem = false;
  };
  const endTable = (): void => {
    const rows = tables.pop()?.rows() ?? [];
    if (tables.length === 0) for (const [row, form] of rows) push(row, form);
    else text += `${rows.map(([row]) => row).join(" ")} `;
  };
  for (const token of markupTokens(xml)) {
    if (token.kind === "text") {
      if (inText && skipped === 0 && inParagraph > 0) text += token.text;
      continue;
    }
    const { name } = token;
    const opens = token.kind === "open";
    const isOpening = opens && !token.isEmpty;
    if (words.skipped.includes(name)) skipped += isOpening ? 1 : opens || skipped === 0 ? 0 : -1;
    if (skipped > 0) continue;
    const table = tables.at(-1);
    if (name === words.text) inText = isOpening;
    else if (opens && name === words.tab) text += "\t";
    else if (opens && words.breaks.includes(name)) text += "\n";
    else if (opens && name === words.item) isItem = true;
    else if (name === words.table && isOpening) tables.push(new TableReader());
    else if (name === words.table) endTable();
    else if (name === words.row && opens) table?.open("tr");
    else if (name === words.cell && table !== undefined) {
      if (isOpening) table.open("td");
      else if (!opens) table.take(oneLine(text));
      text = "";
    }
    if (opens) level = words.heading(name, () => attributesOf(token.attributes)) ?? level;
    if (name === words.paragraph) {
      inParagraph = Math.max(0, inParagraph + (isOpening ? 1 : opens ? 0 : -1));
      if (table !== undefined) text += " ";
      else if (!opens) endParagraph();
    }
    if (!opens && name === words.headingEnd) level = undefined;
  }
  return { blocks, title };
}
