/** HTML as text and as blocks with heading paths, in linear time. */
import { HeadingPath, TableReader, type Block } from "./block.js";
import { markupTokens, RAW_TEXT, type MarkupToken, type OpenToken } from "./markup.js";
import { collapsed, oneLine } from "./one-line.js";

/** Elements that begin a line, by HTML's default style sheet; browsers show unknown ones inline. */
const BLOCKS: ReadonlySet<string> = new Set(
  "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp".split(
    " ",
  ),
);

/** True for elements within a line. Custom elements, which have a hyphen, mostly hold blocks. */
export function isInline(name: string): boolean {
  return !BLOCKS.has(name) && !name.includes("-");
}

const INVISIBLE = new Set(
  "script style noscript template svg math iframe object canvas title head button select textarea".split(
    " ",
  ),
);

/**
 * Removes elements that show no text, and those for which `isDropped` returns true. An element that
 * is not closed only loses its tag.
 * @param isDropped receives the opening tag and the tokens inside the element
 */
export function visibleTokens(
  tokens: readonly MarkupToken[],
  isDropped: (opening: OpenToken, inside: () => readonly MarkupToken[]) => boolean = () => false,
): MarkupToken[] {
  const ends = closingTags(tokens);
  const visible: MarkupToken[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) continue;
    const end = ends.get(at);
    const isGone =
      token.kind === "open" &&
      (INVISIBLE.has(token.name) ||
        isDropped(token, () => tokens.slice(at + 1, Math.min(end ?? at + 1, at + 1 + MAX_INSIDE))));
    if (!isGone) visible.push(token);
    // All text after a script that is not closed belongs to the script.
    else at = end ?? (RAW_TEXT.has(token.name) ? tokens.length : at);
  }
  return visible;
}

/** Tokens of an element that `isDropped` may inspect. */
export const MAX_INSIDE = 300;

/** Returns the position of each closing tag by that of its opening tag. */
export function closingTags(tokens: readonly MarkupToken[]): ReadonlyMap<number, number> {
  const open = new Map<string, number[]>();
  const ends = new Map<number, number>();
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "open" && !token.isEmpty) {
      const before = open.get(token.name) ?? [];
      before.push(at);
      open.set(token.name, before);
    } else if (token.kind === "close") {
      const start = open.get(token.name)?.pop();
      if (start !== undefined) ends.set(start, at);
    }
  }
  return ends;
}

/** Text that no longer holds is marked as in Markdown. */
const STRUCK: ReadonlySet<string> = new Set(["del", "s", "strike"]);
const CELL: ReadonlySet<string> = new Set(["td", "th"]);
export const HEADINGS: ReadonlySet<string> = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
/** Texts of the links that many pages put next to a heading. */
const ANCHORS: ReadonlySet<string> = new Set(["§", "¶", "#"]);
const MAX_LISTS = 100;
/** Stands between the items of a list in a cell while it is read; `tidy` would remove it. */
const NEXT_ITEM = "\u001e";
/** Elements between a term and the beginning of its description. */
const BETWEEN_TERMS: ReadonlySet<string> = new Set(["dt", "dd", "p", "div"]);

interface List {
  ordered: boolean;
  /** Number of its latest item. */
  count: number;
}

/** Returns "- " or the item's number, and counts on. */
function leadOf(attributes: OpenToken["attributes"], list: List | undefined): string {
  const number = numberIn(attributes, "value", (list?.count ?? 0) + 1);
  if (list !== undefined) list.count = number;
  const isNumbered = list?.ordered === true || attributes.has("value");
  return isNumbered ? `${number}. ` : "- ";
}

function numberIn(attributes: OpenToken["attributes"], name: string, otherwise: number): number {
  const number = Number(attributes.get(name));
  return number > 0 && number < 1000 ? Math.floor(number) : otherwise;
}

/**
 * Reads blocks in the order of the page. Tables become rows with the heads of their columns.
 * @param path the headings above; those of these tokens are entered too
 */
export function htmlBlocks(
  tokens: readonly MarkupToken[],
  path: HeadingPath = new HeadingPath(),
): Block[] {
  const blocks: Block[] = [];
  const lists: List[] = [];
  const tables: TableReader[] = [];
  let text = "";
  let lead = "";
  let inCode = false;
  let inHeading = false;
  let inTerm = false;
  /** Terms of a description list that wait for their description. */
  let term = "";
  const push = (content: string, form: Block["form"]): void => {
    if (content.trim() !== "") blocks.push({ text: content, headings: path.texts, form });
  };
  const struck = new Set<string>();
  /** True while `text` ends in struck-out text, whose closing mark is still missing. */
  let isMarked = false;
  const add = (own: string): void => {
    const isStruck = struck.size > 0 && !inCode;
    if (isStruck !== isMarked && (isMarked || own.trim() !== "")) {
      text += "~~";
      isMarked = isStruck;
    }
    text += own;
  };
  const take = (): string => {
    const taken = isMarked ? `${text}~~` : text;
    isMarked = false;
    text = "";
    return taken;
  };
  const line = (): string => {
    const items = take()
      .split(NEXT_ITEM)
      .map((item) => oneLine(tidy(item)));
    return items.filter(Boolean).join(", ");
  };
  const endTerm = (): void => {
    const own = inTerm ? line() : "";
    inTerm = false;
    if (own !== "") term = term === "" ? own : `${term}, ${own}`;
  };
  /** Keeps terms without a description, or with one that begins with a list or code. */
  const pushTerm = (): void => {
    if (term === "") return;
    push(`- ${term}`, "item");
    lead = term = "";
  };
  const flush = (): void => {
    if (inTerm) {
      text += " ";
      return;
    }
    if (inCode) {
      const code = take();
      return push(fenced(code.slice(code.startsWith("\n") ? 1 : 0)), "code");
    }
    const content = tidy(take()).replaceAll("\n\n", "\n");
    if (content === "") return;
    push(lead === "" ? content : lead + oneLine(content), lead === "" ? "paragraph" : "item");
    lead = term = "";
  };
  const endTable = (table: TableReader): void => {
    table.take(line());
    tables.pop();
    if (tables.length > 0)
      text += table
        .rows()
        .flatMap(([row]) => row)
        .join(" ");
    else for (const [row, form] of table.rows()) push(row, form);
  };
  const visible = visibleTokens(tokens);
  for (const [at, token] of visible.entries()) {
    if (token.kind === "text") {
      if ((inHeading || inTerm) && ANCHORS.has(token.text.trim())) continue;
      add(inCode ? token.text : collapsed(token.text));
      continue;
    }
    const { name } = token;
    const isOpening = token.kind === "open";
    const table = tables.at(-1);
    if (name === "br") text += "\n";
    if (STRUCK.has(name)) struck[isOpening ? "add" : "delete"](name);
    if (name === "sup" && isOpening) text += powerSign(text, visible[at + 1]);
    // Some highlighters wrap each line of code in an element.
    if (inCode && name === "div" && text !== "" && !text.endsWith("\n")) text += "\n";
    if (isInline(name) || (inCode && name === "div")) continue;
    if (name === "table") {
      if (!isOpening) {
        if (table !== undefined) endTable(table);
        continue;
      }
      if (table === undefined) {
        flush();
        pushTerm();
      }
      tables.push(new TableReader());
    } else if (table !== undefined) {
      if (!CELL.has(name) && name !== "tr") {
        text += name === "li" && isOpening ? NEXT_ITEM : " ";
        continue;
      }
      push(table.take(line()), "paragraph");
      if (isOpening) table.open(name, token.attributes);
    } else if (HEADINGS.has(name) && !isOpening) {
      inHeading = false;
      const heading = line();
      if (!path.enter(Number(name.slice(1)), heading)) push(heading, "paragraph");
    } else {
      if (name === "dt" || name === "dd" || name === "dl" || HEADINGS.has(name)) endTerm();
      flush();
      if (!BETWEEN_TERMS.has(name) || (name === "dd" && !isOpening)) pushTerm();
      inHeading = HEADINGS.has(name);
      if (name === "pre") inCode = isOpening;
      else if (name === "ul" || name === "ol") {
        if (!isOpening) lists.pop();
        else if (lists.length < MAX_LISTS)
          lists.push({ ordered: name === "ol", count: numberIn(token.attributes, "start", 1) - 1 });
      } else if (name === "li") lead = isOpening ? leadOf(token.attributes, lists.at(-1)) : "";
      else if (name === "dt") inTerm = isOpening;
      else if (name === "dd" && isOpening)
        lead = term === "" ? "- " : `- ${term}${term.endsWith(":") ? "" : ":"} `;
    }
  }
  endTerm();
  if (tables.length === 0) flush();
  pushTerm();
  for (const table of tables) for (const [row, form] of table.rows()) push(row, form);
  return blocks;
}

/** Returns code as a code block of Markdown; "" for none. */
export function fenced(code: string, language = ""): string {
  const lines = code.trimEnd();
  const fence = lines.includes("```") ? "~~~~" : "```";
  return lines === "" ? "" : `${fence}${language}\n${lines}\n${fence}`;
}

/** "10<sup>3</sup>" is not 103, and "1<sup>st</sup>" is not a power. */
function powerSign(base: string, next: MarkupToken | undefined): string {
  const last = base.at(-1) ?? "";
  const isPower = last >= "0" && last <= "9" && next?.kind === "text" && !isNaN(Number(next.text));
  return isPower ? "^" : "";
}

/** Returns the text of a snippet, with a line for each block. */
export function htmlToText(html: string): string {
  let text = "";
  for (const token of visibleTokens([...markupTokens(html)])) {
    if (token.kind === "text") text += token.text;
    else if (token.name === "br" || !isInline(token.name)) text += "\n";
  }
  return tidy(text);
}

/** Removes control characters and characters without width. */
export function withoutInvisibleSigns(text: string): string {
  return text.replace(INVISIBLE_SIGNS, "");
}

const INVISIBLE_SIGNS = /[\u0000-\u0008\u000b\u000e-\u001f\u007f\u00ad\u200b\u2060\ufeff]/g;

/** Collapses white space, separates paragraphs by one empty line, removes control characters. */
export function tidy(text: string): string {
  return withoutInvisibleSigns(text)
    .split(/[\n\r\f]/)
    .map((line) => oneLine(line))
    .filter((line, at, lines) => line !== "" || lines[at - 1] !== "")
    .join("\n")
    .trim();
}
