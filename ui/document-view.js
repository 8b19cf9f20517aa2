/** One document, passage by passage, opened at the one that was found. */
import { useEffect, useRef, useState } from "preact/hooks";
import { fileAddress, openFile, showDocument } from "./documents-api.js";
import { Dialog, html, IconButton } from "./elements.js";
import { spansOfQuotes } from "./marks.js";
import { hasKey } from "./request.js";
import { PassageText } from "./rich-text.js";
import { counted } from "./words.js";

/** @param target the path, a passage's id, line or page, and the `quotes` that are marked there */
export function DocumentView({ target, onBack, onClose }) {
  const [found, setFound] = useState(undefined);
  const [error, setError] = useState(undefined);
  const place = useRef(null);
  useEffect(() => {
    showDocument(target.path).then(
      (shown) =>
        shown === undefined
          ? setError("This document is no longer in the knowledge base.")
          : setFound(shown),
      (failure) => setError(failure.message),
    );
  }, [target.path]);
  useEffect(() => {
    const mark = place.current?.querySelector("mark");
    if (mark) mark.scrollIntoView({ block: "center" });
    else place.current?.scrollIntoView({ block: "start" });
  }, [found]);
  return html`<${Dialog}
    title=${found?.document.title ?? "Document"}
    kind="panel"
    onClose=${onClose}
    lead=${html`<${IconButton} icon="back" label="All documents" onClick=${onBack} />`}
  >
    ${error && html`<p class="notice bad" role="alert">${error}</p>`}
    ${!found && !error && html`<p class="working"><span class="spinner"></span> Opening</p>`}
    ${found && html`<${Passages} ...${found} target=${target} place=${place} />`}
  <//>`;
}

function Passages({ document, passages, target, place }) {
  const index = indexOf(target, passages);
  return html`<p class="help">
      <code dir="ltr">${document.path}</code> · ${counted(document.passages, "passage")} ·${" "}
      <${Original} document=${document} page=${target.page} />
    </p>
    <ol class="passages">
      ${passages.map(
        (passage, at) =>
          html`<li
            key=${passage.id}
            ref=${at === index ? place : undefined}
            class="passage"
            aria-current=${at === index ? "true" : undefined}
          >
            <p class="passage-place">${placeOf(passage)}</p>
            <div class="passage-text" dir="auto">
              <${PassageText}
                ...${passage}
                spans=${at === index ? spansOfQuotes(target.quotes ?? [], passage.text) : []}
              />
            </div>
          </li>`,
      )}
    </ol>`;
}

/** Leads to the file as it is on the server, or to its page on the web. */
function Original({ document: { path, state }, page }) {
  const isWeb = /^https?:\/\//i.test(path);
  if (state === "missing") return html`<span>the file is gone</span>`;
  const href = isWeb ? path : fileAddress(path) + (page === undefined ? "" : `#page=${page}`);
  // A link sends no key.
  const onClick = (event) => {
    if (isWeb || !hasKey()) return;
    event.preventDefault();
    void openFile(path);
  };
  return html`<a
    class="link"
    href=${href}
    target="_blank"
    rel="noopener noreferrer nofollow"
    onClick=${onClick}
    >${isWeb ? "Open the page" : "Open the file"}</a
  >`;
}

/** Finds a passage by its id, else by its place. */
function indexOf({ id, start_line: startLine, page }, passages) {
  const byId = passages.findIndex((passage) => passage.id === id);
  if (byId >= 0) return byId;
  return passages.findIndex((passage) =>
    startLine === undefined
      ? page !== undefined && passage.page === page
      : passage.startLine <= startLine && startLine <= (passage.endLine ?? passage.startLine),
  );
}

function placeOf({ startLine, endLine, page, heading }) {
  const lines =
    startLine === undefined
      ? ""
      : startLine === endLine
        ? `line ${startLine}`
        : `lines ${startLine} to ${endLine}`;
  return [lines, page && `page ${page}`, heading?.replaceAll(" > ", " › ")]
    .filter(Boolean)
    .join(" · ");
}
