/** Mistakes that a caller's compiler would have shown, for callers who have none: unknown names, and values that are not allowed. */
import { UserError } from "../support/errors.js";
import { entriesOf, isGroup, type SettingsTable } from "../settings/setting.js";
import { SETTINGS, type SettingsInput } from "../settings/table.js";
import { nearestName } from "../support/nearest-name.js";
import { OPTION_SHAPES } from "./option-shapes.js";
import type { AssembleOptions } from "./options.js";

/** @throws UserError for an option that does not exist or is not what it must be, and for two sources of evidence where there can be one */
export function checkOptions(options: AssembleOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (isOption(name)) {
      const { fits, wants } = OPTION_SHAPES[name];
      if (value === undefined || fits(value)) continue;
      throw new UserError(
        `the option ${name} of createCorrectiveRag is ${shown(value)}`,
        `it must be ${wants}`,
      );
    }
    const isSetting = name in SETTINGS;
    throw new UserError(
      `createCorrectiveRag has no option "${name}"`,
      isSetting
        ? `settings go into settings: { settings: { ${name}: … } }`
        : `there are: ${Object.keys(OPTION_SHAPES).join(", ")}`,
    );
  }
  const sources = (["knowledgeBase", "retriever", "vectorStore"] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (sources.length > 1)
    throw new UserError(
      `createCorrectiveRag was given ${sources.join(" and ")}`,
      "one of them is searched: leave out the others",
    );
}

function isOption(name: string): name is keyof AssembleOptions {
  return Object.hasOwn(OPTION_SHAPES, name);
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  if (Array.isArray(value)) return "a list of other things";
  return typeof value === "object" && value !== null ? "something else" : String(value);
}

/** @throws UserError for a setting that does not exist, or whose value is not allowed */
export function checkSettings(given: SettingsInput): void {
  for (const [key, value] of Object.entries(given)) checkNames(SETTINGS, key, value);
  for (const { path, setting } of entriesOf(SETTINGS)) {
    const [key, inner] = path;
    const own: unknown = Reflect.get(given, key);
    const value: unknown = inner === undefined ? own : Reflect.get(Object(own), inner);
    if (value === undefined) continue;
    const checked = setting.schema.safeParse(value);
    if (!checked.success)
      throw new UserError(
        `the setting ${path.join(".")} is not valid: ${checked.error.issues[0]?.message ?? ""}`,
        "see docs/configuration.md",
      );
  }
}

function checkNames(table: SettingsTable, key: string, value: unknown): void {
  const row = Object.hasOwn(table, key) ? table[key] : undefined;
  if (row === undefined) {
    const meant = nearestName(key, Object.keys(table));
    throw new UserError(
      `there is no setting "${key}"${meant === undefined ? "" : `: did you mean ${meant}?`}`,
      "see docs/configuration.md",
    );
  }
  if (isGroup(row))
    for (const name of Object.keys(Object(value))) checkNames(row.settings, name, undefined);
}
