/** Metadata of documents: typed, bounded, read from whatever a source carries. */
import { z } from "zod";
import { instantsOf, type Scalar } from "../settings/filter.js";
import { isRecord } from "../support/json.js";
import { cutText, oneLine } from "../text/words.js";

const scalar = z.union([z.string(), z.number(), z.boolean()]);
export const MetadataSchema = z.record(z.string(), z.union([scalar, z.array(scalar)]));
/** Values by key: strings, numbers, booleans, dates as ISO 8601 strings, and lists of them. */
export type Metadata = z.infer<typeof MetadataSchema>;

/** Who may see a document: identities and groups. One that names neither is for everybody. */
export const PERMISSION_KEYS = ["users", "groups"] as const;

const MAX_KEYS = 50;
const MAX_KEY = 64;
const MAX_STRING = 500;
const MAX_LIST = 50;
/** Evidence carries its metadata through every checkpoint. */
const MAX_CHARACTERS = 4_000;
const MAX_DEPTH = 3;

/**
 * Reads metadata, such as YAML or that of a LangChain document: dates become ISO 8601, fields of
 * objects get dotted names, and what is empty, too long or too deep is cut or left out.
 */
export function readMetadata(given: unknown): Metadata {
  const metadata: Metadata = {};
  let characters = 0;
  const take = (name: string, value: unknown, depth: number): void => {
    const written = oneLine(name).normalize("NFC");
    const isPermission = isPermissionKey(written);
    const key = isPermission ? written.toLowerCase() : written;
    if (key === "" || key.length > MAX_KEY || key === "__proto__") return;
    if (isRecord(value) && !(value instanceof Date) && !Array.isArray(value) && !isPermission) {
      if (depth < MAX_DEPTH)
        for (const [inner, each] of Object.entries(value)) take(`${key}.${inner}`, each, depth + 1);
      return;
    }
    const list = (Array.isArray(value) ? value : [value]) as unknown[];
    const values = list.flatMap((each) => scalarIn(each) ?? []);
    // A permission that names nobody is for nobody.
    if (isPermission) metadata[key] = values.map(String);
    const [first] = values;
    if (isPermission || first === undefined || Object.keys(metadata).length >= MAX_KEYS) return;
    const kept = Array.isArray(value) ? values.slice(0, MAX_LIST) : first;
    characters += key.length + JSON.stringify(kept).length;
    if (characters <= MAX_CHARACTERS) metadata[key] = kept;
  };
  if (isRecord(given)) for (const [key, value] of Object.entries(given)) take(key, value, 1);
  return metadata;
}

function scalarIn(value: unknown): Scalar | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (typeof value !== "string") return undefined;
  return cutText(oneLine(value), MAX_STRING).normalize("NFC") || undefined;
}

/** True for `Groups` too, because who writes that means it. */
export function isPermissionKey(key: string): boolean {
  return PERMISSION_KEYS.some((each) => each === key.toLowerCase());
}

/**
 * Merges metadata, the nearest first. Users and groups belong together: the nearest that names
 * either decides on both.
 */
export function mergeMetadata(...nearestFirst: readonly (Metadata | undefined)[]): Metadata {
  const given = nearestFirst.filter((each) => each !== undefined);
  const decisive = given.find((each) => Object.keys(each).some(isPermissionKey));
  const merged: Metadata = {};
  for (const each of given)
    for (const [key, value] of Object.entries(each))
      if (!(key in merged) && (each === decisive || !isPermissionKey(key))) merged[key] = value;
  return merged;
}

/** Leaves out who may see the document. */
export function withoutPermissions(metadata: Metadata): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !isPermissionKey(key)));
}

/** A value in the forms in which a filter may compare it. */
export interface FilterFact {
  key: string;
  text?: string;
  number?: number;
  /** Milliseconds since the epoch. */
  instant?: number;
}

/** What a filter is tested on. */
export interface Filterable {
  kind: string;
  modifiedAt?: string | undefined;
  metadata?: Metadata | undefined;
}

/** Returns what is known of a document or passage, `kind` and `date` included. */
export function filterFactsOf({ kind, modifiedAt, metadata = {} }: Filterable): FilterFact[] {
  const facts: FilterFact[] = [{ key: "kind", text: kind }];
  for (const [key, value] of Object.entries(metadata)) {
    if (key === "kind" || key === "path") continue;
    const values = (Array.isArray(value) ? value : [value]).map((each) => filterFactOf(key, each));
    facts.push(...(values.length === 0 ? [{ key }] : values));
  }
  const isDated = facts.some(({ key, instant }) => key === "date" && instant !== undefined);
  return isDated || modifiedAt === undefined ? facts : [...facts, filterFactOf("date", modifiedAt)];
}

function filterFactOf(key: string, value: Scalar): FilterFact {
  const text = String(value);
  const number = typeof value === "boolean" || text.trim() === "" ? NaN : Number(value);
  const instant = instantsOf(text)?.start;
  return {
    key,
    text,
    ...(Number.isFinite(number) && { number }),
    ...(instant !== undefined && { instant }),
  };
}

/** Prints a few entries for people: `department: hr, year: 2025`. */
export function describeMetadata(metadata: Metadata | undefined, maxCharacters = 80): string {
  const entries = Object.entries(withoutPermissions(metadata ?? {})).map(
    ([key, value]) => `${key}: ${[value].flat().join(" / ")}`,
  );
  return cutText(entries.join(", "), maxCharacters);
}
