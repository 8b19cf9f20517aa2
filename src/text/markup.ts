/** Reads HTML and XML as a tree, in linear time whatever the text. */
import { Tokenizer } from "htmlparser2";
import { wordSet } from "./words.js";

/** HTML's elements without content. */
const VOID = wordSet("area base br col embed hr img input link meta param source track wbr");

export interface Element {
  /** In lower case, with its prefix. */
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: (Element | string)[];
  /** True if its closing tag was written. */
  isClosed?: boolean;
}

/** Makes an element of a web page, to which documents of other formats are translated. */
export function element(
  name: string,
  children: Element["children"],
  attributes: Iterable<readonly [string, string]> = [],
): Element {
  return { name, children, attributes: new Map(attributes), isClosed: true };
}

/** Elements that begin a line, by HTML's default style sheet; browsers show unknown ones inline. */
const BLOCKS = wordSet(
  "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset " +
    "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li " +
    "listing main menu nav ol optgroup option p plaintext pre search section summary table tbody " +
    "td tfoot th thead tr ul xmp",
);

/** True for elements within a line. Custom elements, which have a hyphen, mostly hold blocks. */
export function isInline(name: string): boolean {
  return !BLOCKS.has(name) && !name.includes("-");
}

/** Deeper elements become empty, and their content that of the last one above, as in browsers. */
const MAX_DEPTH = 128;
/** Elements whose closing tags may be left out, what ends them, and what keeps them open. */
const OPTIONAL_ENDS: readonly [elements: string, endedBy: string, within: string][] = [
  ["li", "li", "ul ol menu dir"],
  ["dt dd", "dt dd", "dl"],
  ["td th", "td th tr thead tbody tfoot", "table"],
  ["tr", "tr thead tbody tfoot", "table"],
  ["thead tbody tfoot", "thead tbody tfoot", "table"],
  ["a", "a", "td th"],
];
const HOLD_NO_BLOCKS = wordSet("p head");
const ENDS = OPTIONAL_ENDS.map((names) => names.map(wordSet));
/** Nothing inside these closes an element around them. */
const CELLS = wordSet("td th caption");
const TABLE_PARTS = wordSet("table thead tbody tfoot tr td th caption");

/** Shared, since most elements of large tables have none. */
const NO_ATTRIBUTES = new Map<string, string>();

/**
 * Builds the tree of a document, with names in lower case and decoded text; the root has no name.
 * Mends unclosed HTML as browsers do.
 */
export function parseMarkup(source: string, { isXml = false } = {}): Element {
  const root: Element = { name: "", attributes: new Map(), children: [] };
  const open = [root];
  let text = "";
  let name = "";
  let attributes = NO_ATTRIBUTES;
  let key = "";
  let value = "";
  const lowerCased = (start: number, end: number): string => source.slice(start, end).toLowerCase();
  const add = (child: Element | string): void => void (open.at(-1) ?? root).children.push(child);
  const addText = (): void => {
    if (text !== "") add(text);
    text = "";
  };
  const begin = (isEmpty: boolean): void => {
    addText();
    if (!isXml) endOptional(open, name);
    const element: Element = { name, attributes, children: [] };
    add(element);
    if (!isEmpty && open.length < MAX_DEPTH) open.push(element);
  };
  const end = (ended: string): void => {
    addText();
    const at = open.findLastIndex((each) => each.name === ended);
    const above = open.slice(at + 1);
    const isCrossing = isInline(ended)
      ? above.some((each) => !isInline(each.name) && each.name !== "p")
      : !TABLE_PARTS.has(ended) && above.some((each) => CELLS.has(each.name));
    const element = open[at];
    if (at < 1 || element === undefined || (isCrossing && !isXml)) return;
    element.isClosed = true;
    open.length = at;
  };
  const ignore = (): void => undefined;
  // The library's `Parser` would nest elements, which takes quadratic time on a hostile page.
  const tokenizer = new Tokenizer(
    { xmlMode: isXml, recognizeSelfClosing: true },
    {
      ontext: (start, end) => (text += source.slice(start, end)),
      ontextentity: (codePoint) => (text += String.fromCodePoint(codePoint)),
      oncdata: (start, end, ending) => (text += source.slice(start, end - ending)),
      onopentagname(start, end) {
        name = lowerCased(start, end);
        attributes = NO_ATTRIBUTES;
      },
      onattribname: (start, end) => (key = lowerCased(start, end)),
      onattribdata: (start, end) => (value += source.slice(start, end)),
      onattribentity: (codePoint) => (value += String.fromCodePoint(codePoint)),
      onattribend() {
        if (attributes === NO_ATTRIBUTES) attributes = new Map();
        attributes.set(key, value);
        value = "";
      },
      onopentagend: () => begin(!isXml && VOID.has(name)),
      onselfclosingtag: () => begin(true),
      onclosetag: (start, to) => end(lowerCased(start, to)),
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: addText,
    },
  );
  tokenizer.write(source);
  tokenizer.end();
  return root;
}

/** Ends what the opening of this element ends. */
function endOptional(open: Element[], name: string): void {
  for (const [elements, endedBy, within] of ENDS) {
    if (!endedBy?.has(name)) continue;
    const at = open.findLastIndex((each) => elements?.has(each.name) || within?.has(each.name));
    if (elements?.has(open[at]?.name ?? "")) open.length = at;
  }
  if (isInline(name)) return;
  const at = open.findLastIndex((each) => HOLD_NO_BLOCKS.has(each.name) || !isInline(each.name));
  if (HOLD_NO_BLOCKS.has(open[at]?.name ?? "")) open.length = at;
}

/** Returns the elements below this one, in the order of the document. */
export function descendants(element: Element): Element[] {
  const found: Element[] = [];
  const visit = ({ children }: Element): void => {
    for (const child of children)
      if (typeof child !== "string") {
        found.push(child);
        visit(child);
      }
  };
  visit(element);
  return found;
}

export function textOf({ children }: Element): string {
  return children.map((child) => (typeof child === "string" ? child : textOf(child))).join("");
}
