/** Word and PowerPoint, whose XML differs in little but names. */
import { posix } from "node:path";
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
  // Some writers number the parts: `document2.xml`.
  const xmlOf = (start: string): string =>
    [...parts]
      .filter(([name]) => name.startsWith(`word/${start}`) && name.endsWith(".xml"))
      .map(([, xml]) => xml)
      .join("");
  const styles = stylesIn(xmlOf("styles"));
  const words: Vocabulary = {
    prefix: "w:",
    list: (name, value) => {
      if (name === "w:pstyle") return styles.get(value("w:val"))?.list;
      if (name !== "w:numid") return undefined;
      return value("w:val") === "0" ? "" : value("w:val");
    },
    numbered: numberedLists(xmlOf("numbering")),
    heading: (name, value) => {
      if (name === "w:outlinelvl") return outlineLevel(value("w:val"));
      if (name !== "w:pstyle") return undefined;
      return styles.get(value("w:val"))?.level ?? styleLevel(value("w:val"));
    },
    headingEnd: "w:p",
  };
  const page = asPage(xmlOf("document"), words);
  const blocks = htmlBlocks(page);
  const notes = ["footnotes", "endnotes"].flatMap((name) => htmlBlocks(asPage(xmlOf(name), words)));
  const diagrams = htmlBlocks(asPage(xmlOf("diagrams/data"), UNTITLED));
  const title = titleIn(page, "title") || blocks[0]?.headings[0];
  return { title, blocks: [...blocks, ...diagrams, ...notes] };
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

/** A style's heading level and list, its own or those of a style that it is based on. */
interface Style {
  level?: number;
  list?: string;
}

/** Returns the styles by their ids, which depend on the writer's language, unlike their names. */
function stylesIn(xml: string | undefined): ReadonlyMap<string | undefined, Style> {
  const defined = new Map(
    definitions(xml, "w:style").map(({ given, values }) => [given.get("w:styleid"), values]),
  );
  const styleOf = (id: string | undefined, bases = 0): Style => {
    const values = defined.get(id);
    if (values === undefined || bases > MAX_BASES) return {};
    const base = styleOf(values.get("w:basedon"), bases + 1);
    const outline = values.get("w:outlinelvl");
    const own = styleLevel(values.get("w:name") ?? "");
    const inherited = outline === undefined ? base.level : outlineLevel(outline);
    const list = values.get("w:numid") ?? base.list;
    // List 0 takes a style out of the list that it is based on.
    return { level: own ?? inherited, list: list === "0" ? "" : list };
  };
  return new Map([...defined.keys()].map((id) => [id, styleOf(id)]));
}

/** Word allows no more (ECMA-376, 17.7.4.3), and none in circles. */
const MAX_BASES = 10;

/** An element of Word's tables of styles and lists. */
interface Definition {
  given: ReadonlyMap<string, string>;
  /** First value of each kind of element inside. */
  values: Map<string, string>;
}

/** Returns the elements with this name. */
function definitions(xml: string | undefined, name: string): Definition[] {
  const found: Definition[] = [];
  for (const token of markupTokens(xml ?? "", { isXml: true })) {
    if (token.kind !== "open") continue;
    const values = found.at(-1)?.values;
    if (token.name === name) found.push({ given: token.attributes, values: new Map() });
    else if (values?.has(token.name) === false)
      values.set(token.name, token.attributes.get("w:val") ?? "");
  }
  return found;
}

const UNNUMBERED: ReadonlySet<string> = new Set(["bullet", "none"]);

/** Returns the lists whose first level is numbered; the others have bullets. */
function numberedLists(xml: string | undefined): ReadonlySet<string> {
  const formats = new Map(
    definitions(xml, "w:abstractnum").map(({ given, values }) => [
      given.get("w:abstractnumid"),
      values.get("w:numfmt") ?? "none",
    ]),
  );
  const numbered = definitions(xml, "w:num").filter(
    ({ values }) => !UNNUMBERED.has(formats.get(values.get("w:abstractnumid")) ?? "none"),
  );
  return new Set(numbered.map(({ given }) => given.get("w:numid") ?? ""));
}

const SLIDE: Vocabulary = {
  prefix: "a:",
  list: (name) => (name === "a:buchar" ? "bullets" : undefined),
  heading: (name, value) =>
    name === "p:ph" && ["title", "ctrTitle", "subTitle"].includes(value("type")) ? 1 : undefined,
  headingEnd: "p:sp",
};
const UNTITLED: Vocabulary = { ...SLIDE, heading: () => undefined };

/** Loads a presentation slide by slide; a slide is cited as its page. */
export const loadPptx: Loader = async (bytes) => {
  const parts = await unzipTexts(bytes, "ppt/", "presentation");
  let characters = 0;
  const blocks = slidesInOrder(parts).flatMap((slide, index) => {
    const xml = `${parts.get(slide) ?? ""}${partsOf(slide, parts, "ppt/diagrams/data")}`;
    const spoken = partsOf(slide, parts, "ppt/notesSlides/");
    requireSaneLength((characters += xml.length + spoken.length));
    const read = htmlBlocks(asPage(xml, SLIDE));
    // A slide may hold nothing but its title.
    const found = read.length > 0 ? read : htmlBlocks(asPage(xml, UNTITLED));
    const above = [...(read[0]?.headings ?? []), "Speaker notes"];
    const notes = htmlBlocks(asPage(spoken, UNTITLED))
      // The page of notes also shows the number of the slide.
      .filter(({ text }) => Number.isNaN(Number(text)))
      .map((block) => ({ ...block, headings: above }));
    const page = index + 1;
    return [...found, ...notes].map((block) => ({
      ...block,
      headings: [`Slide ${page}`, ...block.headings],
      page,
    }));
  });
  return { blocks };
};

/** Returns the parts that a slide refers to whose paths begin like this: notes, SmartArt. */
function partsOf(slide: string, parts: ReadonlyMap<string, string>, start: string): string {
  const [folder, name] = [posix.dirname(slide), posix.basename(slide)];
  const targets = relations(parts.get(`${folder}/_rels/${name}.rels`), folder);
  const own = [...targets.values()].filter((target) => target.startsWith(start));
  return own.map((target) => parts.get(target) ?? "").join("");
}

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
  /** Attributes of the table cell that was opened last. */
  let cell = new Map<string, string>();
  let level: number | undefined;
  let hasTitle = false;
  let ownList = "";
  let depth = 0;
  /** Last number of each list. */
  const counts = new Map<string, number>();
  let inParagraph = 0;
  let inText = false;
  let isStruck = false;
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
      if (!inText || skipped > 0 || inParagraph === 0) continue;
      const struck = [opening("s"), token, { kind: "close" as const, name: "s" }];
      paragraph.push(...(isStruck ? struck : [token]));
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
    else if (element !== undefined) {
      if (isOpening) cell = new Map();
      page.push(isOpening ? opening(element, cell) : { kind: "close", name: element });
    }
    if (token.kind === "open") {
      const value = (key: string): string => token.attributes.get(key) ?? "";
      level = heading(name, value) ?? level;
      ownList = list(name, value) ?? ownList;
      if (own === "ilvl") depth = Number(value("w:val"));
      if (own === "r") isStruck = false;
      if (own === "strike" || own === "dstrike")
        isStruck ||= !["0", "false", "off"].includes(value("w:val"));
      if (own === "rpr") isStruck ||= ["sngStrike", "dblStrike"].includes(value("strike"));
      if (own === "gridspan") cell.set("colspan", value("w:val"));
      if (own === "vmerge" ? value("w:val") !== "restart" : own === "tc" && value("vmerge") !== "")
        cell.set("vmerge", "1");
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
