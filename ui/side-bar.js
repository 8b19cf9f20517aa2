/** The conversations on the server: search, rename, delete, start a new one. */
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { deleteThread, renameThread } from "./threads.js";

/** Up to this many need no search. */
const FEW = 5;

export function SideBar({
  threads,
  current,
  documents,
  uploading,
  onNew,
  onOpen,
  onGone,
  onChange,
  onExport,
  onDocuments,
  onSettings,
}) {
  const [words, setWords] = useState("");
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = threads.filter(({ title, said }) =>
    wanted.every((word) => `${title}\n${said}`.toLowerCase().includes(word)),
  );
  return html`<nav class="side" aria-label="Conversations">
    <p class="brand"><img src="/app/icon.svg" alt="" width="22" height="22" />Corrective RAG</p>
    <button type="button" class="side-button new" onClick=${onNew}>
      <${Icon} name="plus" />New conversation
    </button>
    ${
      (threads.length > FEW || words !== "") &&
      html`<input
        type="search"
        class="search"
        aria-label="Search conversations"
        placeholder="Search conversations"
        value=${words}
        onInput=${(event) => setWords(event.currentTarget.value)}
      />`
    }
    <div class="threads" tabindex="-1">
      ${groupsOf(shown).map(
        ([name, group]) =>
          html`<section aria-label=${name}>
            <h2 class="group">${name}</h2>
            <ul>
              ${group.map((thread) => html`<${Thread} key=${thread.id} thread=${thread} isCurrent=${thread.id === current} onOpen=${onOpen} onGone=${onGone} onChange=${onChange} />`)}
            </ul>
          </section>`,
      )}
      ${threads.length === 0 && html`<p class="hint">Your conversations appear here.</p>`}
      ${threads.length > 0 && shown.length === 0 && html`<p class="hint">No conversation matches.</p>`}
    </div>
    <div class="side-end">
      ${
        onExport &&
        html`<button type="button" class="side-button" onClick=${onExport}>
          <${Icon} name="download" />Export conversation
        </button>`
      }
      <button type="button" class="side-button" onClick=${onDocuments}>
        <${Icon} name="documents" />Documents
        ${uploading ? html`<span class="count"><span class="spinner"></span><span class="visually-hidden">adding files</span></span>` : documents !== undefined && html`<span class="count">${documents.toLocaleString("en")}</span>`}
      </button>
      <button type="button" class="side-button" onClick=${onSettings}>
        <${Icon} name="sliders" />Settings
      </button>
    </div>
  </nav>`;
}

function Thread({ thread: { id, title, at }, isCurrent, onOpen, onGone, onChange }) {
  const [mode, setMode] = useState("shown");
  const rename = async (name) => {
    setMode("shown");
    if (name.trim() !== "" && name !== title) await renameThread(id, name).then(onChange, onChange);
  };
  const remove = async () => {
    setMode("shown");
    await deleteThread(id).then(() => onGone(id));
    onChange();
  };
  if (mode === "renamed")
    return html`<li>
      <${TitleField} title=${title} onDone=${rename} onCancel=${() => setMode("shown")} />
    </li>`;
  if (mode === "deleted")
    return html`<li class="thread asking">
      <span class="thread-title">Delete it?</span>
      <button type="button" class="small bad" ref=${focusOnce} onClick=${remove}>Delete</button>
      <button type="button" class="small" onClick=${() => setMode("shown")}>Keep</button>
    </li>`;
  return html`<li class="thread">
    <button
      type="button"
      class="thread-title"
      aria-current=${isCurrent ? "true" : undefined}
      title=${title}
      onClick=${() => onOpen(id)}
    >
      <span>${title}</span>
      <time datetime=${at.toISOString()} aria-hidden="true">${timeOf(at)}</time>
    </button>
    <button
      type="button"
      class="icon-button tool"
      aria-label=${`Rename ${title}`}
      onClick=${() => setMode("renamed")}
    >
      <${Icon} name="pencil" />
    </button>
    <button
      type="button"
      class="icon-button tool"
      aria-label=${`Delete ${title}`}
      onClick=${() => setMode("deleted")}
    >
      <${Icon} name="trash" />
    </button>
  </li>`;
}

function TitleField({ title, onDone, onCancel }) {
  const field = useRef(null);
  const isLeft = useRef(false);
  useEffect(() => {
    field.current.focus();
    field.current.select();
  }, []);
  const leave = (action) => {
    if (isLeft.current) return;
    isLeft.current = true;
    action();
  };
  return html`<input
    ref=${field}
    class="title-field"
    aria-label="Title"
    value=${title}
    onKeyDown=${(event) => {
      if (event.key === "Enter") leave(() => onDone(event.currentTarget.value));
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      leave(onCancel);
    }}
    onBlur=${(event) => leave(() => onDone(event.currentTarget.value))}
  />`;
}

/** Focuses a button that replaces the one that was pressed. */
function focusOnce(button) {
  button?.focus();
}

/** The hour of a conversation of today, the day of an earlier one. */
function timeOf(at) {
  const isToday = at >= new Date().setHours(0, 0, 0, 0);
  return isToday
    ? at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : at.toLocaleDateString([], { day: "numeric", month: "short" });
}

function groupsOf(threads) {
  const today = new Date().setHours(0, 0, 0, 0);
  const day = 24 * 3600 * 1000;
  const nameOf = ({ at }) =>
    at >= today
      ? "Today"
      : at >= today - day
        ? "Yesterday"
        : at >= today - 7 * day
          ? "This week"
          : "Earlier";
  const groups = new Map();
  for (const thread of threads) {
    const name = nameOf(thread);
    groups.set(name, [...(groups.get(name) ?? []), thread]);
  }
  return [...groups];
}
