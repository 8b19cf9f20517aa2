/** What the answer rests on: each source with its place, the exact words that support the answer, and the passage they stand in. */
import { ScoreBar } from "./gauge.js";
import { html } from "./html.js";
import { QuoteText } from "./rich-text.js";
import { claimText, counted, duration, locationOf, toolName } from "./words.js";

export function Sources({ turn, idOf }) {
  const { result, quotes } = turn;
  const sources = result?.sources ?? draftSources(quotes);
  if (sources.length === 0) return null;
  return html`<section class="sources">
    <h3>Sources</h3>
    <ol>
      ${sources.map((source) => html`<${Source} key=${source.marker} source=${source} result=${result} quotes=${quotes} id=${idOf(source.marker)} />`)}
    </ol>
  </section>`;
}

function Source({ source, result, quotes, id }) {
  const { marker, title, evidence_id: evidenceId } = source;
  const citations = distinct(
    result?.citations.filter((each) => each.marker === marker) ??
      quotes.filter((each) => each.marker === marker),
  );
  const passage = result?.passages[evidenceId];
  return html`<li class="source" id=${id} tabindex="-1">
    <span class="number" aria-hidden="true">${marker}</span>
    <div>
      <p class="source-title">
        <span class="visually-hidden">Source ${marker}: </span>${title}
        <${Place} source=${source.source} label=${source.label} />
      </p>
      ${citations.map(
        ({ quote, status, problems }) =>
          html`<blockquote class=${status ?? ""} dir="auto">
            <${QuoteText} text=${quote} />
            ${status && status !== "supported" && html`<footer>${claimText(status)}${problems?.length ? `: ${problems.join("; ")}` : ""}</footer>`}
          </blockquote>`,
      )}
      ${
        passage &&
        html`<details class="passage" onToggle=${showMark}>
          <summary>
            Passage${source.source?.heading ? html` <span class="dim">${source.source.heading.replaceAll(" > ", " › ")}</span>` : ""}
          </summary>
          <p class="passage-text" tabindex="0" role="group" aria-label="Passage" dir="auto">
            ${highlighted(passage, citations)}
          </p>
        </details>`
      }
    </div>
  </li>`;
}

/** Only addresses of the web become links. */
export function Place({ source, label }) {
  if (source === undefined)
    return html`<code class="path"
      >${label.replace(/^\[SOURCE:|\]$/g, "").replace(/:[LP](\d+)$/, ":$1")}</code
    >`;
  const place = locationOf(source);
  if (source.kind !== "web" || !/^https?:\/\//i.test(source.url))
    return html`<code class="path" dir="ltr">${place}</code>`;
  return html`<a class="path" href=${source.url} target="_blank" rel="noopener noreferrer nofollow"
    >${place}</a
  >`;
}

/** The passage with the cited spans marked; spans may overlap. */
function highlighted(text, citations) {
  const spans = citations.map(({ start, end }) => [start, end]).sort(([a], [b]) => a - b);
  const parts = [];
  let from = 0;
  for (const [start, end] of spans) {
    if (end <= from) continue;
    const begin = Math.max(start, from);
    parts.push(text.slice(from, begin), html`<mark>${text.slice(begin, end)}</mark>`);
    from = end;
  }
  return [...parts, text.slice(from)];
}

/** A long passage opens at the words that were cited. */
function showMark({ currentTarget }) {
  const text = currentTarget.querySelector(".passage-text");
  const mark = text.querySelector("mark");
  if (mark !== null) text.scrollTop = mark.offsetTop - text.offsetTop - text.clientHeight / 3;
}

/** While the answer is being written only the citations are known. */
function draftSources(quotes) {
  const known = new Map();
  for (const { marker, evidence_id, title, source } of quotes)
    known.set(marker, { marker, evidence_id, title, source: undefined, label: source });
  return [...known.values()].sort((a, b) => a.marker - b.marker);
}

function distinct(quotes) {
  return [...new Map(quotes.map((each) => [each.quote, each])).values()];
}

/** Everything that was found, with what the judge thought of it. */
export function Evidence({ details }) {
  const {
    kept,
    discarded,
    usage,
    took_ms: tookMs,
    reasoner,
    profile,
    quality,
    run_id: runId,
  } = details;
  const spent = [
    counted(usage.model_calls, "model call"),
    counted(usage.input_tokens + usage.output_tokens, "token"),
    counted(usage.web_searches, "web search", "web searches"),
    duration(tookMs),
  ].join(", ");
  return html`<details class="evidence">
    <summary>
      Evidence <span class="dim">${kept.length} kept, ${discarded.length} discarded</span>
    </summary>
    ${kept.length > 0 && html`<${EvidenceList} title="Kept" items=${kept} />`}
    ${discarded.length > 0 && html`<${EvidenceList} title="Discarded" items=${discarded} />`}
    <dl class="facts">
      <dt>Reasoner</dt>
      <dd>${reasoner === "embedded" ? "embedded, no model" : "model"}</dd>
      <dt>Profile</dt>
      <dd>${profile}, ${quality}</dd>
      <dt>Spent</dt>
      <dd>${spent}</dd>
      <dt>Run</dt>
      <dd><code>${runId}</code></dd>
    </dl>
  </details>`;
}

function EvidenceList({ title, items }) {
  const sorted = [...items].sort((a, b) => (b.score ?? -1) - (a.score ?? -1));
  return html`<h3>${title}</h3>
    <ul class="evidence-list">
      ${sorted.map(
        ({ id, title: name, source, tool, round, score, reason }) =>
          html`<li key=${id}>
            <${ScoreBar} score=${score} />
            <span
              ><span class="name">${name}</span> <${Place} source=${source} />
              <span class="dim"
                >${toolName(tool)}, round ${round + 1}${reason ? ` · ${reason}` : ""}</span
              ></span
            >
          </li>`,
      )}
    </ul>`;
}
