/** The field for the question. */
import { useEffect, useRef } from "preact/hooks";
import { FolderChoice } from "./folder-choice.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { summaryOf } from "./settings.js";

export function Composer({
  folder,
  documents,
  onFolder,
  text,
  onText,
  last,
  settings,
  onSettings,
  busy,
  onAsk,
  onStop,
}) {
  const field = useRef(null);
  useEffect(() => {
    // Grows with the text, up to a limit in the style sheet.
    field.current.style.height = "auto";
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [text]);
  const submit = (event) => {
    event.preventDefault();
    if (busy) onStop();
    else if (text.trim() !== "") onAsk(text.trim());
    field.current.focus();
  };
  const onKeyDown = (event) => {
    // As in a shell, brings back the last question.
    if (event.key === "ArrowUp" && text === "" && last !== undefined) {
      event.preventDefault();
      onText(last);
    }
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!busy && text.trim() !== "") onAsk(text.trim());
  };
  return html`<form class="composer" onSubmit=${submit}>
    <label class="visually-hidden" for="question">Your question</label>
    <textarea
      id="question"
      ref=${field}
      rows="1"
      placeholder="Ask about your documents"
      autofocus
      enterkeyhint="send"
      dir="auto"
      aria-keyshortcuts="/"
      value=${text}
      onInput=${(event) => onText(event.currentTarget.value)}
      onKeyDown=${onKeyDown}
    ></textarea>
    <div class="controls">
      <button
        type="button"
        class="quiet"
        onClick=${onSettings}
        aria-label=${`Settings: ${summaryOf(settings)}`}
      >
        <${Icon} name="sliders" /><span class="settings-summary">${summaryOf(settings)}</span>
      </button>
      <${FolderChoice} folder=${folder} documents=${documents} onFolder=${onFolder} />
      <button
        class=${`primary send ${busy ? "stop" : ""}`}
        type="submit"
        disabled=${!busy && text.trim() === ""}
        aria-label=${busy ? "Stop" : "Ask"}
      >
        ${busy ? html`<span class="square" aria-hidden="true"></span>` : html`<${Icon} name="up" />`}
      </button>
    </div>
  </form>`;
}
