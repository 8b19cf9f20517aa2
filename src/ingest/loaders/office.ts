/** Word and PowerPoint, whose XML differs in little but names. */
import { htmlBlocks } from "../../text/html.js";
import { markupTokens, type MarkupToken } from "../../text/markup.js";
import { titleIn } from "../../text/web-page.js";
import { requireSaneLength, type Loader } from "../document.js";
import { elements, relations, unzipTexts } from "./archive.js";

interface Vocabulary {
  /** Prefix of the elements that both have: `p`, `t`, `tab`, `br`, `tbl`, `tr`, `tc`. */
  prefix: string;
  /** Returns the list that a paragraph belongs to, if the element says so; "" for none. */
  list: (name: string, value: (attribute: string) => string) => string | undefined;
  /** Lists whose items are numbered. */
  numbered?: ReadonlySet<string>;
  /** Returns a heading's level, 0 for the document's title; undefined for other elements. */
  heading: (name: string, value: (attribute: string) => string) => number | undefined;
  /** Element whose end closes a heading. */
  headingEnd: string;
}

/** Loads a Word document: headings by their style, lists, tables, notes. */
export const loadDocx: Loader = async (bytes) => {
  const parts = await unzipTexts(bytes, "word/", "Word document");
  const styles = headingStyles(parts.get("word/styles.xml") ?? "");
  const lists = listStyles(parts.get("word/styles.xml") ?? "");
  const words: Vocabulary = {
    prefix: "w:",
    list: (name, value) => {
      if (name === "w:pstyle") return lists.get(value("w:val"));
      if (name !== "w:numid") return undefined;
      return value("w:val") === "0" ? "" : value("w:val");
    },
    numbered: numberedLists(parts.get("word/numbering.xml") ?? ""),
    heading: (name, value) => {
      if (name === "w:outlinelvl") return outlineLevel(value("w:val"));
      if (name !== "w:pstyle") return undefined;
      return styles.get(value("w:val")) ?? styleLevel(value("w:val"));
    },
    headingEnd: "w:p",
  };
  const page = asPage(parts.get("word/document.xml"), words);
  const blocks = htmlBlocks(page);
  const notes = ["word/footnotes.xml", "word/endnotes.xml"].flatMap((part) =>
    htmlBlocks(asPage(parts.get(part), words)),
  );
  const title = titleIn(page, "title") || blocks[0]?.headings[0];
  return { title, blocks: [...blocks, ...notes] };
};

/** Outline levels count from 0; 9 is body text. */
function outlineLevel(value: string): number | undefined {
  const level = Number(value);
  return level >= 0 && level < 6 ? level + 1 : undefined;
}

/** `heading 2` → 2, `Title` → 0 */
function styleLevel(name: string): number | undefined {
  const [isTitle, level] = /^(?:title|heading ?([1-6]))$/i.exec(name) ?? [];
  return isTitle === undefined ? undefined : Number(level ?? 0);
}

/** Yields the names and attributes of all elements in order. */
function* openings(xml: string): Generator<{ name: string; given: ReadonlyMap<string, string> }> {
  for (const token of markupTokens(xml, { isXml: true }))
    if (token.kind === "open") yield { name: token.name, given: token.attributes };
}

/** Maps style ids, which depend on the writer's language, to heading levels. */
function headingStyles(xml: string): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  let style = "";
  for (const { name, given } of openings(xml)) {
    const value = given.get("w:val") ?? "";
    const level = name === "w:name" ? styleLevel(value) : outlineLevel(value);
    if (name === "w:style") style = given.get("w:styleid") ?? "";
    else if (level === undefined) continue;
    else if (name === "w:name" || (name === "w:outlinelvl" && !levels.has(style)))
      levels.set(style, level);
  }
  return levels;
}

/** Maps style ids to the lists that their paragraphs belong to. */
function listStyles(xml: string): ReadonlyMap<string, string> {
  const lists = new Map<string, string>();
  let style = "";
  for (const { name, given } of openings(xml)) {
    if (name === "w:style") style = given.get("w:styleid") ?? "";
    else if (name === "w:numid") lists.set(style, given.get("w:val") ?? "");
  }
  return lists;
}

const UNNUMBERED: ReadonlySet<string> = new Set(["bullet", "none"]);

/** Returns the lists whose first level is numbered; the others have bullets. */
function numberedLists(xml: string): ReadonlySet<string> {
  const formats = new Map<string, string>();
  const numbered = new Set<string>();
  let definition = "";
  let list = "";
  for (const { name, given } of openings(xml)) {
    const value = given.get("w:val") ?? "";
    if (name === "w:abstractnum") definition = given.get("w:abstractnumid") ?? "";
    else if (name === "w:numfmt" && !formats.has(definition)) formats.set(definition, value);
    else if (name === "w:num") list = given.get("w:numid") ?? "";
    else if (name === "w:abstractnumid" && !UNNUMBERED.has(formats.get(value) ?? "none"))
      numbered.add(list);
  }
  return numbered;
}

const SLIDE: Vocabulary = {
  prefix: "a:",
  list: (name) => (name === "a:buchar" ? "bullets" : undefined),
  heading: (name, value) =>
    name === "p:ph" && ["title", "ctrTitle", "subTitle"].includes(value("type")) ? 1 : undefined,
  headingEnd: "p:sp",
};

/** Loads a presentation slide by slide; a slide is cited as its page. */
export const loadPptx: Loader = async (bytes) => {
  const parts = await unzipTexts(bytes, "ppt/", "presentation");
  const slides = slidesInOrder(parts).map((slide) => parts.get(slide) ?? "");
  let characters = 0;
  const blocks = slides.flatMap((xml, index) => {
    requireSaneLength((characters += xml.length));
    const read = htmlBlocks(asPage(xml, SLIDE));
    // A slide may hold nothing but its title.
    const untitled = { ...SLIDE, heading: () => undefined };
    const found = read.length > 0 ? read : htmlBlocks(asPage(xml, untitled));
    const page = index + 1;
    return found.map((block) => ({
      ...block,
      headings: [`Slide ${page}`, ...block.headings],
      page,
    }));
  });
  return { blocks };
};

/** Returns the slides in the order of the show, each once. */
function slidesInOrder(parts: ReadonlyMap<string, string>): readonly string[] {
  const targets = relations(parts.get("ppt/_rels/presentation.xml.rels"), "ppt");
  const shown = elements(parts.get("ppt/presentation.xml"), "p:sldid");
  return [...new Set(shown.map((slide) => targets.get(slide.get("r:id")) ?? ""))];
}

/** Deleted text, and fallback renderings of other content. */
const SKIPPED = ["w:del", "w:movefrom", "mc:fallback"];
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["tab", " "],
  ["nobreakhyphen", "-"],
]);
const ELEMENTS: ReadonlyMap<string, string> = new Map([
  ["tbl", "table"],
  ["tr", "tr"],
  ["tc", "td"],
]);

/** Translates a part into the elements of a web page, to be read like one. */
function asPage(
  xml = "",
  { prefix, list, numbered, heading, headingEnd }: Vocabulary,
): MarkupToken[] {
  const page: MarkupToken[] = [];
  let paragraph: MarkupToken[] = [];
  let level: number | undefined;
  let hasTitle = false;
  let ownList = "";
  let depth = 0;
  /** Last number of each list. */
  const counts = new Map<string, number>();
  let inParagraph = 0;
  let inText = false;
  let skipped = 0;
  const endParagraph = (): void => {
    if (paragraph.some((token) => token.kind === "text" && token.text.trim() !== "")) {
      let name = ownList === "" ? "p" : "li";
      if (level !== undefined) name = level === 0 && !hasTitle ? "title" : `h${level || 1}`;
      const attributes = new Map<string, string>();
      if (name === "li" && depth === 0 && numbered?.has(ownList) === true) {
        const number = (counts.get(ownList) ?? 0) + 1;
        counts.set(ownList, number);
        attributes.set("value", String(number));
      }
      page.push(opening(name, attributes), ...paragraph, { kind: "close", name });
      hasTitle ||= name === "title";
      ownList = "";
      depth = 0;
    }
    paragraph = [];
  };
  for (const token of markupTokens(xml, { isXml: true })) {
    if (token.kind === "text") {
      if (inText && skipped === 0 && inParagraph > 0) paragraph.push(token);
      continue;
    }
    const { name } = token;
    const opens = token.kind === "open";
    const isOpening = opens && !token.isEmpty;
    // 0 for an empty element.
    const step = Number(isOpening) - Number(!opens);
    if (SKIPPED.includes(name)) skipped = Math.max(0, skipped + step);
    if (skipped > 0) continue;
    const own = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    const element = ELEMENTS.get(own);
    const sign = SIGNS.get(own);
    if (own === "t") inText = isOpening;
    else if (opens && sign !== undefined) paragraph.push({ kind: "text", text: sign });
    else if (opens && (own === "br" || own === "cr")) paragraph.push(opening("br"));
    else if (element !== undefined)
      page.push(isOpening ? opening(element) : { kind: "close", name: element });
    if (token.kind === "open") {
      const value = (key: string): string => token.attributes.get(key) ?? "";
      level = heading(name, value) ?? level;
      ownList = list(name, value) ?? ownList;
      if (own === "ilvl") depth = Number(value("w:val"));
      const isRaised =
        (own === "vertalign" && value("w:val") === "superscript") ||
        (own === "rpr" && Number(value("baseline")) > 0);
      if (isRaised) paragraph.push(opening("sup"));
    }
    if (own === "p") {
      inParagraph = Math.max(0, inParagraph + step);
      if (!opens) endParagraph();
    }
    if (!opens && name === headingEnd) level = undefined;
  }
  return page;
}

function opening(name: string, attributes = new Map<string, string>()): MarkupToken {
  return { kind: "open", name, attributes, isEmpty: name === "br" };
}
