/**
 * Splits HTML and XML into tokens in one pass, in linear time whatever the text: nothing is nested,
 * nothing backtracks, and attributes are cut.
 */
import { decodeHTML } from "entities";

export type MarkupToken =
  | { kind: "text"; text: string }
  | { kind: "open"; name: string; attributes: string; isEmpty: boolean }
  | { kind: "close"; name: string };

/** Characters of a tag that may hold attributes. */
const MAX_TAG = 2_000;
/** Elements whose content is not markup. */
export const RAW_TEXT: ReadonlySet<string> = new Set(["script", "style", "title", "textarea"]);
/** HTML's elements without content. */
const VOID = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);
const TAG_START = /<(\/?)([a-z][a-z0-9:._-]{0,40})/iy;

/** Yields names in lower case and decoded text. */
export function* markupTokens(source: string): Generator<MarkupToken> {
  let position = 0;
  let text = "";
  while (position < source.length) {
    const open = source.indexOf("<", position);
    text += source.slice(position, open === -1 ? source.length : open);
    if (open === -1) break;
    const declaration = endOfDeclaration(source, open);
    if (declaration !== undefined) {
      text += declaration.text;
      position = declaration.end;
      continue;
    }
    TAG_START.lastIndex = open;
    const [start, slash, tag = ""] = TAG_START.exec(source) ?? [];
    if (start === undefined) {
      text += "<";
      position = open + 1;
      continue;
    }
    const from = open + start.length;
    const end = endOfTag(source, from);
    const name = tag.toLowerCase();
    if (text !== "") yield { kind: "text", text: decodeHTML(text) };
    text = "";
    position = end;
    if (slash === "/") yield { kind: "close", name };
    else {
      const isEmpty = VOID.has(name) || source.startsWith("/>", end - 2);
      yield {
        kind: "open",
        name,
        attributes: source.slice(from, Math.min(end - 1, from + MAX_TAG)),
        isEmpty,
      };
      if (RAW_TEXT.has(name) && !isEmpty) {
        position = startOfClosing(source, name, end);
        if (position > end) yield { kind: "text", text: decodeHTML(source.slice(end, position)) };
      }
    }
  }
  if (text !== "") yield { kind: "text", text: decodeHTML(text) };
}

const DECLARATIONS: readonly [opening: string, closing: string][] = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<!", ">"],
  ["<?", ">"],
];

/** Skips comments, document types and processing instructions; CDATA is text. */
function endOfDeclaration(source: string, open: number): { text: string; end: number } | undefined {
  const [start, close] = DECLARATIONS.find(([opening]) => source.startsWith(opening, open)) ?? [];
  if (start === undefined || close === undefined) return undefined;
  const end = source.indexOf(close, open + start.length);
  const inside = source.slice(open + start.length, end === -1 ? source.length : end);
  const text = start === "<![CDATA[" ? inside.replaceAll("&", "&amp;") : "";
  return { text, end: end === -1 ? source.length : end + close.length };
}

const QUOTE_OR_END = /=\s*["']|>/g;

/** Returns the position after the ">" of a tag, ignoring those in quoted attributes. */
function endOfTag(source: string, from: number): number {
  QUOTE_OR_END.lastIndex = from;
  for (let found = QUOTE_OR_END.exec(source); found !== null; found = QUOTE_OR_END.exec(source)) {
    if (found[0] === ">") return QUOTE_OR_END.lastIndex;
    const close = source.indexOf(found[0].slice(-1), QUOTE_OR_END.lastIndex);
    if (close !== -1) QUOTE_OR_END.lastIndex = close + 1;
  }
  return source.length;
}

function startOfClosing(source: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, "gi");
  closing.lastIndex = from;
  return closing.exec(source)?.index ?? source.length;
}

const ATTRIBUTE = /([^\s=>"'/]{1,60})(?:\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g;

/** Returns decoded attributes by their names in lower case. */
export function attributesOf(attributes: string): ReadonlyMap<string, string> {
  return new Map(
    [...attributes.matchAll(ATTRIBUTE)].map(([, name = "", double, single, bare]) => [
      name.toLowerCase(),
      decodeHTML(double ?? single ?? bare ?? ""),
    ]),
  );
}
