/** Citations and their sources: each with its place, the cited words marked in their passage. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { passageAt } from "./documents-api.js";
import { html } from "./elements.js";
import { Verdict } from "./feedback.js";
import { spansOfQuotes } from "./marks.js";
import { PassageText, plainText } from "./rich-text.js";
import { CLAIM_STATUSES, locationOf } from "./words.js";

/** Pixels above the cited words in the window on their passage. */
const LINES_ABOVE = 46;

/**
 * The number of a citation, which leads to its source.
 * @param source id of the source's element
 * @param onPoint called with the number under the pointer, and with undefined when it leaves
 */
export function Cite({ marker, source, onPoint }) {
  const point = () => onPoint(marker);
  const leave = () => onPoint(undefined);
  return html`<sup
    ><button
      type="button"
      class="cite"
      aria-label=${`Source ${marker}`}
      data-source=${source}
      onClick=${() => goTo(document.getElementById(source))}
      onMouseEnter=${point}
      onMouseLeave=${leave}
      onFocus=${point}
      onBlur=${leave}
    >
      ${marker}
    </button></sup
  >`;
}

/** @param pointed number of the citation under the pointer */
export function Sources({ turn, idOf, pointed, feedback, onShow }) {
  const { result, quotes } = turn;
  const sources = result?.sources ?? draftSources(quotes);
  if (sources.length === 0) return null;
  return html`<aside class="sources" aria-label="Sources">
    <h3>Sources</h3>
    <ol>
      ${sources.map((source) => html`<${Source} key=${source.marker} source=${source} citations=${result?.citations ?? quotes} id=${idOf(source.marker)} isPointed=${source.marker === pointed} feedback=${feedback} onShow=${onShow} />`)}
    </ol>
  </aside>`;
}

function Source({ source: reference, citations, id, isPointed, feedback, onShow }) {
  const { marker, title, evidence_id: evidenceId, source } = reference;
  const mentions = citations.filter((each) => each.marker === marker);
  const quotes = [...new Map(mentions.map((each) => [each.quote, each])).values()];
  const passage = usePassage(source, evidenceId);
  const spans = passage === undefined ? [] : spansOfQuotes(quotes, passage.text);
  const headings = source.heading?.split(" > ") ?? [];
  return html`<li class=${`source ${isPointed ? "pointed" : ""}`} id=${id} tabindex="-1">
    <p class="source-title">
      <button
        type="button"
        class="number"
        aria-label=${`Source ${marker}, back to the answer`}
        title="Back to the answer"
        onClick=${() => goTo(document.querySelector(`[data-source="${id}"]`))}
      >
        ${marker}
      </button>
      <span dir="auto">${plainText([title, ...headings].join(" › "))}</span>
    </p>
    ${
      spans.length > 0
        ? html`<${Passage} passage=${passage} spans=${spans} />`
        : quotes.map(
            ({ quote }) =>
              html`<blockquote class="passage-text" dir="auto">
                <${PassageText} text=${quote} source=${source} spans=${[[0, quote.length]]} />
              </blockquote>`,
          )
    }
    ${doubtsOf(mentions).map((doubt) => html`<p class="doubt">${doubt}</p>`)}
    <p class="source-end">
      <${Place} source=${source} id=${evidenceId} quotes=${quotes} onShow=${onShow} />
      ${
        feedback &&
        passage &&
        html`<${Verdict}
          score=${feedback.scoreOf(evidenceId)}
          what="this passage"
          onScore=${(score) => feedback.ratePassage(evidenceId, { title, headings, text: passage.text }, score)}
        />`
      }
    </p>
  </li>`;
}

/** Returns a line for each status but "supported", with all that was found. */
function doubtsOf(citations) {
  return Object.entries(CLAIM_STATUSES).flatMap(([status, words]) => {
    const doubted = citations.filter((each) => each.status === status);
    const problems = new Set(doubted.flatMap((each) => each.problems ?? []));
    if (doubted.length === 0) return [];
    return problems.size === 0 ? [words] : [`${words}: ${[...problems].join("; ")}`];
  });
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

/** A window on the passage: the lines around the cited words. */
function Passage({ passage, spans }) {
  const box = useRef(null);
  useLayoutEffect(() => {
    const { current } = box;
    const mark = current.querySelector("mark");
    if (mark === null) return;
    const above = mark.getBoundingClientRect().top - current.getBoundingClientRect().top;
    current.scrollTop += above - LINES_ABOVE;
    const isCut = current.scrollHeight > current.clientHeight + current.scrollTop + 1;
    current.classList.toggle("cut-below", isCut);
    current.classList.toggle("cut-above", current.scrollTop > 0);
  }, [passage.text]);
  return html`<blockquote ref=${box} class="passage-text window" dir="auto">
    <${PassageText} ...${passage} spans=${spans} />
  </blockquote>`;
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
  for (const { marker, evidence_id, title, source: label } of quotes) {
    const path = label.replace(/^\[SOURCE:|\]$/g, "").replace(/:[LP](\d+)$/, ":$1");
    known.set(marker, { marker, evidence_id, title, source: { kind: "draft", path } });
  }
  return [...known.values()].sort((a, b) => a.marker - b.marker);
}

function goTo(element) {
  element?.scrollIntoView({ block: "nearest" });
  element?.focus({ preventScroll: true });
}
