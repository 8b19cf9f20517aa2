/** HTML as text and as blocks with heading paths, in linear time. */
import { HeadingPath, TableReader, type Block } from "./block.js";
import { markupTokens, RAW_TEXT, type MarkupToken } from "./markup.js";

export const INLINE: ReadonlySet<string> = new Set(
  "a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark q rp rt ruby s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);
const INVISIBLE = new Set(
  "script style noscript template svg math iframe object canvas title head button select textarea".split(
    " ",
  ),
);

/**
 * Returns the tokens without elements that show no text, and without those that `isDropped` names.
 * An element that is not closed loses its tag alone.
 * @param isDropped is given what stands inside of the element
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
        isDropped(token, () => tokens.slice(at + 1, Math.min(end ?? at + 1, at + MAX_INSIDE))));
    if (!isGone) visible.push(token);
    // Text behind a script that is not closed is all script.
    else at = end ?? (RAW_TEXT.has(token.name) ? tokens.length : at);
  }
  return visible;
}

export type OpenToken = MarkupToken & { kind: "open" };

/** Tokens of an element that are looked at to see whether it is dropped. */
const MAX_INSIDE = 300;

/** Where each element ends, by where it begins. */
function closingTags(tokens: readonly MarkupToken[]): ReadonlyMap<number, number> {
  const open = new Map<string, number[]>();
  const ends = new Map<number, number>();
  tokens.forEach((token, at) => {
    if (token.kind === "open" && !token.isEmpty) {
      const before = open.get(token.name);
      if (before === undefined) open.set(token.name, [at]);
      else before.push(at);
    } else if (token.kind === "close") {
      const start = open.get(token.name)?.pop();
      if (start !== undefined) ends.set(start, at);
    }
  });
  return ends;
}

/** Reads blocks in the order of the page. Tables become rows that carry the heads of their columns. */
export function htmlBlocks(tokens: readonly MarkupToken[]): Block[] {
  const blocks: Block[] = [];
  const path = new HeadingPath();
  const lists: { ordered: boolean; count: number }[] = [];
  const tables: TableReader[] = [];
  let text: string[] = [];
  let lead = "";
  let code = 0;
  const push = (content: string, form: Block["form"]): void => {
    if (content.trim() !== "") blocks.push({ text: content, headings: path.texts, form });
  };
  const flush = (): void => {
    const raw = text.join("");
    text = [];
    if (code > 0) return push(raw.replace(/^\n/, "").trimEnd(), "code");
    const content = tidyText(raw);
    if (content === "") return;
    push(lead + (lead === "" ? content : oneLine(content)), lead === "" ? "paragraph" : "item");
    lead = "";
  };
  for (const token of visibleTokens(tokens)) {
    const table = tables.at(-1);
    if (token.kind === "text") {
      text.push(code > 0 ? token.text : token.text.replace(/\s+/g, " "));
      continue;
    }
    const { name } = token;
    if (name === "br") text.push("\n");
    if (INLINE.has(name) || name === "br") continue;
    if (table !== undefined && name !== "table") {
      if (/^t[dh]$/.test(name) || name === "tr") {
        const rest = table.take(oneLine(text.join("")));
        text = [];
        if (rest !== "") push(rest, "paragraph");
        if (token.kind === "open") table.open(name);
      } else text.push(" ");
      continue;
    }
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined && token.kind === "close") {
      const heading = withoutAnchor(oneLine(text.join("")));
      text = [];
      if (!path.enter(Number(level), heading)) push(heading, "paragraph");
      continue;
    }
    if (name === "table") {
      if (token.kind === "open") {
        if (table === undefined) flush();
        tables.push(new TableReader());
      } else if (table !== undefined) {
        table.take(oneLine(text.join("")));
        text = [];
        tables.pop();
        const outer = tables.at(-1);
        if (outer === undefined) for (const [row, form] of table.rows()) push(row, form);
        else
          text.push(
            table
              .rows()
              .map(([row]) => row)
              .join(" "),
          );
      }
      continue;
    }
    flush();
    if (name === "pre") code = token.kind === "open" ? 1 : 0;
    else if (name === "ul" || name === "ol") {
      if (token.kind === "close") lists.pop();
      else if (lists.length < MAX_LISTS) lists.push({ ordered: name === "ol", count: 0 });
    } else if (name === "li" || name === "dt" || name === "dd") {
      const list = lists.at(-1);
      if (token.kind === "open" && list !== undefined) list.count += 1;
      const mark = list?.ordered === true ? `${list.count}. ` : "- ";
      lead = token.kind === "open" ? mark : "";
    }
  }
  flush();
  for (const table of tables) for (const [row, form] of table.rows()) push(row, form);
  return blocks;
}

const MAX_LISTS = 100;
/** The sign of the link that many pages put beside a heading. */
function withoutAnchor(heading: string): string {
  return heading.replace(/^[§¶#] ?| ?[§¶#]$/g, "");
}

/** The text of a snippet or page, block by line, cells parted by " | ". */
export function htmlToText(html: string): string {
  let text = "";
  for (const token of visibleTokens([...markupTokens(html)])) {
    if (token.kind === "text") text += token.text;
    else if (/^t[dh]$/.test(token.name)) text += token.kind === "open" ? "" : " | ";
    else if (!INLINE.has(token.name)) text += "\n";
  }
  return tidy(text);
}

/** Collapses white space, keeps paragraphs apart by one empty line at most, drops control characters. */
export function tidy(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f\u00ad\u200b\u2060\ufeff]/g, (character) =>
      character === "\r" || character === "\f" ? "\n" : "",
    )
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .split("\n")
    .map(withoutEmptyCells)
    .join("\n")
    .trim();
}

/** By hand, since a pattern that is tied to the end takes quadratic time on hostile pages. */
function withoutEmptyCells(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "|")) end -= 1;
  return line.slice(0, end);
}

function tidyText(text: string): string {
  return tidy(text).replace(/\n+/g, "\n");
}

function oneLine(text: string): string {
  return tidy(text).replace(/\s+/g, " ");
}
