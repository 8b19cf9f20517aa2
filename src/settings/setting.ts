/** What a row of the settings table says, and the types and names that follow from it. */
import type { z } from "zod";

/**
 * One setting. Its key is its name in code; `CRAG_` and the key in capitals its name in the environment (`topK`, `CRAG_TOP_K`); the key
 * with underscores its name in a run's context (`top_k`).
 */
export interface Setting {
  readonly schema: z.ZodType;
  readonly description: string;
  /** `run`: may differ from run to run, by the run's context. `process`: holds for the agent. */
  readonly scope: "run" | "process";
  readonly default?: unknown;
  /** What the default amounts to where it depends on something else. */
  readonly defaultMeaning?: string;
  /** The vendor's own name of the variable, in place of ours; `null` where the environment cannot say it. */
  readonly env?: string | null;
  /** Names that other programs and the specification use for the same; the first that is set counts. */
  readonly aliases?: readonly string[];
  /** Never shown. */
  readonly secret?: true;
  /** Hosts often have a `configurable` of this name for themselves, so that ours is heard under `corrective_rag` only. */
  readonly ownNamespaceOnly?: true;
  /** Nodes beside which Studio shows the setting. */
  readonly nodes?: readonly string[];
}

/** Settings that belong together, one level deep. */
export interface SettingGroup {
  readonly description: string;
  readonly settings: Readonly<Record<string, Setting>>;
}

export type SettingsTable = Readonly<Record<string, Setting | SettingGroup>>;

type ValueOf<R extends Setting> = R extends { default: unknown }
  ? z.output<R["schema"]>
  : z.output<R["schema"]> | undefined;

/** Every setting with its value; one without a default may be undefined. */
export type ValuesOf<T extends SettingsTable> = {
  readonly [K in keyof T]: T[K] extends Setting
    ? ValueOf<T[K]>
    : T[K] extends { settings: infer G extends Record<string, Setting> }
      ? { readonly [J in keyof G]: ValueOf<G[J]> }
      : never;
};

/** Settings as a caller gives them: what is left out stays open. */
export type GivenOf<T extends SettingsTable> = {
  readonly [K in keyof T]?: T[K] extends Setting
    ? z.output<T[K]["schema"]> | undefined
    : T[K] extends { settings: infer G extends Record<string, Setting> }
      ? { readonly [J in keyof G]?: z.output<G[J]["schema"]> | undefined }
      : never;
};

/** A row with its place in the table. */
export interface SettingEntry {
  /** One key, or that of its group and its own. */
  readonly path: readonly [string] | readonly [string, string];
  /** Its name in the environment, if it has one. */
  readonly env: string | undefined;
  readonly setting: Setting;
}

export function isGroup(row: Setting | SettingGroup): row is SettingGroup {
  return "settings" in row;
}

/** All rows of a table, those of groups included, in their order. */
export function entriesOf(table: SettingsTable): SettingEntry[] {
  return Object.entries(table).flatMap(([key, row]) =>
    isGroup(row)
      ? Object.entries(row.settings).map(([inner, setting]) => entryOf([key, inner], setting))
      : [entryOf([key], row)],
  );
}

function entryOf(path: SettingEntry["path"], setting: Setting): SettingEntry {
  const ours = `CRAG_${path.map(snakeCase).join("_").toUpperCase()}`;
  return { path, setting, env: setting.env === null ? undefined : (setting.env ?? ours) };
}

/** @example snakeCase("topK") // "top_k" */
export function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The same for types. */
export type SnakeCase<K extends string> = K extends `${infer Head}${infer Rest}`
  ? `${Head extends Uppercase<Head> ? `_${Lowercase<Head>}` : Head}${SnakeCase<Rest>}`
  : "";
