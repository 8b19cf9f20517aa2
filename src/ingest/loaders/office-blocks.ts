/** Paragraphs, headings, items and tables of Office formats, which differ in little but names. */
import { HeadingPath, TableReader, type Block } from "../../text/block.js";
import { attributesOf, markupTokens } from "../../text/markup.js";

export interface Vocabulary {
  paragraph: ReadonlySet<string>;
  /** The element that holds text; without one, all text of a paragraph counts. */
  text?: string;
  tab: string;
  breaks: ReadonlySet<string>;
  table: string;
  row: string;
  cell: string;
  /** Marks the paragraph that it stands in, or the next one, as an item of a list. */
  item: string;
  /** Deleted text, comments, second renderings. */
  skipped: ReadonlySet<string>;
  /** The level of a heading, 0 for the document's title; undefined for other elements. */
  heading: (name: string, attributes: () => ReadonlyMap<string, string>) => number | undefined;
  /** At the end of which a heading's paragraphs are over. */
  headingEnds: ReadonlySet<string>;
}

export function officeBlocks(
  xml: string,
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
  let inText = words.text === undefined;
  let skipped = 0;
  const push = (content: string, form: Block["form"]): void => {
    if (content !== "") blocks.push({ text: content, headings: [...above, ...path.texts], form });
  };
  const endParagraph = (): void => {
    const content = text.replace(/[^\S\n]+/g, " ").trim();
    text = "";
    if (content === "") return;
    if (level === 0 && title === "") title = content.replace(/\s+/g, " ");
    else if (level === undefined || !path.enter(Math.max(level, 1), content.replace(/\s+/g, " ")))
      push(isItem ? `- ${content}` : content, isItem ? "item" : "paragraph");
    isItem = false;
  };
  for (const token of markupTokens(xml)) {
    if (token.kind === "text") {
      if (inText && skipped === 0 && inParagraph > 0) text += token.text;
      continue;
    }
    const { name } = token;
    const opens = token.kind === "open";
    const isOpening = opens && !token.isEmpty;
    if (words.skipped.has(name)) skipped += isOpening ? 1 : opens || skipped === 0 ? 0 : -1;
    if (skipped > 0) continue;
    const table = tables.at(-1);
    if (name === words.text) inText = isOpening;
    else if (opens && name === words.tab) text += "\t";
    else if (opens && words.breaks.has(name)) text += "\n";
    else if (opens && name === words.item) isItem = true;
    else if (name === words.table && isOpening) tables.push(new TableReader());
    else if (name === words.table && table !== undefined) {
      tables.pop();
      const rows = table.rows();
      if (tables.length === 0) for (const [row, form] of rows) push(row, form);
      else text += `${rows.map(([row]) => row).join(" ")} `;
    } else if (table !== undefined && name === words.row) {
      if (opens) table.open("tr");
    } else if (table !== undefined && name === words.cell) {
      if (isOpening) table.open("td");
      else if (!opens) table.take(text.replace(/\s+/g, " ").trim());
      text = "";
    }
    if (opens) level = words.heading(name, () => attributesOf(token.attributes)) ?? level;
    if (words.paragraph.has(name)) {
      inParagraph = Math.max(0, inParagraph + (isOpening ? 1 : opens ? 0 : -1));
      if (table !== undefined) text += " ";
      else if (!opens) endParagraph();
    }
    if (!opens && words.headingEnds.has(name)) level = undefined;
  }
  return { blocks, title };
}
