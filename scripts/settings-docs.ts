/** The settings table as text: `.env.example`, and the lists of `docs/configuration.md`. */
import { expected, shapeOf } from "../src/settings/environment.js";
import { entriesOf, type SettingEntry } from "../src/settings/setting.js";
import { SETTING_SECTIONS } from "../src/settings/table.js";

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
      lines.push(
        ...wrap(`${setting.description}${range({ env, setting, ...rest })}${meaning}`, "# "),
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
  return SETTING_SECTIONS.map(({ title, table }) => ({ title, entries: entriesOf(table) }));
}

function lineOf({ env = "", setting }: SettingEntry): string {
  const names = [env, ...(setting.aliases ?? [])];
  const star = setting.scope === "run" ? "\\*" : "";
  const standard =
    setting.default === undefined ? setting.defaultMeaning : `\`${shownValue(setting.default)}\``;
  const byDefault = standard === undefined || standard === "none" ? "" : ` (${standard})`;
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
