/**
 * The main content of a web page, hostile ones included. What the page holds is first written anew
 * within bounds: few elements, little nesting, no attributes but short classes. Only then is it
 * given to a parser and to Readability, whose time grows faster than linearly in all of these.
 */
import { lengthOf, type Block } from "./block.js";
import { htmlBlocks, INLINE, tidy, visibleTokens, type OpenToken } from "./html.js";
import { attributesOf, markupTokens, type MarkupToken } from "./markup.js";
import { collapsed, oneLine } from "./one-line.js";

export interface WebPageContent {
  title: string;
  blocks: Block[];
  /** As the page writes it: when it was published or last changed. */
  date?: string;
}

/** Larger pages are taken whole, without menus. Ordinary ones have some thousand elements. */
const MAX_ELEMENTS = 3_000;
/** Deeper elements lose their tags. Ordinary pages nest less than sixty deep. */
const MAX_DEPTH = 60;
/** A main content shorter than this share of the page's text was probably found wrongly. */
const MIN_SHARE_OF_PAGE = 0.25;
const MAX_TITLE = 200;

export async function readWebPage(html: string): Promise<WebPageContent> {
  const all = [...markupTokens(html)];
  const shown = mainPart(visibleTokens(all, isBesideTheContent));
  const withoutMenus = htmlBlocks(shown);
  const everything = withoutMenus.length > 0 ? withoutMenus : htmlBlocks(all);
  const main = htmlBlocks([...markupTokens(await articleIn(shown))]);
  const blocks = lengthOf(main) >= lengthOf(everything) * MIN_SHARE_OF_PAGE ? main : everything;
  const title = titleIn(all, "title") || titleIn(all, "h1");
  const date = dateIn(all);
  return { title, blocks, ...(date === undefined ? {} : { date }) };
}

/** What the page itself calls its main part, if that holds a fair share of its text. */
function mainPart(tokens: readonly MarkupToken[]): readonly MarkupToken[] {
  const isMain = (token: MarkupToken): boolean => token.kind !== "text" && token.name === "main";
  const start = tokens.findIndex(isMain);
  const part = start === -1 ? [] : tokens.slice(start + 1, tokens.findLastIndex(isMain));
  return textLength(part) > textLength(tokens) * MIN_SHARE_OF_PAGE ? part : tokens;
}

function textLength(tokens: readonly MarkupToken[]): number {
  return tokens.reduce(
    (sum, token) => sum + (token.kind === "text" ? token.text.trim().length : 0),
    0,
  );
}

/** The blocks as one text, headings on lines of their own. */
export function textOfBlocks(blocks: readonly Block[]): string {
  let above: readonly string[] = [];
  let text = "";
  let before: Block | undefined;
  for (const block of blocks) {
    const entered = block.headings.slice(
      block.headings.findIndex((each, at) => each !== above[at]),
    );
    const isNew = block.headings.some((each, at) => each !== above[at]);
    const close = before?.form === block.form && (block.form === "item" || block.form === "row");
    text += `${text === "" ? "" : close && !isNew ? "\n" : "\n\n"}${isNew ? `${entered.join("\n\n")}\n\n` : ""}${block.text}`;
    above = block.headings;
    before = block;
  }
  return text;
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const BESIDE = wordsOf("nav aside footer");
const BESIDE_ROLE = wordsOf(
  "navigation complementary contentinfo search banner menu menubar alertdialog",
);
const BESIDE_CLASS = wordsOf("nav navbar menu sidebar breadcrumb breadcrumbs pagination footer");
/** Characters of the longest banner. */
const MAX_BANNER = 2_000;
const CONSENT = /cookie|consent|gdpr|onetrust|cmp\b|privacy|datenschutz|einwillig/i;

/** Menus, footers, what is hidden, and the banner that asks for consent to cookies. */
function isBesideTheContent(
  { name, attributes }: OpenToken,
  inside: () => readonly MarkupToken[],
): boolean {
  if (BESIDE.has(name)) return true;
  if (attributes === "" || name === "html" || name === "body") return false;
  const given = attributesOf(attributes);
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

const CLICKABLE = wordsOf("a button input");

/** A short text about cookies or privacy with something to click. */
function asksForConsent(contents: readonly MarkupToken[]): boolean {
  let text = "";
  for (const token of contents) {
    if (token.kind === "text") text += token.text;
    if (text.length > MAX_BANNER) return false;
  }
  const canBeClicked = contents.some((token) => token.kind === "open" && CLICKABLE.has(token.name));
  return canBeClicked && CONSENT.test(text);
}

/** The article that Readability finds, as HTML; empty for pages that are too large for it. */
async function articleIn(tokens: readonly MarkupToken[]): Promise<string> {
  const elements = tokens.filter((token) => token.kind === "open" && !isLeftOut(token.name));
  if (elements.length > MAX_ELEMENTS) return "";
  const [{ parseHTML }, { Readability }] = await Promise.all([
    import("linkedom"),
    import("@mozilla/readability"),
  ]);
  const page = `<!doctype html><html><head></head><body>${written(tokens)}</body></html>`;
  const document: unknown = Reflect.get(parseHTML(page), "document");
  const content = new Readability(document, { charThreshold: 100 }).parse()?.content ?? "";
  return content.replace(/[\ue000-\ue003]/g, (sign) => ENTITIES[sign.charCodeAt(0) - 0xe000] ?? "");
}

/**
 * Signs that markup is made of stand as private characters meanwhile: a parser makes a node of each
 * entity.
 */
const ENTITIES = ["&amp;", "&lt;", "&gt;", "&quot;"];

function masked(text: string): string {
  return text.replace(/[&<>"\ue000-\ue003]/g, (sign) => {
    const at = '&<>"'.indexOf(sign);
    return at === -1 ? "" : String.fromCharCode(0xe000 + at);
  });
}

const SCAFFOLD = wordsOf("html head body");

/** The page's own scaffold, and what marks words up; links tell menus from text. */
function isLeftOut(name: string): boolean {
  return SCAFFOLD.has(name) || (INLINE.has(name) && name !== "a");
}

/** Their closing tags are often left out: the next one of their kind ends them. */
const ENDED_BY_NEXT = wordsOf("p li dt dd tr td th option");

/** Well-formed and within bounds. */
function written(tokens: readonly MarkupToken[]): string {
  const open: string[] = [];
  let html = "";
  for (const token of tokens) {
    if (token.kind === "text") {
      html += masked(open.includes("pre") ? token.text : collapsed(token.text));
      continue;
    }
    const { name } = token;
    if (isLeftOut(name)) continue;
    if (token.kind === "close") {
      const at = open.lastIndexOf(name);
      if (at === -1) continue;
      for (const each of open.splice(at).reverse()) html += `</${each}>`;
    } else {
      if (open.at(-1) === name && ENDED_BY_NEXT.has(name)) html += `</${open.pop() ?? ""}>`;
      if (open.length >= MAX_DEPTH) continue;
      html += `<${name}${classOf(token)}>`;
      if (!token.isEmpty) open.push(name);
    }
  }
  return html;
}

/** Readability looks at class and id, and at nothing else that text needs. */
function classOf({ attributes }: OpenToken): string {
  if (attributes === "") return "";
  const given = attributesOf(attributes);
  return ["class", "id"]
    .map((name) => [name, given.get(name) ?? ""])
    .map(([name, value]) => (value ? ` ${name}="${masked(value.slice(0, 100))}"` : ""))
    .join("");
}

/** The text of the first element of this name. */
function titleIn(tokens: readonly MarkupToken[], name: string): string {
  const start = tokens.findIndex((token) => token.kind === "open" && token.name === name);
  if (start === -1) return "";
  let text = "";
  for (const token of tokens.slice(start + 1, start + 20)) {
    if (token.kind === "close" && token.name === name) break;
    if (token.kind === "text") text += token.text.slice(0, 10 * MAX_TITLE);
  }
  return oneLine(tidy(text), MAX_TITLE);
}

/** The first wins that is there. */
const DATES = wordsOf(
  "article:modified_time article:published_time datemodified datepublished date time",
);

function dateIn(tokens: readonly MarkupToken[]): string | undefined {
  const found = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind !== "open" || (token.name !== "meta" && token.name !== "time")) continue;
    const given = attributesOf(token.attributes);
    const name = given.get("property") ?? given.get("itemprop") ?? given.get("name") ?? "";
    const key = token.name === "time" ? "time" : name.toLowerCase();
    const value = given.get("content") ?? given.get("datetime");
    if (value !== undefined && !found.has(key)) found.set(key, value.slice(0, 60));
  }
  return [...DATES].map((name) => found.get(name)).find((value) => value !== undefined);
}
