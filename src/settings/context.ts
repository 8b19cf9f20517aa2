/**
 * The run-time context: the settings of one run, or of an assistant in Studio, in snake_case.
 * Schema, form and types are derived from the table.
 */
import { z } from "zod";
import { UserError } from "../support/errors.js";
import { isRecord } from "../support/json.js";
import { nearestName } from "../text/spelling.js";
import { authenticatedBy } from "./principal.js";
import {
  isGroup,
  putAt,
  snakeCase,
  type Setting,
  type SettingsTable,
  type SnakeCase,
  valueAt,
} from "./setting.js";
import { ENTRIES, SETTINGS, type Settings, type SettingsInput } from "./table.js";

type Table = typeof SETTINGS;
/** A setting that a run can set, as code names it. */
export type RunKey = {
  [K in keyof Table]: Table[K] extends { scope: "run" } | { settings: unknown } ? K : never;
}[keyof Table];
type FieldOf<R> = R extends Setting
  ? z.ZodOptional<R["schema"]>
  : R extends { settings: infer G extends Record<string, Setting> }
    ? z.ZodOptional<
        z.ZodObject<{ [J in keyof G & string as SnakeCase<J>]: z.ZodOptional<G[J]["schema"]> }>
      >
    : never;
type ContextShape = { [K in RunKey as SnakeCase<K>]: FieldOf<Table[K]> };

export type ContextForm = z.ZodObject<ContextShape>;

/** Settings of one run, all optional. */
export type ContextValues = z.input<z.ZodObject<ContextShape>>;

/** Strict, to find misspelled keys. */
const ContextSchema = z.strictObject(asShape(fieldsOf(snakeCase, ["run"])));
/** The settings of a run, as code names them. */
export const RUN_KEYS = Object.entries<SettingsTable[string]>(SETTINGS).flatMap(([key, row]) =>
  isGroup(row) || row.scope === "run" ? [key as RunKey] : [],
);
const FIELDS = new Map<string, z.ZodType>(Object.entries(ContextSchema.shape));
/** The names of a run's settings. */
export const CONTEXT_FIELDS: readonly string[] = [...FIELDS.keys()];
const SettingsSchema = z.strictObject(
  Object.fromEntries(fieldsOf((key) => key, ["run", undefined])),
);

/** Casts, because the compiler cannot follow the keys of the table through a loop. */
function asShape(fields: readonly [string, z.ZodType][]): ContextShape {
  return Object.fromEntries(fields) as unknown as ContextShape;
}

function fieldsOf(
  nameOf: (key: string) => string,
  scopes: readonly Setting["scope"][],
): [string, z.ZodType][] {
  return Object.entries<SettingsTable[string]>(SETTINGS).flatMap(([key, row]) => {
    if (!isGroup(row)) return scopes.includes(row.scope) ? [[nameOf(key), fieldFor(row)]] : [];
    const inner = Object.entries(row.settings).map(([name, each]) => [
      nameOf(name),
      fieldFor(each),
    ]);
    const group = z.strictObject(Object.fromEntries(inner)).optional();
    return [[nameOf(key), group.describe(row.description)]];
  });
}

function fieldFor({ schema, description, nodes }: Setting): z.ZodType {
  return schema.optional().meta({ description, ...(nodes && { langgraph_nodes: nodes }) });
}

/**
 * Returns the schema for LangGraph, with the agent's settings as defaults but without checks: a
 * subgraph meets its host's context, where `profile: "admin"` must not fail the run. The first node
 * checks.
 */
export function contextForm(settings: Settings): ContextForm {
  const fields = Object.fromEntries(
    [...FIELDS].map(([key, field]) => {
      const { $schema: _, ...json } = field.toJSONSchema({ io: "input" });
      return [key, json];
    }),
  );
  for (const { path, setting } of ENTRIES) {
    // A default that depends on other settings would mask them when sent back unchanged.
    if (setting.scope !== "run" || setting.default === undefined) continue;
    const [key, inner] = path;
    const group = fields[snakeCase(key)];
    const field = inner === undefined ? group : group?.properties?.[snakeCase(inner)];
    Object.assign(Object(field), { default: valueAt(settings, path) });
  }
  return z.object(
    asShape(Object.entries(fields).map(([key, json]) => [key, z.unknown().meta(json).optional()])),
  );
}

/** Returns a context as settings, under the names that code uses. */
export function fromContext(context: ContextValues): SettingsInput {
  const settings: Record<string, unknown> = {};
  for (const { path } of ENTRIES) {
    const [key, inner] = path;
    const value = valueAt(
      context,
      inner === undefined ? [snakeCase(key)] : [snakeCase(key), snakeCase(inner)],
    );
    if (value !== undefined) putAt(settings, path, value);
  }
  return settings;
}

/** @throws UserError for a setting that does not exist or has a value that is not allowed */
export function checkContext(context: ContextValues): void {
  requireValid(ContextSchema, context, " for a run");
}

/** @throws UserError for a setting that does not exist or has a value that is not allowed */
export function checkGivenSettings(given: SettingsInput): void {
  requireValid(SettingsSchema, given, "");
}

function requireValid(form: z.ZodObject, given: object, whose: string): void {
  const [issue] = form.safeParse(given).error?.issues ?? [];
  if (issue === undefined) return;
  const [misspelled] = issue.code === "unrecognized_keys" ? issue.keys : [];
  const name = [...issue.path, ...(misspelled === undefined ? [] : [misspelled])].join(".");
  throw new UserError(
    misspelled === undefined
      ? `the setting ${name}${whose} is not valid: ${issue.message}`
      : `there is no setting "${name}"${whose}${didYouMean(name, form)}`,
    "see docs/configuration.md",
  );
}

function didYouMean(name: string, form: z.ZodObject): string {
  const known = Object.entries<z.ZodType>(form.shape).flatMap(([key, field]) => {
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
    return inner instanceof z.ZodObject
      ? [key, ...Object.keys(inner.shape).map((each) => `${key}.${each}`)]
      : [key];
  });
  const meant = nearestName(name, known);
  return meant === undefined ? "" : `: did you mean ${meant}?`;
}

/**
 * Reads this agent's settings from a run's context, and from its `configurable` for callers that
 * know no context. A host may use the same names there, so values that are not valid are ignored
 * with a warning. What narrows the documents must not be ignored, since the run would then see
 * more: it is refused.
 * @throws UserError
 */
export function readContext({
  context,
  configurable,
}: {
  context?: unknown;
  configurable?: unknown;
}): { context: ContextValues; warnings: string[] } {
  const warnings: string[] = [];
  const found: ContextValues = {};
  let unknown = 0;
  const take = (source: unknown, isHosts = false): void => {
    if (typeof source !== "object" || source === null) return;
    for (const [key, value] of Object.entries(source)) {
      if (value === undefined || value === null) continue;
      const field = FIELDS.get(key);
      if (isHosts && (field === undefined || CONTEXT_ONLY.has(key))) continue;
      if (field === undefined) {
        const meant = unknown++ < MAX_UNKNOWN ? didYouMean(key, ContextSchema) : "";
        if (meant !== "") warnings.push(`the run's context has no "${key}"${meant}`);
        continue;
      }
      const { data, error } = field.safeParse(isRecord(value) ? filledIn(value) : value);
      const why = error?.issues[0]?.message ?? "";
      if (error === undefined) Object.assign(found, { [key]: data });
      else if (NARROWING.has(key)) throw new UserError(why);
      else warnings.push(`${key} in the run's context is ignored: ${why}`);
    }
  };
  take(configurable, true);
  take(context);
  const authenticated = authenticatedBy(configurable);
  if (authenticated !== undefined) found.principal = authenticated;
  return { context: found, warnings };
}

/** Drops empty fields of a form. */
function filledIn(group: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(group).filter(([, value]) => value !== null));
}

/** Further unknown keys are ignored silently: a client may send ten thousands. */
const MAX_UNKNOWN = 50;

const NARROWING: ReadonlySet<string> = new Set(["filter", "knowledge_base", "principal"]);

const CONTEXT_ONLY = new Set(
  ENTRIES.flatMap(({ path, setting }) => (setting.contextOnly ? [snakeCase(path[0])] : [])),
);
