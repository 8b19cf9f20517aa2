/** A question with its answer, sources and rounds. */
import { useState } from "preact/hooks";
import { Cite } from "./cite.js";
import { useFeedback, Verdict } from "./feedback.js";
import { FollowUps } from "./follow-ups.js";
import { html } from "./html.js";
import { ClosestPassages, NextSteps } from "./closest.js";
import { CopyButton } from "./copy-button.js";
import { asMarkdown } from "./markdown.js";
import { UNCERTAIN, withMarks } from "./marks.js";
import { Permission } from "./permission.js";
import { Question } from "./question.js";
import { RichText } from "./rich-text.js";
import { Rounds, Working } from "./rounds.js";
import { Sources } from "./sources.js";
import { statusOf } from "./words.js";

/** @param onShow opens a document, or the list of documents */
export function TurnView({ turn, index, info, threadId, onAgain, onAsk, onEdit, onShow }) {
  const [pointed, setPointed] = useState(undefined);
  const { status, result, answer } = turn;
  const feedback = useFeedback({ threadId, turn });
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
    <${Question} text=${turn.question} onEdit=${onEdit} />
    ${turn.understood && html`<p class="understood"><span class="dim">Understood as</span> <span dir="auto">${turn.understood}</span></p>`}
    ${turn.note && html`<p class="notice" role="alert">${turn.note}</p>`}
    <div class="columns">
      <div class="told">
        <${Working} turn=${turn} />
        ${turn.request && html`<${Permission} ...${turn.request} />`}
        ${
          answer !== "" &&
          html`<div class=${`answer ${isWriting ? "writing" : ""} ${turn.outcome?.status ?? ""}`}>
            <${RichText} text=${text} renderCitation=${renderCitation} breaks />
          </div>`
        }
        ${passages.length > 0 && html`<${ClosestPassages} passages=${passages} feedback=${feedback} onShow=${onShow} />`}
        ${turn.error && html`<p class="notice bad" role="alert">${turn.error}</p>`}
        ${status === "stopped" && html`<p class="notice">Stopped.</p>`}
        ${onAgain && html`<p><button type="button" class="quiet" onClick=${() => onAgain(turn.question)}>Ask again</button></p>`}
        <${StatusLine} turn=${turn} feedback=${feedback} />
        ${isUnanswered && html`<${NextSteps} turn=${turn} info=${info} onShow=${onShow} />`}
        ${onAsk && html`<${FollowUps} turn=${turn} onAsk=${onAsk} />`}
        <${Rounds} turn=${turn} onShow=${onShow} />
      </div>
      <${Sources}
        turn=${turn}
        feedback=${feedback}
        idOf=${idOf}
        pointed=${pointed}
        onShow=${onShow}
      />
    </div>
  </article>`;
}

function StatusLine({ turn, feedback }) {
  const status = statusOf(turn);
  if (turn.answer === "" || turn.status === "running") return null;
  return html`<div class="outcome">
    ${status && html`<p class=${`status ${status.kind}`}>${status.text}</p>`}
    <span class="turn-actions">
      ${feedback && html`<${Verdict} score=${feedback.score} what="this answer" onScore=${feedback.rate} />`}
      <${CopyButton} text=${() => asMarkdown(turn)} what="as Markdown with sources" />
    </span>
    ${feedback?.error && html`<p class="doubt" role="alert">${feedback.error}</p>`}
  </div>`;
}

function showSource(id) {
  const source = document.getElementById(id);
  source?.scrollIntoView({ block: "nearest" });
  source?.focus({ preventScroll: true });
}
