/** Asks for the server's key. */
import { useState } from "preact/hooks";
import { Dialog, html } from "./elements.js";

/** @param wasRefused true if the server did not accept the last key */
export function KeyForm({ wasRefused, onKey, onClose }) {
  const [key, setKey] = useState("");
  const submit = (event) => {
    event.preventDefault();
    if (key.trim() !== "") onKey(key.trim());
  };
  return html`<${Dialog} title="This server asks for a key" onClose=${onClose}>
    <form class="key-form" onSubmit=${submit}>
      ${wasRefused && html`<p class="notice bad" role="alert">The server does not know this key.</p>`}
      <label for="key">Key</label>
      <input
        id="key"
        type="password"
        autocomplete="off"
        spellcheck="false"
        autofocus
        aria-describedby="key-help"
        value=${key}
        onInput=${(event) => setKey(event.currentTarget.value)}
      />
      <p class="help" id="key-help">
        One of the server's CRAG_API_KEYS. It is kept until this tab is closed, and sent to this
        server only.
      </p>
      <p class="dialog-actions">
        <button class="primary" type="submit" disabled=${key.trim() === ""}>Continue</button>
      </p>
    </form>
  <//>`;
}
