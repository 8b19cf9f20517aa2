/** HTML as blocks with heading paths: for web pages, and for the formats that are converted to HTML. */
import type { Block } from "./document.js";

/** What is needed of the DOM: linkedom's nodes fit, and so do a browser's. */
export interface DomNode {
  nodeType: number;
  nodeName: string;
  textContent: string | null;
  childNodes: Iterable<DomNode>;
}

const ELEMENT = 1;
const TEXT = 3;
const IGNORED = new Set([
  "SCRIPT",
  "STYLE",
  "NOSCRIPT",
  "TEMPLATE",
  "SVG",
  "IFRAME",
  "NAV",
  "FORM",
  "BUTTON",
  "HEAD",
]);
const INLINE = new Set(
  "A ABBR B BDI BDO BR CITE CODE DATA DEL DFN EM FONT I IMG INS KBD LABEL MARK Q RUBY RP RT S SAMP SMALL SPAN STRONG SUB SUP TIME TT U VAR WBR".split(
    " ",
  ),
);
/** Real pages nest some dozens deep; below this the text is taken as it comes. */
const MAX_DEPTH = 200;

/** Reads an element's content in order. */
export function htmlBlocks(root: DomNode, above: readonly string[] = []): Block[] {
  const blocks: Block[] = [];
  const path: { level: number; text: string }[] = [];
  const push = (text: string, form: Block["form"]): void => {
    if (text.trim() !== "")
      blocks.push({ text, form, headings: [...above, ...path.map((heading) => heading.text)] });
  };
  const visit = (node: DomNode, depth: number): void => {
    let inline = "";
    const flush = (): void => {
      push(tidy(inline), "paragraph");
      inline = "";
    };
    for (const child of node.childNodes) {
      const name = child.nodeName.toUpperCase();
      if (child.nodeType === TEXT) inline += child.textContent ?? "";
      else if (child.nodeType !== ELEMENT || IGNORED.has(name)) continue;
      else if (INLINE.has(name)) inline += name === "BR" ? "\n" : (child.textContent ?? "");
      else {
        flush();
        const level = /^H([1-6])$/.exec(name)?.[1];
        if (level !== undefined) {
          while ((path.at(-1)?.level ?? 0) >= Number(level)) path.pop();
          const text = oneLine(child.textContent ?? "");
          if (text !== "") path.push({ level: Number(level), text });
        } else if (name === "PRE") push((child.textContent ?? "").replace(/\s+$/, ""), "code");
        else if (name === "TABLE") push(tableText(child), "table");
        else if (name === "LI" || name === "DT" || name === "DD")
          push(`- ${oneLine(child.textContent ?? "")}`, "item");
        else if (name === "P" || depth >= MAX_DEPTH)
          push(tidy(child.textContent ?? ""), "paragraph");
        else visit(child, depth + 1);
      }
    }
    flush();
  };
  visit(root, 0);
  return blocks.filter((block) => block.text !== "- ");
}

function tableText(table: DomNode): string {
  const rows = descendants(table, "TR").map((row) =>
    [...row.childNodes]
      .filter(({ nodeName }) => /^T[DH]$/i.test(nodeName))
      .map((cell) => oneLine(cell.textContent ?? "")),
  );
  const [header, ...rest] = rows.filter((cells) => cells.some((cell) => cell !== ""));
  if (header === undefined) return "";
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rest.map(line)].join("\n");
}

function descendants(node: DomNode, name: string, depth = 0): DomNode[] {
  if (depth > MAX_DEPTH) return [];
  return [...node.childNodes].flatMap((child) =>
    child.nodeName.toUpperCase() === name ? [child] : descendants(child, name, depth + 1),
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function tidy(text: string): string {
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{2,}/g, "\n")
    .trim();
}
