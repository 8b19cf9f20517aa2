/** HTML as text and as blocks with heading paths. */
import { HeadingPath, tableRows, type Block, type TableCell } from "./block.js";
import { isInline, textOf, type Element } from "./markup.js";
import { collapsed, oneLine, wordSet } from "./words.js";

const INVISIBLE = wordSet(
  "script style noscript template svg math iframe object canvas title head button select textarea",
);
/** Text that no longer holds. */
const STRUCK = wordSet("del s strike");
/** What was begun here belongs to it, closed or not. */
const RAW_TEXT = wordSet("script style title textarea");

/** True for an element whose text is left out. One that is not closed only loses its tag. */
export function isInvisible({ name, isClosed = false }: Element): boolean {
  const isLeftOut = INVISIBLE.has(name) || STRUCK.has(name);
  return isLeftOut && (isClosed || RAW_TEXT.has(name));
}

export const HEADINGS = wordSet("h1 h2 h3 h4 h5 h6");
/** Texts of the links that many pages put next to a heading. */
const ANCHORS = wordSet("§ ¶ #");
const ROWS = wordSet("tr");
const CELLS = wordSet("td th");
/** Elements between a term and the beginning of its description. */
const BETWEEN_TERMS = wordSet("dt dd p div");
/** Goes before the items of a list in a cell; `tidy` would remove it. */
const NEXT_ITEM = "\u001e";

interface List {
  ordered: boolean;
  /** Number of its latest item. */
  count: number;
}

/** Returns "- " or the item's number, and counts on. */
function leadOf({ attributes }: Element, list: List | undefined): string {
  const number = numberIn(attributes, "value", (list?.count ?? 0) + 1);
  if (list !== undefined) list.count = number;
  const isNumbered = list?.ordered === true || attributes.has("value");
  return isNumbered ? `${number}. ` : "- ";
}

function numberIn(attributes: Element["attributes"], name: string, otherwise: number): number {
  const number = Number(attributes.get(name));
  return number > 0 && number < 1000 ? Math.floor(number) : otherwise;
}

/**
 * Reads blocks in the order of the page. Tables become rows with the heads of their columns.
 * @param path the headings above; those of this part are entered too
 * @param dropped elements that are left out
 */
export function htmlBlocks(
  root: Element,
  path: HeadingPath = new HeadingPath(),
  dropped: ReadonlySet<Element> = new Set(),
): Block[] {
  const blocks: Block[] = [];
  let text = "";
  let lead = "";
  /** Terms of a description list that wait for their description. */
  let term = "";
  const push = (content: string, form: Block["form"]): void => {
    if (content.trim() !== "") blocks.push({ text: content, headings: path.texts, form });
  };
  /** Keeps terms without a description, or with one that begins with a list or code. */
  const pushTerm = (): void => {
    if (term !== "") push(`- ${term}`, "item");
    if (term !== "") lead = "";
    term = "";
  };
  const flush = (): void => {
    const content = tidy(text).replaceAll("\n\n", "\n");
    text = "";
    if (content === "") return;
    push(lead === "" ? content : lead + oneLine(content), lead === "" ? "paragraph" : "item");
    lead = term = "";
  };
  const pushTable = (table: Element): void => {
    for (const other of partsOf(table, ROWS, dropped).others)
      push(lineOf(other, dropped), "paragraph");
    for (const [row, form] of rowsOf(table, dropped)) push(row, form);
  };
  /** Reads a box within text, such as a note, whose headings end with it. */
  const readBox = (box: Element, list?: List): void => {
    const [above, start, leave] = [path.texts, blocks.length, path.mark()];
    read(box, list);
    flush();
    const held = blocks.slice(start);
    if (above.length === 0 || held.length === 0) return;
    for (const block of held) {
      const own = above.findIndex((heading, at) => heading !== block.headings[at]);
      if (own >= 0) block.headings = [...above, ...block.headings.slice(own)];
    }
    leave();
  };
  const read = (parent: Element, list?: List): void => {
    const boxes = boxesIn(parent.children);
    for (const child of parent.children) {
      if (typeof child === "string") {
        text += collapsed(child);
        continue;
      }
      const { name, attributes } = child;
      if (dropped.has(child) || isInvisible(child)) continue;
      if (name === "br") text += "\n";
      else if (isInline(name)) {
        if (name === "sup") text += powerSign(text, child);
        read(child, list);
      } else if (name === "dt") {
        flush();
        const written = lineOf(child, dropped);
        if (written !== "") term = term === "" ? written : `${term}, ${written}`;
      } else {
        flush();
        if (!BETWEEN_TERMS.has(name)) pushTerm();
        if (HEADINGS.has(name)) {
          const heading = lineOf(child, dropped);
          if (!path.enter(Number(name.slice(1)), heading)) push(heading, "paragraph");
        } else if (name === "pre") push(codeFence(codeOf(child)), "code");
        else if (name === "table") pushTable(child);
        else {
          if (name === "li") lead = leadOf(child, list);
          if (name === "dd")
            lead = term === "" ? "- " : `- ${term}${term.endsWith(":") ? "" : ":"} `;
          const isList = name === "ul" || name === "ol";
          const count = isList ? numberIn(attributes, "start", 1) - 1 : 0;
          if (boxes.has(child)) readBox(child, list);
          else read(child, isList ? { ordered: name === "ol", count } : list);
          flush();
          if (!BETWEEN_TERMS.has(name) || (name === "dd" && child.isClosed)) pushTerm();
          if (name === "li") lead = "";
        }
      }
    }
  };
  read(root);
  flush();
  pushTerm();
  return blocks;
}

/** Elements of running text. */
const TEXT = wordSet("p pre ul ol dl table blockquote");

/** Returns the parts, one or several alike, below which running text goes on. */
function boxesIn(siblings: Element["children"]): ReadonlySet<Element> {
  const boxes = new Set<Element>();
  /** Class of the boxes below, "" for none so far. */
  let like: string | undefined;
  for (const child of siblings.toReversed()) {
    if (typeof child === "string" || isInline(child.name)) continue;
    const kind = child.attributes.get("class") ?? "";
    const isLike = child.name === "div" && (like === kind || like === "");
    if (isLike) boxes.add(child);
    like = TEXT.has(child.name) ? "" : isLike ? kind : undefined;
  }
  return boxes;
}

function codeOf(root: Element): string {
  const parts: string[] = [];
  const read = ({ children }: Element): void => {
    for (const child of children) {
      if (typeof child === "string") parts.push(child);
      else if (child.name === "br") parts.push("\n");
      else if (STRUCK.has(child.name) || !isInvisible(child)) {
        // Some highlighters wrap each line of code in an element.
        const ends = (): boolean => !isInline(child.name) && parts.at(-1)?.endsWith("\n") === false;
        if (ends()) parts.push("\n");
        read(child);
        if (ends()) parts.push("\n");
      }
    }
  };
  read(root);
  const code = parts.join("");
  return code.startsWith("\n") ? code.slice(1) : code;
}

/** Elements between a table and its rows. */
const GROUPS = wordSet("thead tbody tfoot");

/** Parts what is below an element into elements of these names and others. */
function partsOf(parent: Element, names: ReadonlySet<string>, dropped: ReadonlySet<Element>) {
  const named: Element[] = [];
  const others: Element[] = [];
  for (const child of parent.children) {
    if (typeof child === "string") others.push({ ...parent, name: "", children: [child] });
    else if (dropped.has(child)) continue;
    else if (names.has(child.name)) named.push(child);
    else if (GROUPS.has(child.name) || isInline(child.name)) {
      const inner = partsOf(child, names, dropped);
      named.push(...inner.named);
      others.push(...inner.others);
    } else others.push(child);
  }
  return { named, others };
}

function rowsOf(table: Element, dropped: ReadonlySet<Element>) {
  const rows = partsOf(table, ROWS, dropped).named;
  return tableRows(
    rows.map((row) =>
      partsOf(row, CELLS, dropped).named.map((cell): TableCell => ({
        text: lineOf(cell, dropped),
        isHead: cell.name === "th",
        columns: Number(cell.attributes.get("colspan")),
        rows: Number(cell.attributes.get("rowspan")),
        isMerged: cell.attributes.has("vmerge"),
      })),
    ),
  );
}

/** Returns the text of an element on one line, the items of its lists separated by commas. */
export function lineOf(root: Element, dropped: ReadonlySet<Element> = new Set()): string {
  const hasAnchors = !CELLS.has(root.name);
  let text = "";
  const read = ({ children }: Element): void => {
    for (const child of children) {
      if (typeof child === "string") {
        if (!hasAnchors || !ANCHORS.has(child.trim())) text += collapsed(child);
        continue;
      }
      const { name } = child;
      if (dropped.has(child) || isInvisible(child)) continue;
      const space = isInline(name) && name !== "br" ? "" : " ";
      text += space;
      if (name === "sup") text += powerSign(text, child);
      if (name === "li") text += NEXT_ITEM;
      if (name === "table")
        text += rowsOf(child, dropped)
          .map(([row]) => row)
          .join(" ");
      else read(child);
      text += space;
    }
  };
  read(root);
  const items = text.split(NEXT_ITEM).map((item) => oneLine(tidy(item)));
  return items.filter(Boolean).join(", ");
}

/** Returns code as a code block of Markdown; "" for none. */
export function codeFence(code: string, language = ""): string {
  const lines = code.trimEnd();
  const fence = lines.includes("```") ? "~~~~" : "```";
  return lines === "" ? "" : `${fence}${language}\n${lines}\n${fence}`;
}

/** "10<sup>3</sup>" is not 103, and "1<sup>st</sup>" is not a power. */
function powerSign(base: string, power: Element): string {
  const last = base.at(-1) ?? "";
  return last >= "0" && last <= "9" && !isNaN(Number(textOf(power) || NaN)) ? "^" : "";
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
