/** Where a question is written, and how it is to be answered. */
import { useEffect, useRef } from "preact/hooks";
import { html } from "./html.js";
import { CORRECTIONS, PROFILES, QUALITIES, WEB_MODES } from "./words.js";

export function Composer({ text, onText, last, settings, onSettings, busy, onAsk, onStop }) {
  const field = useRef(null);
  useEffect(() => {
    // Grows with what is written; the style sheet sets the limit.
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
    // As in a shell, the question before comes back to be changed.
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
      <${Choice}
        name="profile"
        label="Profile"
        options=${PROFILES}
        settings=${settings}
        onSettings=${onSettings}
      />
      <${Choice}
        name="quality"
        label="Quality"
        options=${QUALITIES}
        settings=${settings}
        onSettings=${onSettings}
      />
      <${Choice}
        name="web_search"
        label="Web"
        options=${WEB_MODES}
        settings=${settings}
        onSettings=${onSettings}
      />
      <${Choice}
        name="max_iterations"
        label="Corrections"
        options=${CORRECTIONS}
        settings=${settings}
        onSettings=${onSettings}
      />
      <button
        class=${`primary ${busy ? "stop" : ""}`}
        type="submit"
        disabled=${!busy && text.trim() === ""}
      >
        ${busy ? "Stop" : "Ask"}
      </button>
    </div>
  </form>`;
}

function Choice({ name, label, options, settings, onSettings }) {
  return html`<label class="choice">
    <span>${label}</span>
    <select
      name=${name}
      value=${settings[name] ?? ""}
      onChange=${(event) => onSettings({ ...settings, [name]: event.currentTarget.value || undefined })}
    >
      ${options.map(([value, text]) => html`<option value=${value} selected=${value === (settings[name] ?? "")}>${text}</option>`)}
    </select>
  </label>`;
}
