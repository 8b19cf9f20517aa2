/** The table of variables as text: `.env.example`, and the tables of `docs/configuration.md`. Pure. */
import { VARIABLES, type Variable, type VariableKind } from "./variables.js";

const WIDTH = 118;

/** `.env.example`: every variable explained; those with a default are shown with it, commented out. */
export function envExample(): string {
  const lines = [
    "# Settings of corrective-rag. Copy to .env and uncomment what you need: everything has a default, and nothing is required.",
    "",
  ];
  for (const [section, variables] of bySection()) {
    lines.push(...wrap(section, "## "), "");
    for (const [name, variable] of variables) {
      lines.push(
        ...wrap(
          `${variable.meaning}${choices(variable.type)}${variable.defaultMeaning ? ` Default: ${variable.defaultMeaning}.` : ""}`,
          "# ",
        ),
      );
      lines.push(`# ${name}=${variable.default ?? ""}`, "");
    }
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

/** The Markdown tables of the configuration page, one for each section. */
export function variableTables(): string {
  return [...bySection()]
    .map(([section, variables]) => {
      const rows = variables.map(
        ([name, variable]) =>
          `| \`${name}\` | ${shownDefault(variable)} | ${escapeCell(variable.meaning + choices(variable.type))} |`,
      );
      return [
        `### ${section}`,
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
        ...rows,
      ].join("\n");
    })
    .join("\n\n");
}

function bySection(): Map<string, [string, Variable][]> {
  const sections = new Map<string, [string, Variable][]>();
  for (const entry of Object.entries<Variable>(VARIABLES))
    sections.set(entry[1].section, [...(sections.get(entry[1].section) ?? []), entry]);
  return sections;
}

function shownDefault({ default: value, defaultMeaning }: Variable): string {
  if (value !== undefined) return `\`${value}\``;
  return escapeCell(defaultMeaning ?? "none");
}

function choices(type: VariableKind): string {
  switch (type.kind) {
    case "choice":
      return ` One of: ${type.values.join(", ")}.`;
    case "switch":
      return " on or off.";
    case "integer":
    case "number":
      return ` From ${type.min} to ${type.max}.`;
    case "list":
      return " Separated by commas.";
    case "text":
    case "secret":
    case "url":
    case "name":
      return "";
    default:
      return type satisfies never;
  }
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
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
