/** Extracts the main content of a web page, without menus, banners and hidden elements. */
import { lengthOf, type Block } from "./block.js";
import { HEADINGS, htmlBlocks, isInvisible, lineOf, tidy } from "./html.js";
import { descendants, isInline, parseMarkup, textOf, type Element } from "./markup.js";
import { lastSign, oneLine, wordSet } from "./words.js";
import { joinBlocks, type BlockText } from "./passage-blocks.js";

/** The main part has at least this share of the page's text. */
const MIN_SHARE_OF_PAGE = 0.25;
const MAX_TITLE = 200;

/** `meta`: what the page says of itself, by the names in lower case. */
export function readWebPage(html: string) {
  const page = parseMarkup(html);
  const all = descendants(page);
  const beside = besideTheContent(page);
  const main = all.find(isMain);
  const least = textLength(page, beside) * MIN_SHARE_OF_PAGE;
  const part = main !== undefined && textLength(main, beside) > least ? main : page;
  const { menus, bars } = menusIn(part, beside, main !== undefined);
  const everything = htmlBlocks(part, undefined, new Set([...beside, ...bars]));
  const content = htmlBlocks(part, undefined, new Set([...beside, ...bars, ...menus]));
  const h1 = all.find(({ name }) => name === "h1");
  const heading = h1 === undefined ? "" : oneLine(lineOf(h1), MAX_TITLE);
  const title = titleIn(all, "title") || heading;
  // The content of an index page is its links.
  const isIndex = lengthOf(content) < lengthOf(everything) * MIN_SHARE_OF_PAGE;
  const blocks = isIndex ? everything : content;
  const meta = metaOf(all);
  const date = DATES.map((name) => meta.get(name))
    .find((value) => value !== undefined)
    ?.slice(0, 60);
  const found = { title, date, meta };
  if (blocks.length === 0) return { ...found, blocks: htmlBlocks(page) };
  return { ...found, blocks: withoutSiteName(blocks, heading) };
}

function isMain({ name, attributes }: Element): boolean {
  return name === "main" || attributes.get("role") === "main";
}

function textLength(element: Element, dropped: ReadonlySet<Element>): number {
  if (dropped.has(element) || isInvisible(element)) return 0;
  return element.children.reduce(
    (sum, child) =>
      sum + (typeof child === "string" ? child.trim().length : textLength(child, dropped)),
    0,
  );
}

/** Joins blocks to one text, with their headings. */
export function textOfBlocks(blocks: readonly Block[]): BlockText {
  const parts = blocks.flatMap(({ text, form, headings }, index) => {
    const above = blocks[index - 1]?.headings ?? [];
    const kept = headings.findIndex((each, at) => each !== above[at]);
    const entered = kept === -1 ? [] : headings.slice(kept);
    return [
      ...entered.map((heading) => ({ text: heading, form: "heading" as const })),
      { text, form },
    ];
  });
  return joinBlocks(parts);
}

export function htmlToText(html: string): string {
  return textOfBlocks(htmlBlocks(parseMarkup(html))).text;
}

const BESIDE = wordSet("nav aside footer");
const BESIDE_ROLE = wordSet(
  "navigation complementary contentinfo search banner menu menubar dialog alertdialog",
);
const BESIDE_CLASS = wordSet(
  "nav navbar menu breadcrumb breadcrumbs pagination footer noprint mw-editsection",
);

/** Returns menus, footers and hidden elements. */
function besideTheContent(page: Element): ReadonlySet<Element> {
  const beside = new Set<Element>();
  const visit = (parent: Element, inMain: boolean): void => {
    for (const child of parent.children) {
      if (typeof child === "string") continue;
      // Notes and footnotes of many manuals are asides of their main part.
      const isNote = inMain && child.name === "aside";
      // An element that is not closed only loses its tag.
      if (child.isClosed === true && !isNote && isBeside(child)) beside.add(child);
      else visit(child, inMain || isMain(child));
    }
  };
  visit(page, false);
  return beside;
}

function isBeside({ name, attributes: given }: Element): boolean {
  if (BESIDE.has(name)) return true;
  if (given.size === 0 || name === "html" || name === "body") return false;
  const names = `${given.get("class") ?? ""} ${given.get("id") ?? ""}`;
  const isHidden =
    given.has("hidden") ||
    given.get("aria-hidden") === "true" ||
    given.get("style")?.replaceAll(" ", "").includes("display:none") === true;
  if (isHidden || BESIDE_ROLE.has(given.get("role") ?? "")) return true;
  return oneLine(names)
    .split(" ")
    .some((each) => BESIDE_CLASS.has(each));
}

/** Elements that hold a menu; a `div` does if nothing in it begins a line. */
const LISTS = wordSet("ul ol dl p");
/** Parts of lists and tables, which go with the whole. */
const PARTS = wordSet("ul ol dl li dt dd table thead tbody tfoot tr td th");
/** A menu has at least this many links, with at least this share of its text. */
const MENU_LINKS = 3;
const MENU_SHARE = 0.7;
/** Relations of a page to its neighbors. A link with a key to press leads to them, too. */
const STEPS = wordSet("prev previous next up");
/** A longer text is more than links to translations. */
const MAX_BAR = 300;
/** Ends a sentence, or a line that announces a list. */
const INTRODUCES = ".:;!?。：！？";

interface Contents {
  length: number;
  linked: number;
  links: number;
  /** Links to places on the same page. */
  inPage: number;
  /** Links to translations of the page. */
  translations: number;
  /** Links to the pages before and after this one, and to those above. */
  steps: number;
  /** Its last text. */
  ending: string;
  holdsBlocks: boolean;
}

/**
 * Returns menus that are not marked as such: lists of links that no text leads to and tables of
 * contents; and bars of links to translations. Links below a sentence, in an item that says more,
 * or under the head of a column are text.
 * @param inMain a heading is enough to lead to links, since menus are outside a main part
 */
function menusIn(root: Element, dropped: ReadonlySet<Element>, inMain: boolean) {
  const tables = tablesWithHeads(root);
  const menus = new Set<Element>();
  const bars = new Set<Element>();
  /** @param wasIntroduced text leads to what comes first in the element */
  const measure = (element: Element, wasIntroduced: boolean): Contents => {
    const sums = { length: 0, linked: 0, links: 0, inPage: 0, translations: 0, steps: 0 };
    const contents: Contents = { ...sums, ending: "", holdsBlocks: false };
    let isIntroduced = wasIntroduced;
    const isPart = PARTS.has(element.name);
    const read = (parent: Element, inLink: boolean): void => {
      for (const child of parent.children) {
        if (typeof child === "string") {
          const text = child.trim();
          if (text === "") continue;
          contents.length += text.length;
          contents.ending = text.slice(-5);
          if (inLink) contents.linked += text.length;
          // A mark before a link is no text.
          else isIntroduced ||= isPart && /\p{L}{2}/u.test(text);
        } else if (dropped.has(child) || isInvisible(child)) continue;
        else if (isInline(child.name)) {
          const isLink = child.name === "a" && child.isClosed === true;
          if (isLink) countLink(child, contents);
          read(child, inLink || isLink);
        } else {
          const inner = measure(
            child,
            PARTS.has(child.name) && (isIntroduced || tables.has(child)),
          );
          for (const key of Object.keys(sums) as (keyof typeof sums)[]) contents[key] += inner[key];
          contents.holdsBlocks = true;
          const isLinks = inner.links >= MENU_LINKS && inner.linked > inner.length * MENU_SHARE;
          const isContents = inner.inPage * 2 > inner.links;
          const isBar = inner.translations > 0 && inner.length < MAX_BAR;
          const isSteps = inner.steps > 0 && inner.steps === inner.links;
          if (isSteps && child.name === "table") bars.add(child);
          else if ((isBar || (isSteps && inner.links > 1)) && isLine(child, inner)) bars.add(child);
          else if (isLinks && (isContents || !isIntroduced) && isLine(child, inner))
            menus.add(child);
          isIntroduced ||= HEADINGS.has(child.name)
            ? inMain
            : !isLinks && INTRODUCES.includes(lastSign(inner.ending));
        }
      }
    };
    read(element, false);
    return contents;
  };
  measure(root, false);
  return { menus, bars };
}

function countLink({ attributes }: Element, contents: Contents): void {
  contents.links += 1;
  if (attributes.get("href")?.startsWith("#") === true) contents.inPage += 1;
  const isAlternate = attributes.get("rel") === "alternate";
  if (isAlternate && attributes.has("hreflang")) contents.translations += 1;
  if (STEPS.has(attributes.get("rel") ?? "") || attributes.has("accesskey")) contents.steps += 1;
}

/** Returns the tables whose columns have heads: they say what the links below them are. */
function tablesWithHeads(root: Element): ReadonlySet<Element> {
  const tables = new Set<Element>();
  const visit = ({ children }: Element, table?: Element): void => {
    for (const child of children)
      if (typeof child !== "string") {
        if (child.name === "th" && table !== undefined) tables.add(table);
        visit(child, child.name === "table" ? child : table);
      }
  };
  visit(root);
  return tables;
}

function isLine({ name }: Element, { holdsBlocks }: Contents): boolean {
  return LISTS.has(name) || (name === "div" && !holdsBlocks);
}

/** Leaves out what is above the first heading of a page and is no sentence: the site's name. */
function withoutSiteName(blocks: Block[], heading: string): Block[] {
  const first = blocks.findIndex(({ headings }) => headings.length > 0);
  if (heading === "" || oneLine(blocks[first]?.headings[0] ?? "", MAX_TITLE) !== heading)
    return blocks;
  return blocks.filter(
    ({ text, form }, at) =>
      at >= first || form !== "paragraph" || INTRODUCES.includes(lastSign(text)),
  );
}

export function titleIn(elements: readonly Element[], name: string): string {
  const found = elements.find((element) => element.name === name);
  return found === undefined ? "" : oneLine(tidy(textOf(found).slice(0, 2_000)), MAX_TITLE);
}

/** Where a page says when it was published or last changed, in order of preference. */
const DATES = [
  ...["article:modified_time", "article:published_time"],
  ...["item:datemodified", "item:datepublished"],
  ...["date", "time"],
];

/** Returns what the elements `meta` and `time` say; the first of a name counts. */
function metaOf(elements: readonly Element[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, attributes: given } of elements) {
    if (name !== "meta" && name !== "time") continue;
    const item = given.get("itemprop");
    const named = given.get("property") ?? (item && `item:${item}`) ?? given.get("name") ?? "";
    const key = name === "time" ? "time" : oneLine(named).toLowerCase();
    const value = given.get("content") ?? given.get("datetime");
    if (value !== undefined && !found.has(key)) found.set(key, value);
  }
  return found;
}
