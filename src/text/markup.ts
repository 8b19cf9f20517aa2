/** Reads HTML and XML as tokens or as a tree, in linear time whatever the text. */
import { Tokenizer } from "htmlparser2";

type MarkupToken =
  | { kind: "text"; text: string }
  | { kind: "open"; name: string; attributes: ReadonlyMap<string, string>; isEmpty: boolean }
  | { kind: "close"; name: string };

/** @param text names, separated by spaces */
export const namesIn = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** HTML's elements without content. */
const VOID = namesIn("area base br col embed hr img input link meta param source track wbr");
/** Characters that are split at once; an archive may unpack to 100 MB of markup. */
const PORTION = 100_000;

/** Yields names in lower case and decoded text. */
export function* markupTokens(source: string, { isXml = false } = {}): Generator<MarkupToken> {
  let tokens: MarkupToken[] = [];
  let text = "";
  let name = "";
  let attributes = new Map<string, string>();
  let key = "";
  let value = "";
  const lowerCased = (start: number, end: number): string => source.slice(start, end).toLowerCase();
  const push = (token?: MarkupToken): void => {
    if (text !== "") tokens.push({ kind: "text", text });
    if (token !== undefined) tokens.push(token);
    text = "";
  };
  const open = (isClosed: boolean): void => {
    push({ kind: "open", name, attributes, isEmpty: isClosed || (!isXml && VOID.has(name)) });
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
        attributes = new Map();
      },
      onattribname: (start, end) => (key = lowerCased(start, end)),
      onattribdata: (start, end) => (value += source.slice(start, end)),
      onattribentity: (codePoint) => (value += String.fromCodePoint(codePoint)),
      onattribend() {
        attributes.set(key, value);
        value = "";
      },
      onopentagend: () => open(false),
      onselfclosingtag: () => open(true),
      onclosetag: (start, end) => push({ kind: "close", name: lowerCased(start, end) }),
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: push,
    },
  );
  for (let at = 0; at < source.length; at += PORTION) {
    tokenizer.write(source.slice(at, at + PORTION));
    yield* tokens;
    tokens = [];
  }
  tokenizer.end();
  yield* tokens;
}

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
const BLOCKS = namesIn(
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
const HOLD_NO_BLOCKS = namesIn("p head");
const ENDS = OPTIONAL_ENDS.map((names) => names.map(namesIn));
/** Nothing inside these closes an element around them. */
const CELLS = namesIn("td th caption");
const TABLE_PARTS = namesIn("table thead tbody tfoot tr td th caption");

/** Builds the tree of a document; the root has no name. Mends unclosed HTML as browsers do. */
export function parseMarkup(source: string, { isXml = false } = {}): Element {
  const root: Element = { name: "", attributes: new Map(), children: [] };
  const open = [root];
  for (const token of markupTokens(source, { isXml })) {
    if (token.kind === "open" && !isXml) endOptional(open, token.name);
    const parent = open.at(-1) ?? root;
    if (token.kind === "text") parent.children.push(token.text);
    else if (token.kind === "open") {
      const { name, attributes, isEmpty } = token;
      const element: Element = { name, attributes, children: [] };
      parent.children.push(element);
      if (!isEmpty && open.length < MAX_DEPTH) open.push(element);
    } else {
      const at = open.findLastIndex(({ name }) => name === token.name);
      const above = open.slice(at + 1);
      const isCrossing = isInline(token.name)
        ? above.some(({ name }) => !isInline(name) && name !== "p")
        : !TABLE_PARTS.has(token.name) && above.some(({ name }) => CELLS.has(name));
      if (at < 1 || (isCrossing && !isXml)) continue;
      const ended = open[at];
      if (ended !== undefined) ended.isClosed = true;
      open.length = at;
    }
  }
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
