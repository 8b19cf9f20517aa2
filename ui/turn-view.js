/** A question with its answer, sources and rounds. */
import { useState } from "preact/hooks";
import { Cite } from "./cite.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { ClosestPassages, NextSteps } from "./closest.js";
import { asMarkdown, copy, withMarks } from "./markdown.js";
import { Permission } from "./permission.js";
import { RichText, UNCERTAIN } from "./rich-text.js";
import { Rounds, Working } from "./rounds.js";
import { Sources } from "./sources.js";
import { statusOf } from "./words.js";

/** @param onShow opens a document, or the list of documents */
export function TurnView({ turn, index, info, onAgain, onShow }) {
  const [pointed, setPointed] = useState(undefined);
  const { status, result, answer } = turn;
  const idOf = (marker) => `turn-${index}-source-${marker}`;
  const known = new Set([...(result?.sources ?? []), ...turn.quotes].map(({ marker }) => marker));
  const renderCitation = (marker, mention) => {
    if (!known.has(marker)) return undefined;
    // The guard lists a citation for each mention, in order.
    const own = result?.citations.filter((each) => each.marker === marker) ?? [];
    return html`<${Cite}
      marker=${marker}
      citation=${own[Math.min(mention, own.length - 1)]}
      id=${`${idOf(marker)}-quote-${mention}`}
      onCite=${() => showSource(idOf(marker))}
      onPoint=${setPointed}
    />`;
  };
  const passages = turn.passages ?? [];
  // The passages follow as data; their text in the answer is for other clients.
  const opening = passages.length > 0 ? answer.split("\n", 1)[0] : answer;
  const isUnanswered = ["closest_passages", "abstained"].includes(turn.outcome?.status);
  const isWriting = status === "running" && turn.isDraft && answer !== "";
  const text = withMarks(opening, result?.details?.marked ?? [], ...UNCERTAIN);
  return html`<article
    class=${`turn ${status}`}
    id=${`turn-${index}`}
    aria-busy=${status === "running"}
  >
    <h2 tabindex="-1" dir="auto">${turn.question}</h2>
    ${turn.understood && html`<p class="understood"><span class="dim">Understood as</span> <span dir="auto">${turn.understood}</span></p>`}
    ${turn.note && html`<p class="notice" role="alert">${turn.note}</p>`}
    <div class="columns">
      <div class="told">
        <${Working} turn=${turn} />
        ${turn.request && html`<${Permission} ...${turn.request} />`}
        ${
          answer !== "" &&
          html`<div class=${`answer ${isWriting ? "writing" : ""} ${turn.outcome?.status ?? ""}`}>
            <${RichText} text=${text} renderCitation=${renderCitation} />
          </div>`
        }
        ${passages.length > 0 && html`<${ClosestPassages} passages=${passages} onShow=${onShow} />`}
        ${turn.error && html`<p class="notice bad" role="alert">${turn.error}</p>`}
        ${status === "stopped" && html`<p class="notice">Stopped.</p>`}
        ${onAgain && html`<p><button type="button" class="quiet" onClick=${() => onAgain(turn.question)}>Ask again</button></p>`}
        <${StatusLine} turn=${turn} />
        ${isUnanswered && html`<${NextSteps} turn=${turn} info=${info} onShow=${onShow} />`}
        <${Rounds} turn=${turn} onShow=${onShow} />
      </div>
      <${Sources} turn=${turn} idOf=${idOf} pointed=${pointed} onShow=${onShow} />
    </div>
  </article>`;
}

function StatusLine({ turn }) {
  const status = statusOf(turn);
  if (turn.answer === "" || turn.status === "running") return null;
  return html`<div class="outcome">
    ${status && html`<p class=${`status ${status.kind}`}>${status.text}</p>`}
    <${CopyButton} turn=${turn} />
  </div>`;
}

function CopyButton({ turn }) {
  const [done, setDone] = useState(undefined);
  const onClick = async () => {
    setDone((await copy(asMarkdown(turn))) ? "Copied" : "The browser does not allow it");
    setTimeout(() => setDone(undefined), 2000);
  };
  return html`<button type="button" class="small copy" onClick=${onClick}>
    <${Icon} name=${done === "Copied" ? "check" : "copy"} /><span aria-live="polite"
      >${done ?? "Copy"}</span
    >
    ${done === undefined && html`<span class="visually-hidden"> as Markdown with sources</span>`}
  </button>`;
}

function showSource(id) {
  const source = document.getElementById(id);
  source?.scrollIntoView({ block: "nearest" });
  source?.focus({ preventScroll: true });
}
