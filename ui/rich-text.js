/**
 * The little Markdown that answers use: paragraphs, lists, emphasis, code, and the numbers of citations. It makes elements, never HTML, so that
 * nothing a document says can become markup.
 */
import { html } from "./html.js";

const INLINE = /\[(\d+(?:\s*,\s*\d+)*)\]|\[SOURCE:([^\]]+)\]|`([^`\n]+)`|\*\*([^*\n]+)\*\*/g;

/** @param onCite called with the number of a citation; without it numbers are plain */
export function RichText({ text, onCite, known }) {
  return blocksOf(text).map(({ kind, lines }) => {
    const parts = lines.map((line) => inline(line, { onCite, known }));
    if (kind === "bullets")
      return html`<ul>
        ${parts.map((part) => html`<li>${part}</li>`)}
      </ul>`;
    if (kind === "numbers")
      return html`<ol>
        ${parts.map((part) => html`<li>${part}</li>`)}
      </ol>`;
    if (kind === "code") return html`<pre tabindex="0"><code>${lines.join("\n")}</code></pre>`;
    return html`<p>${parts.flatMap((part, index) => (index === 0 ? [part] : [html`<br />`, part]))}</p>`;
  });
}

function blocksOf(text) {
  const blocks = [];
  let inCode = false;
  for (const line of text.split("\n")) {
    const last = blocks.at(-1);
    if (/^\s*```/.test(line)) {
      inCode = !inCode;
      if (inCode) blocks.push({ kind: "code", lines: [] });
      else blocks.push({ kind: "text", lines: [] });
      continue;
    }
    if (inCode) {
      last.lines.push(line);
      continue;
    }
    const bullet = /^\s*[-*•]\s+(.*)$/.exec(line);
    const numbered = /^\s*\d+[.)]\s+(.*)$/.exec(line);
    const kind = bullet ? "bullets" : numbered ? "numbers" : "text";
    const content = (bullet ?? numbered)?.[1] ?? line.replace(/^#{1,6}\s+/, "");
    if (content.trim() === "") blocks.push({ kind: "text", lines: [] });
    else if (last?.kind === kind) last.lines.push(content);
    else blocks.push({ kind, lines: [content] });
  }
  return blocks.filter(({ lines }) => lines.length > 0);
}

function inline(line, { onCite, known }) {
  const parts = [];
  let from = 0;
  for (const match of line.matchAll(INLINE)) {
    const [whole, markers, source, code, strong] = match;
    const before = line.slice(from, match.index);
    parts.push(markers === undefined ? before : before.trimEnd());
    if (markers !== undefined) parts.push(...markers.split(",").map((marker) => citation(Number(marker), { onCite, known })));
    else if (source !== undefined) parts.push(html`<code class="path">${source.replace(/:[LP](\d+)$/, ":$1")}</code>`);
    else if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else parts.push(html`<strong>${strong}</strong>`);
    from = match.index + whole.length;
  }
  parts.push(line.slice(from));
  return parts;
}

function citation(marker, { onCite, known }) {
  if (onCite === undefined || known?.has(marker) === false) return html`<sup class="cite">${marker}</sup>`;
  return html`<sup
    ><button type="button" class="cite" onClick=${() => onCite(marker)} aria-label=${`Source ${marker}`}>${marker}</button></sup
  >`;
}

/** The answer as it is read out: without numbers and marks. */
export function plainText(text) {
  return text
    .replace(INLINE, (_whole, markers, _source, code, strong) => (markers === undefined ? (code ?? strong ?? "") : ""))
    .replace(/\s+([.,;])/g, "$1");
}
