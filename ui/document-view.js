/** One document, passage by passage, opened at the one that was found. */
import { useEffect, useRef, useState } from "preact/hooks";
import { showDocument } from "./documents-api.js";
import { html } from "./html.js";
import { readable, RichText } from "./rich-text.js";
import { counted } from "./words.js";

/** @param target the path, and a passage's id, line or page */
export function DocumentView({ target }) {
  const [found, setFound] = useState(undefined);
  const [error, setError] = useState(undefined);
  const wanted = useRef(null);
  useEffect(() => {
    showDocument(target.path).then(
      (shown) =>
        shown === undefined
          ? setError("This document is no longer in the knowledge base.")
          : setFound(shown),
      (failure) => setError(failure.message),
    );
  }, [target.path]);
  useEffect(() => wanted.current?.scrollIntoView({ block: "center" }), [found]);
  if (error !== undefined) return html`<p class="notice bad" role="alert">${error}</p>`;
  if (found === undefined) return html`<p class="working"><span class="spinner"></span>Opening</p>`;
  const { document, passages } = found;
  const index = indexOf(target, passages);
  return html`<h3 class="document-name">${document.title}</h3>
    <p class="help">
      <code dir="ltr">${document.path}</code> · ${counted(document.passages, "passage")}
    </p>
    <ol class="passages">
      ${passages.map(
        (passage, at) =>
          html`<li
            key=${passage.id}
            ref=${at === index ? wanted : undefined}
            class=${`passage ${at === index ? "wanted" : ""}`}
            aria-current=${at === index ? "true" : undefined}
          >
            <p class="passage-place">${placeOf(passage)}</p>
            <div class="passage-text" dir="auto"><${PassageText} passage=${passage} /></div>
          </li>`,
      )}
    </ol>`;
}

/** Renders Markdown; shows other text as it is. */
function PassageText({ passage }) {
  const text = readable(passage);
  return passage.kind === "markdown" ? html`<${RichText} text=${text} />` : text;
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
