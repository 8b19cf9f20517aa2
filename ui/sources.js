/** The sources of an answer: each with its place, and with the cited words marked in the passage. */
import { useEffect, useState } from "preact/hooks";
import { passageAt } from "./documents-api.js";
import { html } from "./html.js";
import { QuoteText, readable } from "./rich-text.js";
import { placeIn } from "./turn.js";
import { CLAIM_STATUSES, locationOf } from "./words.js";

/** Characters of a passage shown around the cited words. */
const AROUND = 100;

/** @param pointed number of the citation under the pointer */
export function Sources({ turn, idOf, pointed, onShow }) {
  const { result, quotes } = turn;
  const sources = result?.sources ?? draftSources(quotes);
  if (sources.length === 0) return null;
  return html`<aside class="sources" aria-label="Sources">
    <h3>Sources</h3>
    <ol>
      ${sources.map((source) => html`<${Source} key=${source.marker} source=${source} result=${result} quotes=${quotes} id=${idOf(source.marker)} isPointed=${source.marker === pointed} onShow=${onShow} />`)}
    </ol>
  </aside>`;
}

function Source({
  source: { marker, title, evidence_id: evidenceId, source },
  result,
  quotes,
  id,
  isPointed,
  onShow,
}) {
  const citations = distinct(
    result?.citations.filter((each) => each.marker === marker) ??
      quotes.filter((each) => each.marker === marker),
  );
  const passage = usePassage(source, evidenceId);
  const spans = passage === undefined ? [] : spansOf(citations, passage.text);
  const doubts = citations.filter(({ status }) => CLAIM_STATUSES[status]);
  return html`<li class=${`source ${isPointed ? "pointed" : ""}`} id=${id} tabindex="-1">
    <p class="source-title">
      <span class="number" aria-hidden="true">${marker}</span>
      <span class="visually-hidden">Source ${marker}: </span>
      <span>${title}</span>
    </p>
    ${
      spans.length > 0
        ? html`<${Passage} passage=${passage} spans=${spans} />`
        : citations.map(
            ({ quote }) =>
              html`<blockquote dir="auto">
                <mark><${QuoteText} text=${quote} /></mark>
              </blockquote>`,
          )
    }
    ${doubts.map(({ status, problems = [] }) => html`<p class="doubt">${[CLAIM_STATUSES[status], ...problems].join(": ")}</p>`)}
    <${Place} source=${source} id=${evidenceId} onShow=${onShow} />
  </li>`;
}

/** Loads a passage from the knowledge base; undefined until it arrives, and if it is gone. */
function usePassage(source, id) {
  const [passage, setPassage] = useState(undefined);
  const { kind, path, start_line: line } = source;
  useEffect(() => {
    if (kind !== "file") return;
    passageAt({ path, id, line }).then(setPassage, () => undefined);
  }, [kind, path, id, line]);
  return passage;
}

/** Finds the quotes in the passage, which may have been stored again since. */
function spansOf(citations, text) {
  return citations
    .flatMap(({ quote, start, end }) => {
      if (text.slice(start, end) === quote) return [[start, end]];
      const at = text.indexOf(quote);
      return at < 0 ? [] : [[at, at + quote.length]];
    })
    .sort(([a], [b]) => a - b);
}

/** The cited words, marked, with some context. */
function Passage({ passage, spans }) {
  const [isWhole, setIsWhole] = useState(false);
  const text = readable(passage);
  const pieces = isWhole ? [[0, text.length]] : piecesAround(text, spans);
  const isCut = pieces.length > 1 || pieces[0][0] > 0 || pieces[0][1] < text.length;
  return html`<blockquote class="passage-text" dir="auto">
      ${pieces.map(
        ([from, to], index) =>
          html`${(index > 0 || from > 0) && html`<span class="dim"> … </span>`}${highlighted(text, spans, from, to)}`,
      )}${pieces.at(-1)[1] < text.length && html`<span class="dim"> …</span>`}
    </blockquote>
    ${
      (isCut || isWhole) &&
      html`<button
        type="button"
        class="link whole"
        aria-expanded=${isWhole}
        onClick=${() => setIsWhole(!isWhole)}
      >
        ${isWhole ? "Show less" : "Show the whole passage"}
      </button>`
    }`;
}

/** Returns pieces of the text around all spans, without long stretches between them. */
function piecesAround(text, spans) {
  const pieces = [];
  for (const [start, end] of spans) {
    const from = wordStart(text, start - AROUND);
    const to = wordEnd(text, end + AROUND);
    const last = pieces.at(-1);
    if (last !== undefined && from <= last[1] + AROUND / 2) last[1] = Math.max(last[1], to);
    else pieces.push([from, to]);
  }
  return pieces;
}

function wordStart(text, at) {
  if (at <= 0) return 0;
  const space = text.slice(at).search(/\s/);
  return space < 0 ? at : at + space + 1;
}

function wordEnd(text, at) {
  if (at >= text.length) return text.length;
  const space = text.slice(0, at).search(/\s\S*$/);
  return space < 0 ? at : space;
}

/** Returns a part of the text with the spans marked; they may overlap. */
function highlighted(text, spans, from, to) {
  const parts = [];
  let at = from;
  for (const [start, end] of spans) {
    if (end <= at || start >= to) continue;
    const begin = Math.max(start, at);
    parts.push(closer(text, at, begin), html`<mark>${closer(text, begin, end)}</mark>`);
    at = end;
  }
  return [...parts, closer(text, at, to).trimEnd()];
}

/** Returns a part of the text without empty lines, to save room, and without the lines of tables. */
function closer(text, from, to) {
  let shown = "";
  for (let at = from; at < to;) {
    const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline + 1;
    const part = text.slice(at, Math.min(end, to));
    shown += withoutBars(part, text.slice(start, end), at === start);
    at += part.length;
  }
  return shown.replace(/\n\s*\n/g, "\n");
}

/** Bars outside of the rows of a table stay: they are code or words. */
function withoutBars(part, line, isStart) {
  if (!/^\s*\|.*\|\s*$/.test(line)) return part;
  if (/^[-:|\s]+$/.test(line)) return "";
  return (isStart ? part.replace(/^\s*\|\s*/, "") : part)
    .replace(/[ \t]*\|[ \t]*$/m, "")
    .replace(/(?:^|[ \t]+)\|[ \t]+/g, " · ");
}

/** The place of a source: a link to the web, or a button that opens the document. */
export function Place({ source, id, onShow }) {
  const place = locationOf(source);
  if (source.kind === "web" && /^https?:\/\//i.test(source.url))
    return html`<a
      class="path"
      href=${source.url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      >${place}</a
    >`;
  if (source.kind !== "file") return html`<code class="path" dir="ltr">${place}</code>`;
  return html`<button
    type="button"
    class="path"
    dir="ltr"
    title="Open the document here"
    onClick=${() => onShow({ ...source, id })}
  >
    ${place}
  </button>`;
}

/** Returns the sources while the answer is written, from its citations. */
function draftSources(quotes) {
  const known = new Map();
  for (const { marker, evidence_id, title, source } of quotes)
    known.set(marker, { marker, evidence_id, title, source: sourceOf(source) });
  return [...known.values()].sort((a, b) => a.marker - b.marker);
}

function sourceOf(label) {
  const place = label.replace(/^\[SOURCE:|\]$/g, "");
  return /^https?:/i.test(place)
    ? { kind: "web", url: place }
    : { kind: "file", ...placeIn(place) };
}

function distinct(quotes) {
  return [...new Map(quotes.map((each) => [each.quote, each])).values()];
}
