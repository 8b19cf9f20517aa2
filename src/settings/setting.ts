/** What a row of the settings table says, and the types and names that follow from it. */
import { z } from "zod";

/**
 * One setting. Its key is its name in code; `CRAG_` and the key in capitals its name in the
 * environment (`topK`, `CRAG_TOP_K`); the key with underscores its name in a run's context
 * (`top_k`).
 */
export interface Setting {
  readonly schema: z.ZodType;
  readonly description: string;
  /**
   * May differ from run to run, by the run's context; without it the setting holds for the agent.
   */
  readonly scope?: "run";
  readonly default?: unknown;
  /** What the default amounts to where it depends on something else. */
  readonly defaultMeaning?: string;
  /** The vendor's own name of the variable; `null` where the environment cannot say it. */
  readonly env?: string | null;
  /** Names that other programs and the specification use; the first that is set counts. */
  readonly aliases?: readonly string[];
  /** Never shown. */
  readonly secret?: true;
  /** Hosts often have a `configurable` of this name: ours is heard under `corrective_rag` only. */
  readonly ownNamespaceOnly?: true;
  /** Nodes beside which Studio shows the setting. */
  readonly nodes?: readonly string[];
}

type Options = Omit<Setting, "schema" | "description">;

/** Makes a row of the table. */
export function setting<S extends z.ZodType>(
  schema: S,
  description: string,
): { schema: S; description: string };
export function setting<S extends z.ZodType, const O extends Options>(
  schema: S,
  description: string,
  options: O,
): { schema: S; description: string } & O;
export function setting(schema: z.ZodType, description: string, options: Options = {}): Setting {
  return { schema, description, ...options };
}

/** Shapes that several settings share. */
export const text = z.string().trim().min(1);
export const url = z
  .url({ protocol: /^https?$/, error: "a URL that begins with http:// or https://" })
  .overwrite((address) => address.replace(/\/+$/, ""));
export const flag = z.boolean();
export const share = z.number().min(0).max(1);
export const seconds = z.number().min(0.05).max(86_400);
export const integer = (min: number, max: number) => z.number().int().min(min).max(max);
export const words = z.array(text);
/** For keys and folders, where an empty list would let everybody in. */
export const someWords = words.min(1, "a list with at least one entry");

/** Settings that belong together, one level deep. */
interface SettingGroup {
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
      ? Object.entries(row.settings).map(([inner, each]) => entryOf([key, inner], each))
      : [entryOf([key], row)],
  );
}

function entryOf(path: SettingEntry["path"], row: Setting): SettingEntry {
  const ours = `CRAG_${path.map(snakeCase).join("_").toUpperCase()}`;
  return { path, setting: row, env: row.env === null ? undefined : (row.env ?? ours) };
}

/** @example snakeCase("topK") // "top_k" */
export function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The same for types. */
export type SnakeCase<K extends string> = K extends `${infer Head}${infer Rest}`
  ? `${Head extends Uppercase<Head> ? `_${Lowercase<Head>}` : Head}${SnakeCase<Rest>}`
  : "";
