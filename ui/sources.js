/**
 * What the answer rests on: each source with its place, and the words that support the answer
 * marked in the passage they stand in.
 */
import { useEffect, useState } from "preact/hooks";
import { passageAt } from "./documents-api.js";
import { html } from "./html.js";
import { QuoteText, readable } from "./rich-text.js";
import { placeIn } from "./turn.js";
import { CLAIM_STATUSES, locationOf } from "./words.js";

/** Characters of a passage around the words that were cited. */
const AROUND = 100;

/** @param pointed number of the citation that is pointed at */
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

/**
 * A passage, which lives in the knowledge base; undefined until it is there, and where it is gone.
 */
function usePassage(source, id) {
  const [passage, setPassage] = useState(undefined);
  const { kind, path, startLine: line } = source;
  useEffect(() => {
    if (kind !== "file") return;
    passageAt({ path, id, line }).then(setPassage, () => undefined);
  }, [kind, path, id, line]);
  return passage;
}

/** Where the quotes stand in the passage, in order; a passage may have been stored anew since. */
function spansOf(citations, text) {
  return citations
    .flatMap(({ quote, start, end }) => {
      if (text.slice(start, end) === quote) return [[start, end]];
      const at = text.indexOf(quote);
      return at < 0 ? [] : [[at, at + quote.length]];
    })
    .sort(([a], [b]) => a - b);
}

/** The words that were cited, marked, and as much around them as tells what they are about. */
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

/** Pieces that hold all spans; what lies far between two of them is left out. */
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

/** A part of the text with the cited spans marked; spans may overlap. */
function highlighted(text, spans, from, to) {
  const parts = [];
  let at = from;
  for (const [start, end] of spans) {
    if (end <= at || start >= to) continue;
    const begin = Math.max(start, at);
    parts.push(closer(text.slice(at, begin)), html`<mark>${closer(text.slice(begin, end))}</mark>`);
    at = end;
  }
  return [...parts, closer(text.slice(at, Math.max(at, to))).trimEnd()];
}

/** In so little room an empty line is too much. */
function closer(text) {
  return text.replace(/\n\s*\n/g, "\n");
}

/** Addresses of the web are links, documents open beside the answer. */
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

/** While the answer is being written only the citations are known. */
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
