/** Light, dark, or the system's choice; stored in the browser. */
import { useState } from "preact/hooks";
import { html } from "./html.js";

const THEMES = { system: "light dark", light: "light", dark: "dark" };
const NAMES = { system: "System", light: "Light", dark: "Dark" };
const KEY = "corrective-rag-theme";

export function showTheme() {
  document.documentElement.style.colorScheme = THEMES[remembered()];
}

export function ThemeField() {
  const [theme, setTheme] = useState(remembered);
  const choose = (event) => {
    const chosen = event.currentTarget.value;
    setTheme(chosen);
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // Without storage the choice lasts until the page is closed.
    }
    document.documentElement.style.colorScheme = THEMES[chosen];
  };
  return html`<div class="field">
    <label for="theme">Colors</label>
    <select id="theme" value=${theme} onChange=${choose}>
      ${Object.entries(NAMES).map(([name, words]) => html`<option value=${name} selected=${name === theme}>${words}</option>`)}
    </select>
  </div>`;
}

function remembered() {
  try {
    const theme = localStorage.getItem(KEY);
    return Object.hasOwn(THEMES, theme ?? "") ? theme : "system";
  } catch {
    return "system";
  }
}
