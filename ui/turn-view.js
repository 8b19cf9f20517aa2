/** A question with its answer, the way there, and what it rests on. */
import { html } from "./html.js";
import { Cite } from "./cite.js";
import { RichText } from "./rich-text.js";
import { Rounds } from "./rounds.js";
import { Evidence, Sources } from "./sources.js";
import { causeText, STATUSES } from "./words.js";

export function TurnView({ turn, index, onAgain }) {
  const idOf = (marker) => `turn-${index}-source-${marker}`;
  const known = new Set(
    [...(turn.result?.sources ?? []), ...turn.quotes].map(({ marker }) => marker),
  );
  const renderCitation = (marker, mention) => {
    if (!known.has(marker)) return undefined;
    // The guard ties each mention to the words that support its sentence, in the order in which they stand.
    const own = turn.result?.citations.filter((each) => each.marker === marker) ?? [];
    const citation = own[Math.min(mention, own.length - 1)];
    const show = () => showSource(idOf(marker));
    return html`<${Cite}
      marker=${marker}
      citation=${citation}
      id=${`${idOf(marker)}-quote-${mention}`}
      onCite=${show}
    />`;
  };
  const isWriting = turn.status === "running" && turn.isDraft && turn.answer !== "";
  return html`<article
    class=${`turn ${turn.status}`}
    id=${`turn-${index}`}
    aria-busy=${turn.status === "running"}
  >
    <h2 tabindex="-1" dir="auto">${turn.question}</h2>
    <${Rounds} turn=${turn} />
    ${
      turn.answer !== "" &&
      html`<div class=${`answer ${isWriting ? "writing" : ""} ${turn.outcome?.status ?? ""}`}>
        <${RichText} text=${turn.answer} renderCitation=${renderCitation} />
      </div>`
    }
    ${turn.error && html`<p class="notice bad" role="alert">${turn.error}</p>`}
    ${turn.status === "stopped" && html`<p class="notice">Stopped.</p>`}
    ${onAgain && html`<p class="again"><button type="button" class="quiet" onClick=${() => onAgain(turn.question)}>Ask again</button></p>`}
    <${Outcome} turn=${turn} />
    <${Sources} turn=${turn} idOf=${idOf} />
    ${
      turn.withdrawn.length > 0 &&
      html`<div class="notice">
        <p>Taken out, because nothing supports it:</p>
        <ul>
          ${turn.withdrawn.map((claim) => html`<li dir="auto">${claim}</li>`)}
        </ul>
      </div>`
    }
    ${
      turn.warnings.length > 0 &&
      html`<ul class="notice warnings" aria-label="Warnings">
        ${turn.warnings.map((warning) => html`<li dir="auto">${warning}</li>`)}
      </ul>`
    }
    ${turn.result?.details && html`<${Evidence} details=${turn.result.details} />`}
  </article>`;
}

function Outcome({ turn: { outcome } }) {
  if (outcome === undefined || (outcome.status === "success" && outcome.causes.length === 0))
    return null;
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
