/** The conversations on the server: search, rename, delete, start a new one. */
import { useEffect, useRef, useState } from "preact/hooks";
import { deleteThread, renameThread } from "./api.js";
import { html, Icon, IconButton } from "./elements.js";

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
  const sought = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = threads.filter(({ title, said }) =>
    sought.every((word) => `${title}\n${said}`.toLowerCase().includes(word)),
  );
  return html`<nav class="side" id="side" popover aria-label="Conversations">
    <p class="brand"><img src="/app/icon.svg" alt="" width="22" height="22" />Corrective RAG</p>
    <button type="button" class="side-button" onClick=${onNew}>
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
      <ul>
        ${found.map(
          (thread) =>
            html`<${Thread}
              key=${thread.id}
              thread=${thread}
              isCurrent=${thread.id === current}
              onOpen=${onOpen}
              onGone=${onGone}
              onChange=${onChange}
            />`,
        )}
      </ul>
      ${found.length === 0 && html`<p class="hint">${threads.length === 0 ? "Your conversations appear here." : "No conversation matches."}</p>`}
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

/** A conversation; the open one can be renamed and deleted. */
function Thread({ thread: { id, title, at }, isCurrent, onOpen, onGone, onChange }) {
  const [mode, setMode] = useState("title");
  useEffect(() => setMode("title"), [isCurrent]);
  const rename = async (name) => {
    setMode("title");
    if (name.trim() !== "" && name !== title) await renameThread(id, name).then(onChange, onChange);
  };
  const remove = async () => {
    setMode("title");
    await deleteThread(id).then(() => onGone(id));
    onChange();
  };
  if (mode === "rename")
    return html`<li>
      <${TitleField} title=${title} onDone=${rename} onCancel=${() => setMode("title")} />
    </li>`;
  if (mode === "delete")
    return html`<li class="thread asking">
      <span class="thread-title">Delete it?</span>
      <button type="button" class="small bad" ref=${focusOnce} onClick=${remove}>Delete</button>
      <button type="button" class="small" onClick=${() => setMode("title")}>Keep</button>
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
    ${
      isCurrent &&
      html`<${IconButton}
          icon="pencil"
          label=${`Rename ${title}`}
          onClick=${() => setMode("rename")}
        />
        <${IconButton}
          icon="trash"
          label=${`Delete ${title}`}
          onClick=${() => setMode("delete")}
        />`
    }
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

/** The time of a conversation of today, the day and time of an earlier one. */
function timeOf(at) {
  const time = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (at >= new Date().setHours(0, 0, 0, 0)) return time;
  return `${at.toLocaleDateString([], { day: "numeric", month: "short" })}, ${time}`;
}
