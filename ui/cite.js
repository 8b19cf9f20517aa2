/** The number of a citation: leads to its source, and previews the quote on hover or focus. */
import { html } from "./html.js";
import { RichText } from "./rich-text.js";
import { locationOf } from "./words.js";

/**
 * @param citation of this mention; undefined while the answer is being written
 * @param onPoint called with the number under the pointer, and with undefined when it leaves
 */
export function Cite({ marker, citation, id, onCite, onPoint }) {
  const point = () => onPoint(marker);
  const leave = () => onPoint(undefined);
  return html`<span class="cite-place"
    ><sup
      ><button
        type="button"
        class="cite"
        onClick=${() => onCite(marker)}
        onKeyDown=${closeOnEscape}
        onMouseEnter=${point}
        onMouseLeave=${leave}
        onFocus=${point}
        onBlur=${leave}
        aria-label=${`Source ${marker}`}
        aria-describedby=${citation && id}
      >
        ${marker}
      </button></sup
    >${
      citation &&
      html`<span class="preview" role="tooltip" id=${id}
        >${citation.quote && html`<span class="preview-quote" dir="auto"><${RichText} text=${citation.quote} /></span>`}<span
          class="preview-place"
          ><b>${citation.title}</b>${" "}
          <code class="path" dir="ltr">${locationOf(citation.source)}</code></span
        ></span
      >`
    }</span
  >`;
}

/** Closes the preview on Escape. */
function closeOnEscape(event) {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  event.currentTarget.blur();
}
