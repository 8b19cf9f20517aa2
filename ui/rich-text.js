/**
 * Renders the Markdown of answers: paragraphs, lists, tables, emphasis, code, and the numbers of
 * citations. It creates elements, never HTML, so that no document can inject markup.
 */
import { html } from "./html.js";

/** Private-use characters that enclose uncertain sentences. */
export const UNCERTAIN = ["\ue000", "\ue001"];

/** The same for the best sentence of a passage. */
export const BEST = ["\ue002", "\ue003"];

const INLINE =
  /\ue002([^\ue003]*)\ue003|\ue000([^\ue001]*)\ue001|\[(\d+(?:\s*,\s*\d+)*)\]|\[SOURCE:([^\]]+)\]|`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])\*([^*\s][^*\n]*)\*(?!\w)/g;

/**
 * @param renderCitation called with the number of a citation and the index of this mention of it;
 *   without it numbers are plain
 */
export function RichText({ text, renderCitation }) {
  const mentions = new Map();
  const cite = (marker) => {
    const mention = mentions.get(marker) ?? 0;
    mentions.set(marker, mention + 1);
    return renderCitation?.(marker, mention) ?? html`<sup class="cite">${marker}</sup>`;
  };
  return blocksOf(text).map((block) => html`<${Block} ...${block} cite=${cite} />`);
}

// Each block has its own direction, because Arabic may follow English.
function Block({ kind, lines, cite }) {
  const items = () => lines.map((line) => html`<li dir="auto">${inline(line, cite)}</li>`);
  switch (kind) {
    case "bullets":
      return html`<ul>
        ${items()}
      </ul>`;
    case "numbers":
      return html`<ol>
        ${items()}
      </ol>`;
    case "code":
      return html`<pre
        tabindex="0"
        role="group"
        aria-label="Code"
      ><code>${lines.join("\n")}</code></pre>`;
    case "quote":
      return html`<blockquote><${RichText} text=${lines.join("\n")} /></blockquote>`;
    case "table":
      return html`<${Table} rows=${lines.map(cellsOf)} cite=${cite} />`;
    default:
      return html`<p dir="auto">
        ${lines.flatMap((line, index) => (index === 0 ? inline(line, cite) : [html`<br />`, ...inline(line, cite)]))}
      </p>`;
  }
}

function Table({ rows: [head, ...rows], cite }) {
  return html`<div class="table" tabindex="0" role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          ${head.map((cell) => html`<th scope="col" dir="auto">${inline(cell, cite)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td dir="auto">${inline(cell, cite)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

const FENCE = /^\s*(?:```|~~~)/;
const ROW = /^\s*\|.*\|(?:\s*\[\d+(?:\s*,\s*\d+)*\])*\s*$/;
const ROW_RULE = /^\s*\|[\s:|-]*-[\s:|-]*\|\s*$/;

function blocksOf(text) {
  const blocks = [];
  let inCode = false;
  for (const line of text.split("\n")) {
    const last = blocks.at(-1);
    if (FENCE.test(line)) {
      inCode = !inCode;
      blocks.push({ kind: inCode ? "code" : "text", lines: [] });
      continue;
    }
    if (inCode) {
      last.lines.push(line);
      continue;
    }
    const { kind, content } = lineOf(line);
    if (content.trim() === "" && kind !== "quote") blocks.push({ kind: "text", lines: [] });
    else if (kind === "table" && ROW_RULE.test(line)) continue;
    else if (last?.kind === kind) last.lines.push(content);
    else blocks.push({ kind, lines: [content] });
  }
  return blocks.filter(({ lines }) => lines.length > 0);
}

function lineOf(line) {
  const quoted = /^> ?(.*)$/.exec(line)?.[1];
  // An empty line within a quotation belongs to it.
  if (quoted !== undefined) return { kind: "quote", content: quoted === "" ? " " : quoted };
  if (ROW.test(line)) return { kind: "table", content: line };
  const bullet = /^\s*[-*•]\s+(.*)$/.exec(line)?.[1];
  if (bullet !== undefined) return { kind: "bullets", content: bullet };
  const numbered = /^\s*\d+[.)]\s+(.*)$/.exec(line)?.[1];
  if (numbered !== undefined) return { kind: "numbers", content: numbered };
  return { kind: "text", content: line.replace(/^#{1,6}\s+/, "") };
}

/** Splits a row at bars outside of code; a citation after the last bar belongs to the last cell. */
function cellsOf(row) {
  const cells = [""];
  let inCode = false;
  for (const character of row
    .trim()
    .replace(/^\|/, "")
    .replace(/\|((?:\s*\[\d+(?:\s*,\s*\d+)*\])*)$/, "$1")) {
    if (character === "`") inCode = !inCode;
    if (character === "|" && !inCode) cells.push("");
    else cells[cells.length - 1] += character;
  }
  return cells.map((cell) => cell.trim());
}

function inline(line, cite) {
  const parts = [];
  let from = 0;
  for (const match of line.matchAll(INLINE)) {
    const [whole, best, uncertain, markers, source, code, strong, emphasis] = match;
    const before = line.slice(from, match.index);
    parts.push(markers === undefined ? before : before.trimEnd());
    if (best !== undefined) parts.push(html`<mark>${inline(best, cite)}</mark>`);
    else if (uncertain !== undefined)
      parts.push(
        html`<span class="uncertain" title="The sources support this only in part"
          >${inline(uncertain, cite)}<span class="uncertain-mark"> (uncertain)</span></span
        >`,
      );
    else if (markers !== undefined)
      parts.push(...markers.split(",").map((marker) => cite(Number(marker))));
    else if (source !== undefined)
      parts.push(html`<code class="path" dir="ltr">${source.replace(/:[LP](\d+)$/, ":$1")}</code>`);
    else if (code !== undefined) parts.push(html`<code dir="ltr">${code}</code>`);
    else if (strong !== undefined) parts.push(html`<strong>${inline(strong, cite)}</strong>`);
    else parts.push(html`<em>${emphasis}</em>`);
    from = match.index + whole.length;
  }
  parts.push(line.slice(from));
  return parts.map((part) =>
    typeof part === "string" ? part.replace(/[\ue000-\ue003]/g, "") : part,
  );
}

/**
 * Joins the lines of a passage into paragraphs if its format wraps them. Every character keeps its
 * offset, by which quotes are found.
 */
export function readable({ text, kind }) {
  if (kind === "pdf") return text.replace(/(\S)\n(?=\S)/g, "$1 ");
  if (kind !== "markdown") return text;
  return text
    .split(/(^\s*(?:```|~~~)[^]*?(?:^\s*(?:```|~~~)|$(?![^])))/m)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(/([^\s|])\n(?=[^\s\-*+|#>\d])/g, "$1 "),
    )
    .join("");
}

/** The text of a quote: code as code, without the markup of lists and tables. */
export function QuoteText({ text }) {
  const lines = text.replace(/^\s*(?:```|~~~)\w*\n?|\n?\s*(?:```|~~~)\s*$/g, "");
  if (lines !== text) return html`<code class="quoted-code" dir="ltr">${lines}</code>`;
  const words = text
    .replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+/, "")
    .replace(/^\s*\||\|\s*$/g, "")
    .replace(/\s*\|\s*/g, " · ");
  return words
    .split(/`([^`\n]+)`/)
    .map((part, index) =>
      index % 2 === 1
        ? html`<code dir="ltr">${part}</code>`
        : part.replace(/\*\*([^*]+)\*\*/g, "$1"),
    );
}

/** Returns the answer as a screen reader should read it: without numbers and markup. */
export function plainText(text) {
  return text
    .replace(INLINE, (_whole, _best, _uncertain, markers, _source, code, strong, emphasis) =>
      markers === undefined ? (code ?? strong ?? emphasis ?? "") : "",
    )
    .replace(/\s+([.,;])/g, "$1");
}
