/** The field for the question, and the folder that it is limited to. */
import { useEffect, useRef, useState } from "preact/hooks";
import { listDocuments } from "./documents-api.js";
import { html, Icon } from "./elements.js";
import { summaryOf } from "./settings.js";

const MOST_DOCUMENTS = 500;

export function Composer({
  busy,
  settings,
  folder,
  documents,
  onFolder,
  onSettings,
  onAsk,
  onStop,
}) {
  const [text, setText] = useState("");
  const field = useRef(null);
  useEffect(() => {
    // Grows with the text, up to a limit in the style sheet.
    field.current.style.height = "auto";
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [text]);
  useEffect(() => {
    const onKey = ({ key }) => {
      if (
        key === "Escape" &&
        busy &&
        document.querySelector("dialog[open], :popover-open") === null
      )
        onStop();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [busy]);
  const submit = (event) => {
    event.preventDefault();
    field.current.focus();
    if (busy || text.trim() === "") return;
    setText("");
    onAsk(text.trim());
  };
  const onKeyDown = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
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
      value=${text}
      onInput=${(event) => setText(event.currentTarget.value)}
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
      ${
        busy
          ? html`<button class="send stop" type="button" aria-label="Stop" onClick=${onStop}>
              <span class="square" aria-hidden="true"></span>
            </button>`
          : html`<button
              class="primary send"
              type="submit"
              disabled=${text.trim() === ""}
              aria-label="Ask"
            >
              <${Icon} name="up" />
            </button>`
      }
    </div>
  </form>`;
}

/**
 * Limits the search to one folder of the documents.
 * @param documents their number, a change of which asks for the folders anew
 */
function FolderChoice({ folder, documents, onFolder }) {
  const [folders, setFolders] = useState([]);
  useEffect(() => {
    if (documents === undefined) return;
    listDocuments({ limit: MOST_DOCUMENTS }).then(
      (found) => setFolders(foldersOf(found.documents)),
      () => undefined,
    );
  }, [documents]);
  const choices = folder && !folders.includes(folder) ? [folder, ...folders] : folders;
  if (choices.length < 2 && !folder) return null;
  return html`<select
    class="folder"
    aria-label="Search in"
    value=${folder ?? ""}
    onChange=${(event) => onFolder(event.currentTarget.value || undefined)}
  >
    <option value="">All documents</option>
    ${choices.map((path) => html`<option value=${path}>Only in ${path}</option>`)}
  </select>`;
}

/** Returns the context of a run that searches one folder only. */
export function contextOfFolder(folder) {
  return folder === undefined ? {} : { filter: { type: "eq", key: "path", value: folder } };
}

/** Returns all folders that hold documents, at any depth. */
function foldersOf(documents) {
  const folders = documents
    .filter(({ path }) => !/^https?:/i.test(path))
    .flatMap(({ path }) => {
      const parts = path.split("/").slice(0, -1);
      return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
    });
  return [...new Set(folders)].filter((path) => path !== "" && path !== ".").sort();
}
