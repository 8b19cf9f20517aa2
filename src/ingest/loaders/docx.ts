import { attributesOf, markupTokens } from "../../text/markup.js";
import { titleFromName, type Loader } from "../document.js";
import { unzipTexts } from "./archive.js";
import { officeBlocks, type Vocabulary } from "./office-blocks.js";

const PARTS = /^word\/(?:document|styles|footnotes|endnotes)\.xml$/;

/** Loads a Word document: headings by their style, lists, tables, notes. */
export const loadDocx: Loader = async ({ bytes, name }) => {
  const parts = await unzipTexts(bytes, PARTS, "Word document");
  const words = vocabulary(headingStyles(parts.get("word/styles.xml") ?? ""));
  const { blocks, title } = officeBlocks(parts.get("word/document.xml") ?? "", words);
  const notes = ["word/footnotes.xml", "word/endnotes.xml"].flatMap(
    (part) => officeBlocks(parts.get(part) ?? "", words).blocks,
  );
  const first = title || (blocks[0]?.headings[0] ?? "");
  const body = blocks.map((block) => ({
    ...block,
    headings: block.headings[0] === first ? block.headings.slice(1) : block.headings,
  }));
  return { kind: "docx", title: first || titleFromName(name), blocks: [...body, ...notes] };
};

function vocabulary(styles: ReadonlyMap<string, number>): Vocabulary {
  return {
    paragraph: new Set(["w:p"]),
    text: "w:t",
    tab: "w:tab",
    breaks: new Set(["w:br", "w:cr"]),
    table: "w:tbl",
    row: "w:tr",
    cell: "w:tc",
    item: "w:numpr",
    skipped: new Set(["w:del", "w:movefrom", "mc:fallback"]),
    heading: (name, attributes) => {
      if (name === "w:outlinelvl") return levelOf(attributes().get("w:val"));
      if (name !== "w:pstyle") return undefined;
      const style = attributes().get("w:val") ?? "";
      const [, level] = /^heading\s?([1-6])$/i.exec(style) ?? [];
      return styles.get(style) ?? (level === undefined ? undefined : Number(level));
    },
    headingEnds: new Set(["w:p"]),
  };
}

/** Outline levels count from 0; 9 is body text. */
function levelOf(value: string | undefined): number | undefined {
  const level = Number(value);
  return level >= 0 && level < 6 ? level + 1 : undefined;
}

/** Styles are named in the writer's language, but each tells which built-in one it is. */
function headingStyles(xml: string): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  let style = "";
  for (const token of markupTokens(xml)) {
    if (token.kind !== "open") continue;
    const value = (): string => attributesOf(token.attributes).get("w:val") ?? "";
    if (token.name === "w:style") style = attributesOf(token.attributes).get("w:styleid") ?? "";
    else if (token.name === "w:name") {
      const [, level] = /^heading ([1-6])$/i.exec(value()) ?? [];
      if (level !== undefined) levels.set(style, Number(level));
      else if (/^title$/i.test(value())) levels.set(style, 0);
    } else if (token.name === "w:outlinelvl") {
      const level = levelOf(value());
      if (level !== undefined && !levels.has(style)) levels.set(style, level);
    }
  }
  return levels;
}
