/** Light, dark, or as the system has it; remembered by the browser. */
import { useState } from "preact/hooks";
import { html } from "./html.js";

const THEMES = { system: "light dark", light: "light", dark: "dark" };
const NAMES = { system: "Like the system", light: "Light", dark: "Dark" };
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
      // Without a store the choice lasts as long as the page.
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
