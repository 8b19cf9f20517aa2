/** The sources of an answer: each with its place, and with the cited words marked in the passage. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { passageAt } from "./documents-api.js";
import { Verdict } from "./feedback.js";
import { html } from "./html.js";
import { spansOfQuotes } from "./marks.js";
import { kindOf, PassageText } from "./passage.js";
import { placeIn } from "./turn.js";
import { CLAIM_STATUSES, locationOf } from "./words.js";

/** Pixels above the cited words in the window on their passage. */
const LINES_ABOVE = 46;

/** @param pointed number of the citation under the pointer */
export function Sources({ turn, idOf, pointed, feedback, onShow }) {
  const { result, quotes } = turn;
  const sources = result?.sources ?? draftSources(quotes);
  if (sources.length === 0) return null;
  return html`<aside class="sources" aria-label="Sources">
    <h3>Sources</h3>
    <ol>
      ${sources.map((source) => html`<${Source} key=${source.marker} source=${source} result=${result} quotes=${quotes} id=${idOf(source.marker)} isPointed=${source.marker === pointed} feedback=${feedback} onShow=${onShow} />`)}
    </ol>
  </aside>`;
}

function Source({
  source: { marker, title, evidence_id: evidenceId, source },
  result,
  quotes,
  id,
  isPointed,
  feedback,
  onShow,
}) {
  const citations = distinct(
    result?.citations.filter((each) => each.marker === marker) ??
      quotes.filter((each) => each.marker === marker),
  );
  const passage = usePassage(source, evidenceId);
  const spans = passage === undefined ? [] : spansOfQuotes(citations, passage.text);
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
              html`<blockquote class="passage-text" dir="auto">
                <${PassageText} text=${quote} kind=${kindOf(source)} spans=${[[0, quote.length]]} />
              </blockquote>`,
          )
    }
    ${doubts.map(({ status, problems = [] }) => html`<p class="doubt">${[CLAIM_STATUSES[status], ...problems].join(": ")}</p>`)}
    <p class="source-end">
      <${Place} source=${source} id=${evidenceId} quotes=${citations} onShow=${onShow} />
      ${
        feedback &&
        passage &&
        html`<${Verdict}
          score=${feedback.scoreOf(evidenceId)}
          what="this passage"
          onScore=${(score) => feedback.ratePassage(evidenceId, labeled(title, source, passage), score)}
        />`
      }
    </p>
  </li>`;
}

function labeled(title, { heading }, { text }) {
  return { title, headings: heading?.split(" > ") ?? [], text };
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

/** The passage, at first no more of it than the lines around the cited words. */
function Passage({ passage, spans }) {
  const [isWhole, setIsWhole] = useState(false);
  const [isCut, setIsCut] = useState(false);
  const box = useRef(null);
  useLayoutEffect(() => {
    const { current } = box;
    const mark = current.querySelector("mark");
    if (mark === null) return;
    const above = mark.getBoundingClientRect().top - current.getBoundingClientRect().top;
    current.scrollTop = isWhole ? 0 : current.scrollTop + above - LINES_ABOVE;
    if (!isWhole) setIsCut(current.scrollHeight > current.clientHeight + 1);
    current.classList.toggle("from-within", current.scrollTop > 0);
  }, [passage.text, isWhole]);
  return html`<blockquote
      ref=${box}
      class=${`passage-text window ${isWhole ? "" : "closed"} ${isCut && !isWhole ? "cut" : ""}`}
      dir="auto"
    >
      <${PassageText} ...${passage} spans=${spans} />
    </blockquote>
    ${
      isCut &&
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

/**
 * The place of a source: a link to the web, or a button that opens the document.
 * @param quotes what is marked there
 */
export function Place({ source, id, quotes = [], onShow }) {
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
    onClick=${() => onShow({ ...source, id, quotes })}
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
