/** The documents of the knowledge base: upload, list, view, remove. */
import { useEffect, useRef, useState } from "preact/hooks";
import { DocumentView } from "./document-view.js";
import { listDocuments, removeDocument } from "./documents-api.js";
import { Dialog, html, Icon, IconButton } from "./elements.js";
import { filesOfField } from "./upload.js";
import { counted, DOCUMENT_STATES } from "./words.js";

const PAGE = 50;

/**
 * @param target the document shown instead of the list, with a line, a page or a passage's id
 * @param onTarget shows another document, or the list
 */
export function DocumentsPanel({ info, target, onTarget, upload, onChange, onClose }) {
  if (target !== undefined)
    return html`<${DocumentView}
      key=${target.path}
      target=${target}
      onBack=${() => onTarget()}
      onClose=${onClose}
    />`;
  return html`<${Dialog} key="list" title="Documents" kind="panel" onClose=${onClose}>
    <${DropZone} info=${info} upload=${upload} />
    ${upload.state && html`<${Progress} upload=${upload} />`}
    <${DocumentList}
      info=${info}
      uploaded=${upload.state?.taken ?? 0}
      onTarget=${onTarget}
      onChange=${onChange}
    />
  <//>`;
}

function DropZone({ info, upload }) {
  const take = (event) => {
    void upload.add(filesOfField(event.currentTarget));
    event.currentTarget.value = "";
  };
  return html`<div class="drop-zone">
    <p class="drop-title">Add files or folders</p>
    <p class="help">
      Choose them<span class="by-mouse">, or drop them anywhere on the page</span>:${" "}
      ${info?.formats}.
    </p>
    ${upload.bases.length > 0 && html`<${BaseChoice} upload=${upload} />`}
    <p class="drop-buttons">
      <label class="quiet file-button">
        <${Icon} name="documents" />Choose files
        <input
          type="file"
          multiple
          class="visually-hidden"
          disabled=${upload.running}
          onChange=${take}
        />
      </label>
      <label class="quiet file-button">
        <${Icon} name="folder" />Choose a folder
        <input
          type="file"
          webkitdirectory
          class="visually-hidden"
          disabled=${upload.running}
          onChange=${take}
        />
      </label>
    </p>
  </div>`;
}

function BaseChoice({ upload: { bases, base, running, setBase } }) {
  return html`<p>
    <label>
      Into the knowledge base${" "}
      <select
        value=${base}
        disabled=${running}
        onChange=${(event) => setBase(event.currentTarget.value)}
      >
        ${bases.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
      </select>
    </label>
  </p>`;
}

function Progress({ upload: { state, running, cancel, clear } }) {
  const { total, done, taken, current, problems } = state;
  return html`<section class="upload" aria-label="Upload">
    <p class="upload-line">
      <span>${running ? `Adding ${done + (current ? 1 : 0)} of ${total}` : summaryOf(state)}</span>
      <button type="button" class="small" onClick=${running ? cancel : clear}>
        ${running ? "Stop" : "Done"}
      </button>
    </p>
    ${running && html`<progress max=${Math.max(1, total)} value=${done} aria-label="Files done"></progress>`}
    ${running && current && html`<p class="help upload-path">${current}</p>`}
    ${
      problems.length > 0 &&
      html`<details class="problems" open=${taken === 0 || problems.length <= 5}>
        <summary>Reasons</summary>
        <ul>
          ${problems.map(({ path, state: how, reason }) => html`<li class=${how}><code dir="ltr">${path}</code><span>${reason}</span></li>`)}
        </ul>
      </details>`
    }
  </section>`;
}

function summaryOf({ total, done, taken, problems }) {
  const failed = problems.filter(({ state }) => state === "failed").length;
  const parts = [
    taken === 0 ? "No file added" : `${counted(taken, "file")} added`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(problems.length > failed ? [`${problems.length - failed} left out`] : []),
    ...(done < total ? [`${total - done} not sent`] : []),
  ];
  return parts.join(", ");
}

function DocumentList({ info, uploaded, onTarget, onChange }) {
  const [words, setWords] = useState("");
  const [found, setFound] = useState(undefined);
  const [error, setError] = useState(undefined);
  const latest = useRef(0);
  const load = async (offset, before = []) => {
    const turn = ++latest.current;
    try {
      const { total, documents } = await listDocuments({ words, offset, limit: PAGE });
      if (turn !== latest.current) return;
      setError(undefined);
      setFound({ total, documents: [...before, ...documents] });
    } catch (failure) {
      if (turn === latest.current) setError(failure.message);
    }
  };
  useEffect(() => void load(0), [words, uploaded, info?.knowledge_base?.documents]);
  const remove = async (path) => {
    try {
      await removeDocument(path);
    } catch (failure) {
      setError(failure.message);
    }
    await load(0);
    onChange();
  };
  const isDemo = info?.knowledge_base?.is_demo === true;
  const { total = 0, documents = [] } = found ?? {};
  return html`<section class="documents" aria-label="In the knowledge base">
    ${isDemo && html`<p class="notice">These are the demo's documents. Yours replace them as soon as you add one.</p>`}
    ${error && html`<p class="notice bad" role="alert">${error}</p>`}
    <input
      type="search"
      class="search"
      aria-label="Filter documents"
      placeholder="Filter by name or title"
      value=${words}
      onInput=${(event) => setWords(event.currentTarget.value)}
    />
    <p class="help" role="status">${found && (total === 0 ? "" : counted(total, "document"))}</p>
    ${found && total === 0 && html`<p class="hint">${words === "" ? "Nothing yet. Add your first documents above." : "No document is called that."}</p>`}
    <ul class="document-list">
      ${documents.map((document) => html`<${DocumentRow} key=${document.path} document=${document} mayRemove=${!isDemo} onTarget=${onTarget} onRemove=${remove} />`)}
    </ul>
    ${documents.length < total && html`<p><button type="button" class="quiet" onClick=${() => load(documents.length, documents)}>Show more</button></p>`}
  </section>`;
}

function DocumentRow({ document, mayRemove, onTarget, onRemove }) {
  const [asked, setAsked] = useState(false);
  const { path, title, passages, modifiedAt, state } = document;
  const facts = [counted(passages, "passage"), modifiedAt?.slice(0, 10), DOCUMENT_STATES[state]];
  return html`<li class="document">
    <button type="button" class="document-open" onClick=${() => onTarget({ path })}>
      <span class="document-title">${title}</span>
      <code class="path" dir="ltr">${path}</code>
      <span class="dim">${facts.filter(Boolean).join(", ")}</span>
    </button>
    ${
      mayRemove &&
      (asked
        ? html`<span class="asking">
            <button
              type="button"
              class="small bad"
              ref=${(button) => button?.focus()}
              onClick=${() => onRemove(path)}
            >
              Remove
            </button>
            <button type="button" class="small" onClick=${() => setAsked(false)}>Keep</button>
          </span>`
        : html`<${IconButton}
            icon="trash"
            label=${`Remove ${path}`}
            onClick=${() => setAsked(true)}
          />`)
    }
  </li>`;
}
