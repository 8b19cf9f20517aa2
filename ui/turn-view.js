/** A question with its answer, its sources, and how it was found. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ClosestPassages } from "./closest.js";
import { CopyButton, html, IconButton } from "./elements.js";
import { asMarkdown } from "./export.js";
import { useFeedback, Verdict } from "./feedback.js";
import { HowFound, notesOf, Working } from "./how.js";
import { UNCERTAIN, withMarks } from "./marks.js";
import { FollowUps, NextSteps } from "./next-steps.js";
import { Permission } from "./permission.js";
import { RichText } from "./rich-text.js";
import { Cite, Sources } from "./sources.js";
import { FAILURES, statusOf } from "./words.js";

/** @param onShow opens a document, or the list of documents */
export function TurnView({ turn, index, info, threadId, onAgain, onAsk, onEdit, onShow }) {
  const [pointed, setPointed] = useState(undefined);
  const { status, result, answer } = turn;
  const feedback = useFeedback({ threadId, turn });
  const idOf = (marker) => `turn-${index}-source-${marker}`;
  const known = new Set([...(result?.sources ?? []), ...turn.quotes].map(({ marker }) => marker));
  const renderCitation = (marker) =>
    known.has(marker) &&
    html`<${Cite} marker=${marker} source=${idOf(marker)} onPoint=${setPointed} />`;
  const passages = turn.passages ?? [];
  // The passages follow as data; their text in the answer is for other clients.
  const opening = passages.length > 0 ? answer.split("\n", 1)[0] : answer;
  const isUnanswered = ["closest_passages", "abstained"].includes(turn.outcome?.status);
  const isWriting = status === "running" && turn.isDraft && answer !== "";
  const text = withMarks(opening, result?.details?.marked ?? [], ...UNCERTAIN);
  return html`<article class="turn" id=${`turn-${index}`} aria-busy=${status === "running"}>
    <${Question} text=${turn.question} onEdit=${onEdit} />
    ${turn.understood && html`<p class="understood"><span class="dim">Understood as</span> <span dir="auto">${turn.understood}</span></p>`}
    <div class="columns">
      <div class="reply">
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
      </div>
      ${
        isUnanswered
          ? html`<${NextSteps} turn=${turn} info=${info} onShow=${onShow} />`
          : answer !== "" &&
            html`<${Sources}
              turn=${turn}
              feedback=${feedback}
              idOf=${idOf}
              pointed=${pointed}
              onShow=${onShow}
            />`
      }
      <div class="after">
        ${onAsk && html`<${FollowUps} turn=${turn} onAsk=${onAsk} />`}
        <${HowFound} turn=${turn} onShow=${onShow} />
      </div>
    </div>
  </article>`;
}

/** @param onEdit asks the edited question in place of this one; undefined while that cannot be */
function Question({ text, onEdit }) {
  const [isEdited, setIsEdited] = useState(false);
  const field = useRef(null);
  useEffect(() => field.current?.focus(), [isEdited]);
  if (!isEdited)
    return html`<div class="question">
      <h2 tabindex="-1" dir="auto">${text}</h2>
      ${onEdit && html`<${IconButton} icon="pencil" label="Edit the question" onClick=${() => setIsEdited(true)} />`}
    </div>`;
  const submit = (event) => {
    event.preventDefault();
    const edited = field.current.value.trim();
    setIsEdited(false);
    if (edited !== "") onEdit(edited);
  };
  const onKeyDown = (event) => {
    if (event.key === "Escape") setIsEdited(false);
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  return html`<form class="question-form" onSubmit=${submit}>
    <textarea ref=${field} rows="2" aria-label="Edited question" dir="auto" onKeyDown=${onKeyDown}>
${text}</textarea>
    <p>
      <button type="submit" class="primary">Ask again</button>
      <button type="button" class="quiet" onClick=${() => setIsEdited(false)}>Cancel</button>
    </p>
  </form>`;
}

function StatusLine({ turn, feedback }) {
  const status = statusOf(turn);
  if (turn.answer === "" || turn.status === "running") return null;
  const hasFailed = turn.outcome?.causes.some((cause) => FAILURES.has(cause));
  const [reason] = hasFailed ? notesOf(turn) : [];
  return html`<div class="outcome">
    ${status && html`<p class=${`status ${status.kind}`}>${status.text}</p>`}
    <span class="turn-actions">
      ${feedback && html`<${Verdict} score=${feedback.score} what="this answer" onScore=${feedback.rate} />`}
      <${CopyButton} text=${() => asMarkdown(turn)} what="as Markdown with sources" />
    </span>
    ${reason && html`<p class="help">${reason}</p>`}
    ${feedback?.error && html`<p class="doubt" role="alert">${feedback.error}</p>`}
  </div>`;
}
