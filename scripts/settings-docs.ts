/** The settings table as text: `.env.example`, and the lists of `docs/configuration.md`. */
import { expected, shapeOf } from "../src/settings/environment.js";
import { entriesOf, type SettingEntry, type SettingsTable } from "../src/settings/setting.js";
import {
  AUDIT_SETTINGS,
  BUDGET_SETTINGS,
  MODEL_SETTINGS,
  SERVER_SETTINGS,
} from "../src/settings/table.js";
import { GRADING_SETTINGS } from "../src/settings/table/grading.js";
import { KNOWLEDGE_SETTINGS, RETRIEVAL_SETTINGS } from "../src/settings/table/knowledge.js";
import { WEB_SETTINGS } from "../src/settings/table/web.js";

/** The sections of the page and of the file, in their order. */
const SECTIONS: readonly { title: string; table: SettingsTable }[] = [
  {
    title: "Model (none is needed: without a key and without a base URL the agent runs embedded)",
    table: MODEL_SETTINGS,
  },
  { title: "Knowledge base", table: KNOWLEDGE_SETTINGS },
  { title: "Retrieval", table: RETRIEVAL_SETTINGS },
  { title: "Grading and correction", table: GRADING_SETTINGS },
  {
    title: "Web search (off unless a provider has a key or a URL, or is named)",
    table: WEB_SETTINGS,
  },
  { title: "Budget of a run", table: BUDGET_SETTINGS },
  { title: "Audit log", table: AUDIT_SETTINGS },
  { title: "Server", table: SERVER_SETTINGS },
];

const WIDTH = 100;

/** `.env.example`: every variable explained; those with a default are shown with it, commented out. */
export function envExample(): string {
  const lines = [
    ...wrap(
      "Settings of corrective-rag. Copy to .env and uncomment what you need: everything has a default, and nothing is required.",
      "# ",
    ),
    "",
  ];
  for (const { title, entries } of sections()) {
    lines.push(...wrap(title, "## "), "");
    for (const { env, setting, ...rest } of entries) {
      if (env === undefined) continue;
      const meaning = setting.defaultMeaning ? ` Default: ${setting.defaultMeaning}.` : "";
      const { description, aliases = [] } = setting;
      const also = aliases.length === 0 ? "" : ` Also read as ${aliases.join(", ")}.`;
      lines.push(
        ...wrap(`${description}${range({ env, setting, ...rest })}${meaning}${also}`, "# "),
        `# ${env}=${setting.default === undefined ? "" : shownValue(setting.default)}`,
        "",
      );
    }
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

/** The lists of the configuration page, one for each section. */
export function settingLists(): string {
  return sections()
    .map(({ title, entries }) => {
      const lines = entries.filter(({ env }) => env !== undefined).map(lineOf);
      return [`### ${title}`, "", ...lines].join("\n");
    })
    .join("\n\n");
}

function sections(): { title: string; entries: SettingEntry[] }[] {
  return SECTIONS.map(({ title, table }) => ({ title, entries: entriesOf(table) }));
}

function lineOf({ env = "", setting }: SettingEntry): string {
  const names = [env, ...(setting.aliases ?? [])];
  const star = setting.scope === "run" ? "\\*" : "";
  const standard =
    setting.default === undefined ? setting.defaultMeaning : `\`${shownValue(setting.default)}\``;
  const byDefault = standard === undefined || standard === "none" ? "" : ` (default: ${standard})`;
  const named = names.map((name) => `\`${name}\``).join(", ");
  return `- ${named}${star}${byDefault}: ${setting.description}${choicesOf(setting)}`;
}

/** The choices that the description does not explain; a wrong value is told its range. */
function choicesOf({ schema, description }: SettingEntry["setting"]): string {
  const { type, enum: choices = [] } = shapeOf(schema);
  if (type === "array") return " Separated by commas.";
  return choices.every((choice) => description.includes(choice))
    ? ""
    : ` One of ${choices.join(", ")}.`;
}

function shownValue(value: unknown): string {
  return typeof value === "boolean" ? (value ? "on" : "off") : String(value);
}

function range({ setting }: SettingEntry): string {
  const shape = shapeOf(setting.schema);
  if (shape.type === "array") return " Separated by commas.";
  const text = expected(shape);
  return text === undefined ? "" : ` ${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function wrap(text: string, prefix: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && prefix.length + line.length + 1 + word.length > WIDTH) {
      lines.push(prefix + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, prefix + line];
}
