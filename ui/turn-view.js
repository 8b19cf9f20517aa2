/** A question with its answer, the way there, and what it rests on. */
import { html } from "./html.js";
import { RichText } from "./rich-text.js";
import { Rounds } from "./rounds.js";
import { Evidence, Sources } from "./sources.js";
import { causeText, STATUSES } from "./words.js";

export function TurnView({ turn, index }) {
  const idOf = (marker) => `turn-${index}-source-${marker}`;
  const known = new Set([...(turn.result?.sources ?? []), ...turn.quotes].map(({ marker }) => marker));
  const isWriting = turn.status === "running" && turn.isDraft && turn.answer !== "";
  return html`<article class=${`turn ${turn.status}`} id=${`turn-${index}`} aria-busy=${turn.status === "running"}>
    <h2 tabindex="-1">${turn.question}</h2>
    <${Rounds} turn=${turn} />
    ${
      turn.answer !== "" &&
      html`<div class=${`answer ${isWriting ? "writing" : ""} ${turn.outcome?.status ?? ""}`}>
        <${RichText} text=${turn.answer} known=${known} onCite=${(marker) => showSource(idOf(marker))} />
      </div>`
    }
    ${turn.error && html`<p class="notice bad" role="alert">${turn.error}</p>`}
    ${turn.status === "stopped" && html`<p class="notice">Stopped.</p>`}
    <${Outcome} turn=${turn} />
    <${Sources} turn=${turn} idOf=${idOf} />
    ${
      turn.withdrawn.length > 0 &&
      html`<div class="notice">
        <p>Taken out, because nothing supports it:</p>
        <ul>
          ${turn.withdrawn.map((claim) => html`<li>${claim}</li>`)}
        </ul>
      </div>`
    }
    ${
      turn.warnings.length > 0 &&
      html`<ul class="notice warnings" aria-label="Warnings">
        ${turn.warnings.map((warning) => html`<li>${warning}</li>`)}
      </ul>`
    }
    ${turn.result?.details && html`<${Evidence} details=${turn.result.details} />`}
  </article>`;
}

function Outcome({ turn: { outcome } }) {
  if (outcome === undefined || (outcome.status === "success" && outcome.causes.length === 0)) return null;
  return html`<p class="outcome">
    <span class=${`badge ${outcome.status}`}>${STATUSES[outcome.status] ?? outcome.status}</span>
    ${outcome.causes.length > 0 && html`<span class="dim">${outcome.causes.map(causeText).join(" · ")}</span>`}
  </p>`;
}

function showSource(id) {
  const source = document.getElementById(id);
  source?.scrollIntoView({ block: "nearest" });
  source?.focus({ preventScroll: true });
}
