/**
 * Renders Markdown, which markdown-it parses, with the numbers of citations and the marks of
 * `marks.js`. It creates elements, never HTML, so that no document can inject markup.
 */
import { h } from "preact";
import "markdown-it";
import { CopyButton, html } from "./elements.js";
import { FORMATS } from "./formats.js";
import { CITED, markSpans, UNCERTAIN } from "./marks.js";

/** Formulas stay whole: within them nothing is emphasis. A price is no formula. */
const FORMULA =
  /\$\$[^$]+\$\$|\\\([^]+?\\\)|\\\[[^]+?\\\]|\$(?!\s)(?:[a-zA-Z]|(?=[^$\n]*[\\^_={])[^$\n]*[^$\s])\$(?!\d)/y;

const ROW = /^[ \t]*\|.*$/gm;
const CITATIONS_AT_END = /\|[ \t]*((?:\[\d+(?:\s*,\s*\d+)*\][ \t]*)+)$/;

const MOST_UNBROKEN = 24;

const PUNCTUATION = [".", ",", ";", ":", "!", "?"];

const MARKS = /[\ue000-\ue003]/g;

const IN_TEXT = /[\ue000-\ue003]|\[(\d+(?:\s*,\s*\d+)*)\]|\[SOURCE:([^\]]+)\]/g;

const parser = createParser();

function createParser() {
  // Answers cite like links, and passages from within a list are indented: neither is meant.
  const created = globalThis.markdownit().disable(["reference", "code"]);
  created.inline.ruler.before("escape", "formula", (state, silent) => {
    FORMULA.lastIndex = state.pos;
    const formula = FORMULA.exec(state.src)?.[0];
    if (formula === undefined) return false;
    if (!silent) state.push("formula", "code", 0).content = formula;
    state.pos += formula.length;
    return true;
  });
  created.core.ruler.push("tasks", ({ tokens }) => {
    for (const [index, { children }] of tokens.entries())
      if (tokens[index - 2]?.type === "list_item_open" && children?.[0]?.type === "text")
        children[0].content = children[0].content.replace(/^\[([ xX])\](?=\s)/, (_, done) =>
          done === " " ? "☐" : "☑",
        );
  });
  return created;
}

/**
 * @param renderCitation called with the number of a citation; without it numbers in brackets are
 *   text
 * @param breaks keeps the lines of a paragraph apart
 */
export function RichText({ text, renderCitation, breaks = false }) {
  const tokens = parser.parse(text.replace(ROW, asRow), {});
  return nested(tokens).map(rendererOf({ renderCitation, breaks }));
}

/**
 * The text of a passage, read as its format asks.
 * @param kind the document's format; without it the source tells
 * @param blocks where its blocks begin, if that is known: `p0 i52`
 * @param spans `[start, end]` of what is marked
 */
export function PassageText({ text, source, kind = kindOf(source), blocks = "", spans = [] }) {
  const written = FORMATS[kind]?.text;
  if (written !== "plain" && written !== "printed")
    return html`<${RichText}
      text=${markSpans(text, spans, CITED)}
      breaks=${written !== "markdown"}
    />`;
  const render = rendererOf({});
  const starts = startsOf(text, blocks);
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? text.length;
    const inside = spans.map((span) =>
      span.map((at) => Math.min(end, Math.max(start, at)) - start),
    );
    const marked = markSpans(text.slice(start, end).trimEnd(), inside, CITED);
    // Lines break where a column ends.
    const content = written === "printed" ? marked.replace(/(\S)\n(?=\S)/g, "$1 ") : marked;
    return html`<p class="plain" dir="auto">${render({ type: "text", content })}</p>`;
  });
}

/** Returns where the lines of blocks begin, else those behind empty lines. */
function startsOf(text, blocks) {
  const known = [...blocks.matchAll(/\d+/g)].map(([at]) => text.lastIndexOf("\n", at - 1) + 1);
  if (known.length > 0) return [...new Set(known)];
  return [0, ...[...text.matchAll(/\n\s*\n/g)].map(({ index, 0: gap }) => index + gap.length)];
}

function kindOf({ kind, path }) {
  if (kind !== "file") return "markdown";
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const known = Object.entries(FORMATS).find(([, { endings }]) => endings.includes(ending));
  return known?.[0] ?? "text";
}

/** Bars in code part no cells, and a citation after the last bar belongs to the last cell. */
function asRow(row) {
  return row
    .replace(/`[^`]+`/g, (code) => code.replace(/(?<!\\)\|/g, "\\|"))
    .replace(CITATIONS_AT_END, "$1|");
}

/** Returns the text as a screen reader should read it: without citations and markup. */
export function plainText(text) {
  const words = ({ type, content, children }) =>
    type.endsWith("break") ? " " : children ? children.map(words).join("") : content;
  return parser
    .parse(text, {})
    .map(words)
    .filter((line) => line !== "")
    .join("\n")
    .replace(IN_TEXT, "")
    .replace(/\s+([.,;])/g, "$1");
}

/** Returns the flat list of tokens as a tree. */
function nested(tokens) {
  const root = { nodes: [] };
  const open = [root];
  for (const token of tokens) {
    if (token.nesting < 0) {
      open.pop();
      continue;
    }
    token.nodes = nested(token.children ?? []);
    open.at(-1).nodes.push(token);
    if (token.nesting > 0) open.push(token);
  }
  return root.nodes;
}

/** Returns a function that renders nodes in their order, through which marks reach over blocks. */
function rendererOf({ renderCitation, breaks }) {
  let mark;

  function cite(marker) {
    return renderCitation(marker) || html`<sup class="cite">${marker}</sup>`;
  }

  function marked(part) {
    if (part === "" || mark === undefined) return part;
    return mark === CITED[0]
      ? html`<mark>${part}</mark>`
      : html`<span class="uncertain" title="The sources support this only in part">${part}</span>`;
  }

  function words(text) {
    const parts = [];
    let from = 0;
    for (const { index, 0: whole, 1: markers, 2: source } of text.matchAll(IN_TEXT)) {
      const isCitation = markers !== undefined && renderCitation !== undefined;
      if (markers !== undefined && !isCitation) continue;
      const before = text.slice(from, index);
      parts.push(marked(isCitation ? before.trimEnd() : before));
      from = index + whole.length;
      if (isCitation) {
        const cites = markers.split(",").map((marker) => cite(Number(marker)));
        // A full stop does not begin a line.
        const end = PUNCTUATION.includes(text[from]) ? text[from++] : "";
        parts.push(html`<span class="cites">${cites}${marked(end)}</span>`);
      } else if (source !== undefined)
        parts.push(
          html`<code class="path" dir="ltr">${source.replace(/:[LP](\d+)$/, ":$1")}</code>`,
        );
      else {
        if (whole === UNCERTAIN[1])
          parts.push(html`<span class="uncertain-mark"> (uncertain)</span>`);
        mark = [UNCERTAIN[0], CITED[0]].includes(whole) ? whole : undefined;
      }
    }
    return [...parts, marked(text.slice(from))];
  }

  /** Code shows what was cited; its head says that it is uncertain. */
  function code(text) {
    return words(text.replace(/[\ue000\ue001]/g, ""));
  }

  function render(node) {
    const { type, tag, content, nodes } = node;
    const inside = () => nodes.map(render);
    switch (type) {
      case "inline":
        return inside();
      case "text":
        return words(content);
      case "softbreak":
        return breaks ? html`<br />` : marked(" ");
      case "hardbreak":
      case "hr":
        return h(tag);
      case "formula":
      case "code_inline": {
        // A short name stays on one line: browsers break behind each hyphen.
        const isShort = content.length <= MOST_UNBROKEN;
        return marked(
          html`<code class=${isShort ? `${type} short` : type} dir="ltr">${words(content)}</code>`,
        );
      }
      case "fence":
        return html`<${CodeBlock} info=${node.info} text=${content}>${code(content.trimEnd())}<//>`;
      case "image":
        return content;
      case "link_open": {
        const href = node.attrGet("href");
        if (!/^https?:\/\//i.test(href)) return inside();
        return html`<a href=${href} target="_blank" rel="noopener noreferrer nofollow"
          >${inside()}</a
        >`;
      }
      case "heading_open":
        // The question is a heading of the second level.
        return h(
          `h${Math.min(6, Number(tag[1]) + 2)}`,
          { class: "heading", dir: "auto" },
          inside(),
        );
      case "paragraph_open":
        return node.hidden ? inside() : html`<p dir="auto">${inside()}</p>`;
      case "ordered_list_open":
        return html`<ol start=${node.attrGet("start") ?? 1}>
          ${inside()}
        </ol>`;
      case "table_open":
        return html`<div class="table" tabindex="0" role="group" aria-label="Table">
          <table>
            ${inside()}
          </table>
        </div>`;
      case "th_open":
        return html`<th scope="col" dir="auto">${inside()}</th>`;
      // Each has its own direction, because Arabic may follow English.
      case "list_item_open":
      case "td_open":
        return h(tag, { dir: "auto" }, inside());
      default:
        return tag === "" ? content : h(tag, null, inside());
    }
  }
  return render;
}

function CodeBlock({ info, text, children }) {
  const [language] = info.split(/[\s{]/, 1);
  const name = /(?:filename|title)="([^"]+)"/.exec(info)?.[1] ?? language;
  return html`<div class="code">
    <div class="code-head">
      <span>${name}</span>
      ${text.includes(UNCERTAIN[0]) && html`<span class="uncertain-mark">(uncertain)</span>`}
      <${CopyButton} text=${() => text.replace(MARKS, "")} what="this code" />
    </div>
    <pre tabindex="0" role="group" aria-label="Code"><code dir="ltr">${children}</code></pre>
  </div>`;
}
