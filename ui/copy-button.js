/** A button that copies a text, and says so. */
import { useState } from "preact/hooks";
import { html } from "./html.js";
import { Icon } from "./icons.js";

/**
 * @param text returns what is copied
 * @param what says it to screen readers
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
