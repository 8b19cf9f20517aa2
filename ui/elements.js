/** What the page is made of: markup, icons, a button that copies, modal windows. */
import htm from "htm";
import { h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Markup in template strings; values in `${}` become text nodes or attributes, never HTML. */
export const html = htm.bind(h);

const ICONS = {
  menu: "M4 7h16M4 12h16M4 17h10",
  plus: "M12 5v14M5 12h14",
  pencil: "M4 20h4L19 9l-4-4L4 16zM13.5 6.5l4 4",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5.5M13.5 11v5.5",
  documents: "M8 3h7l4 4v10H8zM15 3v4h4M8 7H5v14h10v-4",
  folder: "M3 6h6l2 2h10v11H3z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  sliders: "M4 8h9M17 8h3M4 16h3M11 16h9M15 5.5v5M9 13.5v5",
  "thumb-up":
    "M7 11v9H4v-9zM7 11l4-8c2 0 2.6 1.2 2.3 3L12.7 9H19c1 0 1.7 1 1.4 2l-2 7.5c-.3.9-1 1.5-2 1.5H7",
  "thumb-down":
    "M7 13V4H4v9zM7 13l4 8c2 0 2.6-1.2 2.3-3l-.6-3H19c1 0 1.7-1 1.4-2l-2-7.5c-.3-.9-1-1.5-2-1.5H7",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  close: "M6 6l12 12M18 6L6 18",
  back: "M14 6l-6 6 6 6",
  up: "M12 19V5M6 11l6-6 6 6",
};

export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d=${ICONS[name]} />
  </svg>`;
}

/** A button that shows nothing but an icon. */
export function IconButton({ icon, label, ...attributes }) {
  return html`<button
    type="button"
    class="icon-button"
    aria-label=${label}
    title=${label}
    ...${attributes}
  >
    <${Icon} name=${icon} />
  </button>`;
}

/**
 * A button that copies a text, and says so.
 * @param text returns what is copied
 * @param what names it for screen readers
 */
export function CopyButton({ text, what }) {
  const [said, setSaid] = useState(undefined);
  const onClick = async () => {
    // Browsers refuse it to pages without TLS.
    const isCopied = await navigator.clipboard?.writeText(text()).then(
      () => true,
      () => false,
    );
    setSaid(isCopied ? "Copied" : "The browser does not allow it");
    setTimeout(() => setSaid(undefined), 2000);
  };
  return html`<button type="button" class="small copy" onClick=${onClick}>
    <${Icon} name=${said === "Copied" ? "check" : "copy"} /><span aria-live="polite"
      >${said ?? "Copy"}</span
    >
    ${said === undefined && html`<span class="visually-hidden"> ${what}</span>`}
  </button>`;
}

/**
 * A modal window; Escape closes it.
 * @param kind `panel` at the side, else centered
 */
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
        <${IconButton} icon="close" label="Close" onClick=${onClose} />
      </div>
      ${children}
    </div>
  </dialog>`;
}

/** Saves a file that the page has made or received. */
export function saveFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
