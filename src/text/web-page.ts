/** Extracts the main content of a web page, without menus, banners and hidden elements. */
import { joinBlocks, lengthOf, type Block } from "./block.js";
import {
  closingTags,
  HEADINGS,
  htmlBlocks,
  isInline,
  MAX_INSIDE,
  tidy,
  visibleTokens,
} from "./html.js";
import { markupTokens, type MarkupToken, type OpenToken } from "./markup.js";
import { oneLine } from "./one-line.js";

/** The main part has at least this share of the page's text. */
const MIN_SHARE_OF_PAGE = 0.25;
const MAX_TITLE = 200;

export function readWebPage(html: string) {
  const all = [...markupTokens(html)];
  let inMain = false;
  // Notes and footnotes of many manuals are asides of their main part.
  const isBeside: typeof isBesideTheContent = (opening, inside) => {
    inMain ||= isMain(opening);
    return !(inMain && opening.name === "aside") && isBesideTheContent(opening, inside);
  };
  const shown = mainPart(visibleTokens(all, isBeside));
  const everything = htmlBlocks(shown);
  const menus = menusIn(shown, inMain);
  const main = htmlBlocks(visibleTokens(shown, (opening) => menus.has(opening)));
  const heading = titleIn(all, "h1");
  const title = titleIn(all, "title") || heading;
  // The content of an index page is its links.
  const isIndex = lengthOf(main) < lengthOf(everything) * MIN_SHARE_OF_PAGE;
  const blocks = isIndex ? everything : main;
  const date = dateIn(all);
  if (blocks.length === 0) return { title, blocks: htmlBlocks(all), date };
  return { title, blocks: withoutSiteName(blocks, heading), date };
}

function isMain(token: MarkupToken | undefined): boolean {
  if (token?.kind !== "open") return false;
  return token.name === "main" || token.attributes.get("role") === "main";
}

/** Returns the page's main element, if it has a fair share of the text. */
function mainPart(tokens: readonly MarkupToken[]): readonly MarkupToken[] {
  const start = tokens.findIndex(isMain);
  const part = start === -1 ? [] : tokens.slice(start + 1, closingTags(tokens).get(start));
  return textLength(part) > textLength(tokens) * MIN_SHARE_OF_PAGE ? part : tokens;
}

function textLength(tokens: readonly MarkupToken[]): number {
  return tokens.reduce(
    (sum, token) => sum + (token.kind === "text" ? token.text.trim().length : 0),
    0,
  );
}

/** Joins blocks to one text, with headings as paragraphs. */
export function textOfBlocks(blocks: readonly Block[]): string {
  const parts = blocks.flatMap(({ text, form, headings }, index) => {
    const above = blocks[index - 1]?.headings ?? [];
    const kept = headings.findIndex((each, at) => each !== above[at]);
    const entered = kept === -1 ? [] : headings.slice(kept);
    return [
      ...entered.map((heading) => ({ text: heading, form: "paragraph" as const })),
      { text, form },
    ];
  });
  return joinBlocks(parts);
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const BESIDE = wordsOf("nav aside footer");
const BESIDE_ROLE = wordsOf(
  "navigation complementary contentinfo search banner menu menubar alertdialog",
);
const BESIDE_CLASS = wordsOf(
  "nav navbar menu breadcrumb breadcrumbs pagination footer noprint mw-editsection",
);
const MAX_BANNER = 2_000;
const CONSENT = /cookie|consent|gdpr|onetrust|cmp\b|privacy|datenschutz|einwillig/i;

/** True for menus, footers, hidden elements, and banners that ask for consent to cookies. */
function isBesideTheContent(
  { name, attributes: given }: OpenToken,
  inside: () => readonly MarkupToken[],
): boolean {
  if (BESIDE.has(name) || (PAGERS.has(name) && isPager(inside()))) return true;
  if (given.size === 0 || name === "html" || name === "body") return false;
  const role = given.get("role") ?? "";
  const names = `${given.get("class") ?? ""} ${given.get("id") ?? ""}`;
  const isHidden =
    given.has("hidden") ||
    given.get("aria-hidden") === "true" ||
    given.get("style")?.replaceAll(" ", "").includes("display:none") === true;
  if (isHidden || BESIDE_ROLE.has(role)) return true;
  if (
    oneLine(names)
      .split(" ")
      .some((each) => BESIDE_CLASS.has(each))
  )
    return true;
  return (CONSENT.test(names) || role === "dialog") && asksForConsent(inside());
}

const PAGERS = wordsOf("table div p ul");
const MAX_PAGER = 400;
const PAGES = wordsOf("next prev previous up");

/** True for a line of links to the pages before and after, as manuals have them. */
function isPager(contents: readonly MarkupToken[]): boolean {
  if (contents.length >= MAX_INSIDE) return false;
  let [links, length] = [0, 0];
  for (const token of contents) {
    if (token.kind === "text") length += token.text.trim().length;
    if (length > MAX_PAGER) return false;
    if (token.kind !== "open" || token.name !== "a") continue;
    const given = token.attributes;
    if (given.has("accesskey") || PAGES.has(given.get("rel") ?? "")) links += 1;
  }
  return links > 1;
}

/** Elements that hold a menu; a `div` does if nothing in it begins a line. */
const LISTS = wordsOf("ul ol dl p");
/** Parts of lists and tables, which go with the whole. */
const PARTS = wordsOf("ul ol dl li dt dd table thead tbody tfoot tr td th");
/** A menu has at least this many links, with at least this share of its text. */
const MENU_LINKS = 3;
const MENU_SHARE = 0.7;
/** A longer text is more than links to translations. */
const MAX_LANGUAGES = 200;
/** A sentence, or a line that announces a list. */
const TOLD = /[.:;!?。：！？]["'”’)\]]*$/u;

/** `table`, `thead`, `tr` and `th`. */
const LEVELS_OF_A_TABLE = 4;

interface OpenElement {
  readonly opening: OpenToken;
  readonly end: number;
  length: number;
  linked: number;
  links: number;
  /** Links to places on the same page. */
  inPage: number;
  /** Links to translations of the page. */
  translations: number;
  /** Its last text. */
  ending: string;
  holdsBlocks: boolean;
  /** Text leads to what comes next in it. */
  isTold: boolean;
}

/**
 * Returns menus that are not marked as such: lists of links that no text leads to, tables of contents
 * and bars of languages. Links below a sentence, in an item that says more, or under the head of a
 * column are text.
 * @param inMain a heading is enough to lead to links, since menus stand outside of a main part
 */
function menusIn(tokens: readonly MarkupToken[], inMain: boolean): ReadonlySet<OpenToken> {
  const menus = new Set<OpenToken>();
  const ends = closingTags(tokens);
  const open: OpenElement[] = [];
  let linkEnd = -1;
  const close = (): void => {
    const element = open.pop();
    const parent = open.at(-1);
    if (element === undefined) return;
    const { name } = element.opening;
    const isLinks = element.links >= MENU_LINKS && element.linked > element.length * MENU_SHARE;
    const isContents = element.inPage * 2 > element.links;
    const isList = LISTS.has(name) || (name === "div" && !element.holdsBlocks);
    const isBar = element.translations > 0 && element.length < MAX_LANGUAGES;
    if (isList && (isBar || (isLinks && (isContents || parent?.isTold !== true))))
      menus.add(element.opening);
    if (parent === undefined) return;
    for (const key of ["length", "linked", "links", "inPage", "translations"] as const)
      parent[key] += element[key];
    parent.holdsBlocks = true;
    const isHeading = HEADINGS.has(name);
    parent.isTold ||= isHeading ? inMain : !isLinks && TOLD.test(element.ending);
  };
  for (const [at, token] of tokens.entries()) {
    while ((open.at(-1)?.end ?? Infinity) <= at) close();
    const top = open.at(-1);
    if (token.kind === "text") {
      const text = token.text.trim();
      if (top === undefined || text === "") continue;
      const isLink = at < linkEnd;
      top.length += text.length;
      top.ending = text.slice(-5);
      if (isLink) top.linked += text.length;
      // A mark before a link is no text.
      else top.isTold ||= PARTS.has(top.opening.name) && /\p{L}{2}/u.test(text);
      continue;
    }
    if (token.kind === "close") continue;
    const { name, attributes } = token;
    const end = ends.get(at);
    if (name === "a" && end !== undefined && top !== undefined) {
      linkEnd = end;
      top.links += 1;
      if (attributes.get("href")?.startsWith("#") === true) top.inPage += 1;
      if (attributes.get("rel") === "alternate" && attributes.has("hreflang"))
        top.translations += 1;
    }
    if (isInline(name) || end === undefined) continue;
    const isTold = PARTS.has(name) && top?.isTold === true;
    const none = { length: 0, linked: 0, links: 0, inPage: 0, translations: 0 };
    open.push({ opening: token, end, ...none, ending: "", holdsBlocks: false, isTold });
    if (name !== "th") continue;
    const near = open.slice(-LEVELS_OF_A_TABLE);
    const table = near.findLastIndex((each) => each.opening.name === "table");
    if (table !== -1) for (const each of near.slice(table)) each.isTold = true;
  }
  while (open.length > 0) close();
  return menus;
}

/** Leaves out what stands above the first heading of a page and is no sentence: the site's name. */
function withoutSiteName(blocks: Block[], heading: string): Block[] {
  const first = blocks.findIndex(({ headings }) => headings.length > 0);
  if (heading === "" || oneLine(blocks[first]?.headings[0] ?? "", MAX_TITLE) !== heading)
    return blocks;
  return blocks.filter(
    ({ text, form }, at) => at >= first || form !== "paragraph" || TOLD.test(text),
  );
}

const CLICKABLE = wordsOf("a button input");

/** True for a short text about cookies or privacy with something to click. */
function asksForConsent(contents: readonly MarkupToken[]): boolean {
  let text = "";
  for (const token of contents) {
    if (token.kind === "text") text += token.text;
    if (text.length > MAX_BANNER) return false;
  }
  const canBeClicked = contents.some((token) => token.kind === "open" && CLICKABLE.has(token.name));
  return canBeClicked && CONSENT.test(text);
}

/** Returns the text of the first element with this name. */
export function titleIn(tokens: readonly MarkupToken[], name: string): string {
  const start = tokens.findIndex((token) => token.kind === "open" && token.name === name);
  if (start === -1) return "";
  let text = "";
  for (const token of tokens.slice(start + 1, start + 20)) {
    if (token.kind === "close" && token.name === name) break;
    if (token.kind === "text") text += token.text.slice(0, 10 * MAX_TITLE);
  }
  return oneLine(tidy(text), MAX_TITLE);
}

/** Where a page says when it was published or last changed, in order of preference. */
const DATES = wordsOf(
  "article:modified_time article:published_time datemodified datepublished date time",
);

function dateIn(tokens: readonly MarkupToken[]): string | undefined {
  const found = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind !== "open" || (token.name !== "meta" && token.name !== "time")) continue;
    const given = token.attributes;
    const name = given.get("property") ?? given.get("itemprop") ?? given.get("name") ?? "";
    const key = token.name === "time" ? "time" : name.toLowerCase();
    const value = given.get("content") ?? given.get("datetime");
    if (value !== undefined && !found.has(key)) found.set(key, value.slice(0, 60));
  }
  return [...DATES].map((name) => found.get(name)).find((value) => value !== undefined);
}
