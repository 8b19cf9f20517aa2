/** Word and PowerPoint, whose XML differs in little but names. */
import { posix } from "node:path";
import type { Block } from "../../text/block.js";
import { htmlBlocks } from "../../text/html.js";
import { descendants, element, parseMarkup, textOf, type Element } from "../../text/markup.js";
import { titleIn } from "../../text/web-page.js";
import type { Loader } from "../document.js";
import { statedIn, xmlProperties } from "../metadata.js";
import { elements, relations, unzipTexts } from "./archive.js";
import { wordSet } from "../../text/words.js";

interface Vocabulary {
  /** Prefix of the elements that both have: `p`, `t`, `tab`, `br`, `tbl`, `tr`, `tc`. */
  prefix: string;
  /** Returns a heading's level by the properties of its paragraph, 0 for the document's title. */
  levelOf: (paragraph: Element | undefined, inTitle: boolean) => number | undefined;
  /** Returns the list that a paragraph belongs to, "" for none. */
  listOf: (paragraph?: Element) => string;
  /** Lists whose items are numbered. */
  numbered?: ReadonlySet<string>;
}

/** Returns the value of the first element with this name below another. */
function valueIn(element: Element | undefined, name: string): string | undefined {
  const found = element && descendants(element).find((each) => each.name === name);
  return found && (found.attributes.get("w:val") ?? "");
}

/** Loads a Word document: headings by their style, lists, tables, notes. */
export const loadDocx: Loader = async (bytes) => {
  const parts = await unzipTexts(bytes, "Word document");
  // Some writers number the parts: `document2.xml`.
  const xmlOf = (start: string): string =>
    [...parts]
      .filter(([name]) => name.startsWith(`word/${start}`) && name.endsWith(".xml"))
      .map(([, xml]) => xml)
      .join("");
  const styles = stylesIn(xmlOf("styles"));
  const words: Vocabulary = {
    prefix: "w:",
    levelOf: (paragraph) => {
      const style = valueIn(paragraph, "w:pstyle");
      const outline = valueIn(paragraph, "w:outlinelvl");
      return (
        (outline === undefined ? undefined : outlineLevel(outline)) ??
        styles.get(style)?.level ??
        styleLevel(style ?? "")
      );
    },
    listOf: (paragraph) => {
      const inStyle = styles.get(valueIn(paragraph, "w:pstyle"))?.list;
      const list = valueIn(paragraph, "w:numid") ?? inStyle ?? "";
      return list === "0" ? "" : list;
    },
    numbered: numberedLists(xmlOf("numbering")),
  };
  const page = asPage(xmlOf("document"), words);
  const blocks = htmlBlocks(page);
  const notes = ["footnotes", "endnotes"].flatMap((name) => htmlBlocks(asPage(xmlOf(name), words)));
  const diagrams = htmlBlocks(asPage(xmlOf("diagrams/data"), UNTITLED));
  const stated = statedIn(parts);
  const title =
    titleIn(descendants(page), "title") || titleIn(stated, "dc:title") || blocks[0]?.headings[0];
  return { title, blocks: [...blocks, ...diagrams, ...notes], metadata: xmlProperties(stated) };
};

/** Outline levels count from 0; 9 is body text. */
function outlineLevel(value: string): number | undefined {
  const level = Number(value);
  return level >= 0 && level < 6 ? level + 1 : undefined;
}

/** `heading 2` → 2, `Title` → 0 */
export function styleLevel(name: string): number | undefined {
  const [isTitle, level] = /^(?:title|heading ?([1-6]))$/i.exec(name) ?? [];
  return isTitle === undefined ? undefined : Number(level ?? 0);
}

/** A style's heading level and list, its own or those of a style that it is based on. */
interface Style {
  level?: number;
  list?: string;
}

/** Returns the styles by their ids, which depend on the writer's language, unlike their names. */
function stylesIn(xml: string): ReadonlyMap<string | undefined, Style> {
  const defined = byAttribute(xml, "w:style", "w:styleid");
  const styleOf = (id: string | undefined, bases = 0): Style => {
    const style = defined.get(id);
    if (style === undefined || bases > MAX_BASES) return {};
    const base = styleOf(valueIn(style, "w:basedon"), bases + 1);
    const outline = valueIn(style, "w:outlinelvl");
    const level = styleLevel(valueIn(style, "w:name") ?? "");
    const inherited = outline === undefined ? base.level : outlineLevel(outline);
    return { level: level ?? inherited, list: valueIn(style, "w:numid") ?? base.list };
  };
  return new Map([...defined.keys()].map((id) => [id, styleOf(id)]));
}

/** Word allows no more (ECMA-376, 17.7.4.3), and none in circles. */
const MAX_BASES = 10;

/** Returns the elements with this name, by one of their attributes. */
function byAttribute(xml: string, name: string, key: string) {
  return new Map(elements(xml, name).map((each) => [each.attributes.get(key), each]));
}

const UNNUMBERED = wordSet("bullet none");

/** Returns the lists whose first level is numbered; the others have bullets. */
function numberedLists(xml: string): ReadonlySet<string> {
  const formats = byAttribute(xml, "w:abstractnum", "w:abstractnumid");
  const lists = [...byAttribute(xml, "w:num", "w:numid")];
  const isNumbered = (list: Element): boolean => {
    const format = valueIn(formats.get(valueIn(list, "w:abstractnumid")), "w:numfmt");
    return !UNNUMBERED.has(format ?? "none");
  };
  return new Set(lists.flatMap(([id = "", list]) => (isNumbered(list) ? [id] : [])));
}

const TITLES = wordSet("title ctrTitle subTitle");

function isTitle(shape: Element): boolean {
  return descendants(shape).some(
    ({ name, attributes }) => name === "p:ph" && TITLES.has(attributes.get("type") ?? ""),
  );
}

const SLIDE: Vocabulary = {
  prefix: "a:",
  levelOf: (_, inTitle) => (inTitle ? 1 : undefined),
  listOf: (paragraph) => (valueIn(paragraph, "a:buchar") === undefined ? "" : "bullets"),
};
const UNTITLED: Vocabulary = { ...SLIDE, levelOf: () => undefined };

export const loadPptx: Loader = async (bytes) => {
  const parts = await unzipTexts(bytes, "presentation");
  const blocks = slidesInOrder(parts).flatMap((slide, index) => {
    const xml = `${parts.get(slide) ?? ""}${partsOf(slide, parts, "ppt/diagrams/data")}`;
    const spoken = partsOf(slide, parts, "ppt/notesSlides/");
    const read = htmlBlocks(asPage(xml, SLIDE));
    // A slide may hold nothing but its title.
    const found = read.length > 0 ? read : htmlBlocks(asPage(xml, UNTITLED));
    const above = [...(read[0]?.headings ?? []), "Speaker notes"];
    const notes = htmlBlocks(asPage(spoken, UNTITLED))
      // The page of notes also shows the number of the slide.
      .filter(({ text }) => Number.isNaN(Number(text)))
      .map((block) => ({ ...block, headings: above }));
    return onSlide(index + 1, [...found, ...notes]);
  });
  return { blocks, metadata: xmlProperties(statedIn(parts)) };
};

/** Puts blocks on a slide, which is cited as a page. */
export function onSlide(page: number, blocks: readonly Block[]): Block[] {
  const slide = `Slide ${page}`;
  return blocks.map((block) => ({ ...block, headings: [slide, ...block.headings], page }));
}

/** Returns the parts that a slide refers to whose paths begin like this: notes, SmartArt. */
function partsOf(slide: string, parts: ReadonlyMap<string, string>, start: string): string {
  const [folder, name] = [posix.dirname(slide), posix.basename(slide)];
  const targets = relations(parts.get(`${folder}/_rels/${name}.rels`), folder);
  const matching = [...targets.values()].filter((target) => target.startsWith(start));
  return matching.map((target) => parts.get(target) ?? "").join("");
}

/** Returns the slides in the order of the show, each once. */
function slidesInOrder(parts: ReadonlyMap<string, string>): readonly string[] {
  const targets = relations(parts.get("ppt/_rels/presentation.xml.rels"), "ppt");
  const slides = elements(parts.get("ppt/presentation.xml"), "p:sldid");
  return [...new Set(slides.map((slide) => targets.get(slide.attributes.get("r:id")) ?? ""))];
}

/** Deleted text, and fallback renderings of other content. */
const SKIPPED = wordSet("w:del w:movefrom mc:fallback");
const OFF = wordSet("0 false off");

/** Translates a part into the elements of a web page, to be read like one. */
function asPage(xml: string, { prefix, listOf, levelOf, numbered }: Vocabulary): Element {
  let hasTitle = false;
  /** Last number of each list. */
  const counts = new Map<string, number>();
  const translate = (parent: Element, inTitle = false): Element["children"] =>
    parent.children.flatMap((child) => {
      if (typeof child === "string" || SKIPPED.has(child.name)) return [];
      if (child.name === `${prefix}p`) return paragraphOf(child, inTitle);
      if (child.name === `${prefix}tbl`) return element("table", translate(child, inTitle));
      if (child.name === `${prefix}tr`) return element("tr", translate(child, inTitle));
      if (child.name === `${prefix}tc`)
        return element("td", translate(child, inTitle), spansOf(child, prefix));
      return translate(child, child.name === "p:sp" ? isTitle(child) : inTitle);
    });
  /** Text boxes hold paragraphs inside a paragraph; they come behind it. */
  const paragraphOf = (paragraph: Element, inTitle: boolean): Element["children"] => {
    const boxes: Element["children"] = [];
    const text = runsOf(paragraph, prefix, (box) => boxes.push(...translate(element("", [box]))));
    if (
      text.every((child) => (typeof child === "string" ? child.trim() === "" : child.name === "br"))
    )
      return boxes;
    const properties = childOf(paragraph, `${prefix}ppr`);
    const level = levelOf(properties, inTitle);
    const list = listOf(properties);
    const isFirst = level === 0 && !hasTitle;
    hasTitle ||= isFirst;
    if (level !== undefined) return [element(isFirst ? "title" : `h${level || 1}`, text), ...boxes];
    if (list === "") return [element("p", text), ...boxes];
    const isCounted =
      numbered?.has(list) === true && Number(valueIn(properties, "w:ilvl") ?? 0) === 0;
    if (!isCounted) return [element("li", text), ...boxes];
    counts.set(list, (counts.get(list) ?? 0) + 1);
    return [element("li", text, [["value", String(counts.get(list))]]), ...boxes];
  };
  return element("", translate(parseMarkup(xml, { isXml: true })));
}

function childOf(parent: Element, name: string): Element | undefined {
  return parent.children
    .filter((child) => typeof child !== "string")
    .find((child) => child.name === name);
}

function spansOf(cell: Element, prefix: string): [string, string][] {
  // A table inside the cell has spans too.
  const properties = childOf(cell, `${prefix}tcpr`);
  const columns = valueIn(properties, "w:gridspan") ?? cell.attributes.get("gridspan") ?? "";
  const merge =
    valueIn(properties, `${prefix}vmerge`) ?? cell.attributes.get("vmerge") ?? "restart";
  return [
    ["colspan", columns],
    ...(merge === "restart" ? [] : [["vmerge", "1"] as [string, string]]),
  ];
}

/** Returns a paragraph's text, without what was struck out, and with its powers. */
function runsOf(parent: Element, prefix: string, takeBox: (box: Element) => void) {
  const text: Element["children"] = [];
  for (const child of parent.children) {
    if (typeof child === "string" || SKIPPED.has(child.name)) continue;
    const name = child.name.startsWith(prefix) ? child.name.slice(prefix.length) : "";
    if (name === "p") takeBox(child);
    else if (name === "t") text.push(textOf(child));
    else if (name === "tab") text.push(" ");
    else if (name === "nobreakhyphen") text.push("-");
    else if (name === "br" || name === "cr") text.push(element("br", []));
    else {
      const inner = runsOf(child, prefix, takeBox);
      const look = name === "r" ? lookOf(child, prefix) : "";
      if (look === "") text.push(...inner);
      else text.push(element(look, inner));
    }
  }
  return text;
}

/** Returns `s` for a run that is struck out, `sup` for one that is raised. */
function lookOf(run: Element, prefix: string): "s" | "sup" | "" {
  const properties = childOf(run, `${prefix}rpr`);
  const given = properties?.attributes;
  const strikes = ["w:strike", "w:dstrike"].map((name) => valueIn(properties, name));
  const isStruck =
    strikes.some((value) => value !== undefined && !OFF.has(value)) ||
    (given?.get("strike")?.endsWith("Strike") === true && given.get("strike") !== "noStrike");
  if (isStruck) return "s";
  const isRaised =
    valueIn(properties, "w:vertalign") === "superscript" ||
    Number(valueIn(properties, "w:position")) > 0 ||
    Number(given?.get("baseline")) > 0;
  return isRaised ? "sup" : "";
}
