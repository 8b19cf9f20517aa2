/** Light, dark, or as the system has it; remembered by the browser. */
import { useEffect, useState } from "preact/hooks";
import { html } from "./html.js";

const THEMES = { system: "light dark", light: "light", dark: "dark" };
const NAMES = Object.keys(THEMES);
const KEY = "corrective-rag-theme";

export function ThemeSwitch() {
  const [theme, setTheme] = useState(remembered);
  useEffect(() => {
    document.documentElement.style.colorScheme = THEMES[theme];
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Without a store the choice lasts as long as the page.
    }
  }, [theme]);
  return html`<label class="choice theme">
    <span class="visually-hidden">Colours</span>
    <select value=${theme} onChange=${(event) => setTheme(event.currentTarget.value)}>
      ${NAMES.map((name) => html`<option value=${name} selected=${name === theme}>${name[0].toUpperCase() + name.slice(1)}</option>`)}
    </select>
  </label>`;
}

function remembered() {
  try {
    const theme = localStorage.getItem(KEY);
    return NAMES.includes(theme) ? theme : "system";
  } catch {
    return "system";
  }
}
