/** The rows of the settings table, and the types and names derived from them. */
import { z } from "zod";
import { withoutEndSlash } from "../support/web-address.js";

/**
 * One setting. Its key is its name in code (`topK`); its names in the environment (`CRAG_TOP_K`)
 * and in a run's context (`top_k`) follow from it.
 */
export interface Setting {
  readonly schema: z.ZodType;
  readonly description: string;
  /** Can be set per run, in its context; otherwise the setting holds for the agent. */
  readonly scope?: "run";
  readonly default?: unknown;
  /** Describes a default that depends on something else. */
  readonly defaultMeaning?: string;
  /** The vendor's name of the variable; `null` if the environment cannot set it. */
  readonly env?: string | null;
  /** Names from other programs and the specification; the first one set counts. */
  readonly aliases?: readonly string[];
  /** Never shown. */
  readonly secret?: true;
  /** Not read from `configurable`, where hosts use this name for themselves. */
  readonly contextOnly?: true;
  /** Nodes at which Studio shows the setting. */
  readonly nodes?: readonly string[];
}

type Options = Omit<Setting, "schema" | "description">;

/** Makes a row of the table. */
export function setting<S extends z.ZodType, const O extends Options = object>(
  schema: S,
  description: string,
  options?: O,
): { schema: S; description: string } & O;
export function setting(schema: z.ZodType, description: string, options: Options = {}): Setting {
  return { schema, description, ...options };
}

/** Makes a row that can also be set per run, in its context. */
export function perRun<S extends z.ZodType, const O extends Options = object>(
  schema: S,
  description: string,
  options?: O,
): { schema: S; description: string; scope: "run" } & O;
export function perRun(schema: z.ZodType, description: string, options: Options = {}): Setting {
  return { schema, description, scope: "run", ...options };
}

/** Shapes that settings share. */
export const text = z.string().trim().min(1);
export const url = z
  .url({ protocol: /^https?$/, error: "a URL that begins with http:// or https://" })
  .overwrite(withoutEndSlash);
/** The origin of a URL, as browsers state it. */
export const origin = url.overwrite((address) =>
  URL.canParse(address) ? new URL(address).origin : address,
);
/** The name of a host, as `URL` states it: without port, in lower case. */
export const host = text
  .refine((name) => !name.includes("/") && URL.canParse(`http://${name}`), {
    error: "a list of host names, such as rag.example.com",
    abort: true,
  })
  .overwrite((name) => new URL(`http://${name}`).hostname);
export const flag = z.boolean();
export const share = z.number().min(0).max(1);
export const seconds = z.number().min(0.05).max(86_400);
export const integer = (min: number, max: number) => z.number().int().min(min).max(max);
export const words = z.array(text);
/** For keys and folders: an empty list would let everybody in. */
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

/** Settings as a caller gives them, all optional. */
export type GivenOf<T extends SettingsTable> = {
  readonly [K in keyof T]?: T[K] extends Setting
    ? z.output<T[K]["schema"]> | undefined
    : T[K] extends { settings: infer G extends Record<string, Setting> }
      ? { readonly [J in keyof G]?: z.output<G[J]["schema"]> | undefined }
      : never;
};

/** A row with its place in the table. */
export interface SettingEntry {
  /** Its key, after that of its group if it has one. */
  readonly path: readonly [string] | readonly [string, string];
  /** Its name in the environment, if it has one. */
  readonly env: string | undefined;
  readonly setting: Setting;
}

export function isGroup(row: Setting | SettingGroup): row is SettingGroup {
  return "settings" in row;
}

/** Returns all rows of a table in order, those of groups included. */
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

export function valueAt(values: object, [key, inner]: SettingEntry["path"]): unknown {
  const value: unknown = Reflect.get(values, key);
  return inner === undefined ? value : Reflect.get(Object(value) as object, inner);
}

/** Puts a value at its place in nested settings. */
export function putAt(
  values: Record<string, unknown>,
  [key, inner]: SettingEntry["path"],
  value: unknown,
): void {
  values[key] = inner === undefined ? value : { ...Object(values[key]), [inner]: value };
}

/** @example snakeCase("topK") // "top_k" */
export function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The same for types. */
export type SnakeCase<K extends string> = K extends `${infer Head}${infer Rest}`
  ? `${Head extends Uppercase<Head> ? `_${Lowercase<Head>}` : Head}${SnakeCase<Rest>}`
  : "";
