/** The settings of a run, each with its default and description from the server. */
import { useEffect, useState } from "preact/hooks";
import { settingsForm } from "./api.js";
import { Dialog } from "./dialog.js";
import { html } from "./html.js";
import { ThemeField } from "./theme.js";

const KEY = "corrective-rag-settings";
/** Settings that change often come first. */
const FIRST = ["quality", "web_search", "profile", "max_iterations", "top_k", "guard"];
/** Labels where the name alone is unclear. */
const LABELS = {
  max_iterations: "Corrections",
  top_k: "Passages per search",
  guard: "Check of the answer",
  hyde: "Hypothetical answers (HyDE)",
  max_answer_tokens: "Length of an answer",
  model_fallback: "Fall back without a model",
  rerank: "Reranking",
  budget: "Budget of a run",
  seconds: "Time",
};

/** Returns the choices stored in the browser. */
export function chosenSettings() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

/** Returns the choices as a run's context, with nested groups. */
export function contextOf(settings) {
  const context = {};
  for (const [path, value] of Object.entries(settings)) {
    const [key, inner] = path.split(".");
    if (inner === undefined) context[key] = value;
    else context[key] = { ...context[key], [inner]: value };
  }
  return context;
}

export function summaryOf(settings) {
  const chosen = Object.entries(settings).map(
    ([path, value]) => `${labelOf(path.split(".").at(-1)).toLowerCase()} ${wordsOf(value)}`,
  );
  return chosen.length === 0 ? "Default settings" : chosen.join(", ");
}

export function SettingsPanel({ settings, onSettings, onClose }) {
  const [form, setForm] = useState(undefined);
  useEffect(() => {
    settingsForm().then(setForm, (error) => setForm({ error: error.message }));
  }, []);
  const choose = (path, value) => {
    const next = { ...settings, [path]: value };
    if (value === undefined) delete next[path];
    onSettings(next);
    try {
      localStorage.setItem(KEY, JSON.stringify(next));
    } catch {
      // Without storage the choice lasts until the page is closed.
    }
  };
  const fields = fieldsOf(form);
  const row = (field) =>
    html`<${Field}
      key=${field.path}
      ...${field}
      value=${settings[field.path]}
      onChoose=${choose}
    />`;
  const reset = () => {
    onSettings({});
    localStorage.removeItem(KEY);
  };
  return html`<${Dialog} title="Settings" kind="panel" onClose=${onClose}>
    <p class="help">For your next questions, in this browser.</p>
    ${form?.error && html`<p class="notice bad" role="alert">${form.error}</p>`}
    <${ThemeField} />
    ${fields.filter(({ path }) => FIRST.includes(path)).map(row)}
    ${
      fields.length > 0 &&
      html`<details class="more">
        <summary>All settings</summary>
        ${fields.filter(({ path }) => !FIRST.includes(path)).map(row)}
      </details>`
    }
    ${
      Object.keys(settings).length > 0 &&
      html`<p class="dialog-actions">
        <button type="button" class="quiet" onClick=${reset}>Back to the defaults</button>
      </p>`
    }
  <//>`;
}

/** Returns the fields that can be filled in by hand, the frequent ones first. */
function fieldsOf(form) {
  const single = Object.entries(form?.properties ?? {}).flatMap(([key, schema]) =>
    schema.type === "object"
      ? Object.entries(schema.properties ?? {}).map(([inner, each]) => ({
          path: `${key}.${inner}`,
          group: labelOf(key),
          schema: each,
        }))
      : [{ path: key, schema }],
  );
  const rank = ({ path }) => (FIRST.indexOf(path) + FIRST.length + 1) % (FIRST.length + 1);
  const known = single.filter(({ schema }) =>
    ["string", "integer", "number", "boolean"].includes(schema.type),
  );
  return known.sort((a, b) => rank(a) - rank(b));
}

function Field({ path, group, schema, value, onChoose }) {
  const id = `setting-${path.replace(".", "-")}`;
  const label = labelOf(path.split(".").at(-1));
  const standard = schema.default === undefined ? "auto" : wordsOf(schema.default);
  const isNumber = schema.type === "integer" || schema.type === "number";
  const options = schema.enum ?? (schema.type === "boolean" ? [true, false] : undefined);
  const take = ({ currentTarget: field }) => {
    if (!field.reportValidity()) return;
    onChoose(path, field.value === "" ? undefined : parsed(field.value, schema.type));
  };
  return html`<div class=${`field ${value === undefined ? "" : "changed"}`}>
    <label for=${id}>${group ? `${group}: ${label.toLowerCase()}` : label}</label>
    ${
      options === undefined
        ? html`<input
            id=${id}
            type=${isNumber ? "number" : "text"}
            min=${schema.minimum}
            max=${schema.maximum}
            step=${schema.type === "integer" ? 1 : "any"}
            placeholder=${standard}
            value=${value ?? ""}
            aria-describedby=${`${id}-help`}
            onChange=${take}
          />`
        : html`<select id=${id} aria-describedby=${`${id}-help`} onChange=${take}>
            <option value="" selected=${value === undefined}>
              ${schema.default === undefined ? "Default" : `Default: ${standard}`}
            </option>
            ${options.map((option) => html`<option value=${String(option)} selected=${option === value}>${wordsOf(option)}</option>`)}
          </select>`
    }
    <p class="help" id=${`${id}-help`}>
      ${schema.description}${options === undefined && ` Default: ${standard}.`}
    </p>
  </div>`;
}

function parsed(text, type) {
  if (type === "boolean") return text === "true";
  return type === "integer" || type === "number" ? Number(text) : text;
}

function labelOf(key) {
  const words = key.replaceAll("_", " ");
  return LABELS[key] ?? words[0].toUpperCase() + words.slice(1);
}

function wordsOf(value) {
  if (typeof value === "boolean") return value ? "on" : "off";
  return String(value).replaceAll("_", " ");
}
