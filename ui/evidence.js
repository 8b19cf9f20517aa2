/** All evidence with its grades, and the cost of the run. */
import { ScoreBar } from "./gauge.js";
import { html } from "./html.js";
import { Place } from "./sources.js";
import { counted, duration, toolName } from "./words.js";

export function Evidence({ details, onShow }) {
  const { kept, discarded, usage, took_ms: tookMs, reasoner, profile, quality } = details;
  const spent = [
    counted(usage.model_calls, "model call"),
    counted(usage.input_tokens + usage.output_tokens, "token"),
    counted(usage.web_searches, "web search", "web searches"),
    duration(tookMs),
  ].join(", ");
  return html`<div class="evidence">
    ${kept.length > 0 && html`<${EvidenceList} title="Passages used" items=${kept} onShow=${onShow} />`}
    ${discarded.length > 0 && html`<${EvidenceList} title="Passages thrown out" items=${discarded} onShow=${onShow} />`}
    <dl class="facts">
      <dt>Reasoner</dt>
      <dd>${reasoner === "embedded" ? "embedded, no model" : "model"}</dd>
      <dt>Profile</dt>
      <dd>${profile}, ${quality}</dd>
      <dt>Spent</dt>
      <dd>${spent}</dd>
      <dt>Run</dt>
      <dd><code>${details.run_id}</code></dd>
    </dl>
  </div>`;
}

function EvidenceList({ title, items, onShow }) {
  const sorted = [...items].sort((a, b) => (b.score ?? -1) - (a.score ?? -1));
  return html`<h3>${title}</h3>
    <ul class="evidence-list">
      ${sorted.map(
        ({ id, title: name, source, tool, round, score, reason }) =>
          html`<li key=${id}>
            <${ScoreBar} score=${score} />
            <span
              ><span class="name">${name}</span>
              <${Place} source=${source} id=${id} onShow=${onShow} />
              <span class="dim"
                >${toolName(tool)}, round ${round + 1}${reason ? `, ${reason}` : ""}</span
              ></span
            >
          </li>`,
      )}
    </ul>`;
}
