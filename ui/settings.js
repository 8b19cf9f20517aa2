/** The settings of a question, in the words of a reader. */
import { useEffect, useState } from "preact/hooks";
import { settingsForm } from "./api.js";
import { Dialog, html } from "./elements.js";

const SETTINGS_KEY = "corrective-rag-settings";
const COLORS_KEY = "corrective-rag-colors";
const COLORS = { system: "light dark", light: "light", dark: "dark" };

/**
 * What a reader may choose for a question; the server has the other settings. Each option says
 * what it does, under its name on the wire.
 */
export const CHOICES = {
  quality: {
    label: "Quality",
    options: {
      quick: ["Quick", "searches again once at most, with the cheaper model"],
      balanced: ["Balanced", "searches again up to two times"],
      thorough: ["Thorough", "searches again up to four times, and compares two answers"],
    },
  },
  web_search: {
    label: "Web search",
    options: {
      auto: ["When needed", "if your documents are not enough and a web search is set up"],
      on: ["On", "the same, with a warning if none is set up"],
      ask: ["Ask me first", "you see and allow each query before it is sent"],
      off: ["Never", "only your documents"],
    },
  },
  guard: {
    label: "Check of the answer",
    options: {
      standard: ["Mark", "sentences that the sources do not support are marked"],
      strict: ["Remove", "sentences that no source supports are removed"],
      mark: ["Mark only", "nothing is ever removed"],
      off: ["No check", "the answer stays as it was written"],
    },
  },
  profile: {
    label: "Judging passages",
    options: {
      adaptive: ["Adaptive", "by rules, else all passages at once"],
      holistic: ["Holistic", "the passages as one whole"],
      adequacy: ["Adequacy", "whether they are enough, and what is missing"],
      three_action: ["Three actions", "one by one; the best one counts"],
      signals: ["Signals", "by their scores alone, without a model"],
    },
  },
  search_mode: {
    label: "Searching",
    options: {
      auto: ["By words and meaning", "by words alone until the documents are embedded"],
      hybrid: ["Always both", "by words and by meaning"],
      keyword: ["By words", "the words of the question"],
      vector: ["By meaning", "also if no word is the same"],
    },
  },
  top_k: {
    label: "Passages",
    options: {
      3: ["3", "a short look"],
      5: ["5", "enough for most questions"],
      10: ["10", "for questions about many documents"],
      20: ["20", "slower, for lists"],
    },
  },
};

/** Returns the choices stored in the browser. */
export function chosenSettings() {
  const stored = Object.entries(parsed(read(SETTINGS_KEY)));
  return Object.fromEntries(stored.filter(([key, value]) => CHOICES[key]?.options[value]));
}

export function summaryOf(settings) {
  const chosen = Object.entries(settings).map(([key, value]) => {
    const { label, options } = CHOICES[key];
    return `${label}: ${options[value][0]}`;
  });
  return chosen.length === 0 ? "Default settings" : chosen.join(", ");
}

export function SettingsPanel({ settings, onSettings, onClose }) {
  const [form, setForm] = useState(undefined);
  useEffect(() => {
    settingsForm().then(setForm, (error) => setForm({ error: error.message }));
  }, []);
  const choose = (next) => {
    onSettings(next);
    write(SETTINGS_KEY, JSON.stringify(next));
  };
  return html`<${Dialog} title="Settings" kind="panel" onClose=${onClose}>
    <p class="help">For your next questions, in this browser.</p>
    ${form?.error && html`<p class="notice bad" role="alert">${form.error}</p>`}
    <${ColorsField} />
    ${Object.entries(CHOICES).map(
      ([key, choice]) =>
        html`<${Choice}
          key=${key}
          name=${key}
          ...${choice}
          standard=${form?.properties?.[key]?.default}
          value=${settings[key]}
          onChoose=${(value) => choose(withChoice(settings, key, value))}
        />`,
    )}
    ${
      Object.keys(settings).length > 0 &&
      html`<p class="dialog-actions">
        <button type="button" class="quiet" onClick=${() => choose({})}>
          Back to the defaults
        </button>
      </p>`
    }
  <//>`;
}

function withChoice(settings, key, value) {
  const chosen = Object.entries({ ...settings, [key]: value });
  return Object.fromEntries(chosen.filter(([, each]) => each !== undefined));
}

/** @param standard what the server takes without a choice */
function Choice({ name, label, options, standard, value, onChoose }) {
  const isListed = Object.hasOwn(options, String(standard));
  const rows = Object.entries(options).map(([key, [title, help]]) => ({
    option: /^\d+$/.test(key) ? Number(key) : key,
    title,
    help,
  }));
  if (!isListed) rows.unshift({ title: "Default", help: standard ?? "as the server is set" });
  return html`<fieldset class="choice">
    <legend>${label}</legend>
    ${rows.map(
      ({ option, title, help }) =>
        html`<label>
          <input
            type="radio"
            name=${name}
            checked=${option === (value ?? (isListed ? standard : undefined))}
            onChange=${() => onChoose(option)}
          />
          <span
            ><b>${title}</b
            >${isListed && option === standard && html` <span class="dim">(default)</span>`}${" "}
            <span class="help">${help}</span></span
          >
        </label>`,
    )}
  </fieldset>`;
}

function ColorsField() {
  const [chosen, setChosen] = useState(chosenColors);
  const choose = ({ currentTarget: { value } }) => {
    setChosen(value);
    write(COLORS_KEY, value);
    showColors();
  };
  return html`<div class="field">
    <label for="colors">Colors</label>
    <select id="colors" value=${chosen} onChange=${choose}>
      <option value="system">As the system</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  </div>`;
}

/** Shows the page in the colors that were chosen in this browser. */
export function showColors() {
  document.documentElement.style.colorScheme = COLORS[chosenColors()];
}

function chosenColors() {
  const colors = read(COLORS_KEY);
  return Object.hasOwn(COLORS, colors ?? "") ? colors : "system";
}

function parsed(json) {
  try {
    return JSON.parse(json ?? "{}") ?? {};
  } catch {
    return {};
  }
}

function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Without storage a choice lasts until the page is closed.
  }
}
