/** A modal window; Escape closes it. */
import { useEffect, useRef } from "preact/hooks";
import { html } from "./html.js";
import { Icon } from "./icons.js";

/** @param kind `panel` at the side, `drawer` for the menu of small screens, else centered */
export function Dialog({ title, kind = "", onClose, children, lead }) {
  const dialog = useRef(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current.showModal();
    return () => opener?.focus?.({ preventScroll: true });
  }, []);
  return html`<dialog
    ref=${dialog}
    class=${kind}
    aria-label=${title}
    onClose=${onClose}
    onClick=${(event) => event.target === dialog.current && onClose()}
  >
    <div class="dialog-body">
      <div class="dialog-head">
        ${lead}
        <h2>${title}</h2>
        <button type="button" class="icon-button" onClick=${onClose} aria-label="Close">
          <${Icon} name="close" />
        </button>
      </div>
      ${children}
    </div>
  </dialog>`;
}
