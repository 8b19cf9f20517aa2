/**
 * The run-time context: the settings of one run, or of one assistant in Studio, under their
 * snake_case names. Schema, form and types are made from the table.
 */
import { z } from "zod";
import { UserError } from "../support/errors.js";
import { nearestName } from "../support/nearest-name.js";
import {
  entriesOf,
  isGroup,
  snakeCase,
  type Setting,
  type SettingsTable,
  type SnakeCase,
} from "./setting.js";
import { SETTINGS, type Settings, type SettingsInput } from "./table.js";

type Table = typeof SETTINGS;
type RunKey = {
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

/** Settings of one run; every key may be absent. */
export type ContextValues = z.input<z.ZodObject<ContextShape>>;

/** Under this key a host passes settings that are meant for this agent and nobody else. */
export const NAMESPACE = "corrective_rag";

/** Strict, so that a misspelt key is found. */
const ContextSchema = z.strictObject(asShape(fieldsOf({ nameOf: snakeCase, scopes: ["run"] })));
const SettingsSchema = z.strictObject(
  Object.fromEntries(fieldsOf({ nameOf: (key) => key, scopes: ["run", undefined] })),
);

/** The only cast of this room: the compiler cannot follow the keys of the table through a loop. */
function asShape(fields: readonly [string, z.ZodType][]): ContextShape {
  return Object.fromEntries(fields) as unknown as ContextShape;
}

function fieldsOf({
  nameOf,
  scopes,
}: {
  nameOf: (key: string) => string;
  scopes: readonly Setting["scope"][];
}): [string, z.ZodType][] {
  const fields: [string, z.ZodType][] = [];
  for (const [key, row] of Object.entries<SettingsTable[string]>(SETTINGS)) {
    if (isGroup(row)) {
      const inner = Object.entries(row.settings).map(([name, each]) => [
        nameOf(name),
        fieldFor(each),
      ]);
      const group: z.ZodType = z.strictObject(Object.fromEntries(inner)).optional();
      fields.push([nameOf(key), group.describe(row.description)]);
    } else if (scopes.includes(row.scope)) fields.push([nameOf(key), fieldFor(row)]);
  }
  return fields;
}

function fieldFor({ schema, description, nodes }: Setting): z.ZodType {
  return schema.optional().meta({ description, ...(nodes && { langgraph_nodes: nodes }) });
}

/**
 * The schema that LangGraph is given: the same form, with the agent's settings as its defaults, but
 * no checks. As a subgraph the agent meets the context of its host, and `profile: "admin"` there
 * must not fail the run; the first node checks.
 */
export function contextForm(settings: Settings): ContextForm {
  const fields = Object.fromEntries(
    Object.entries<z.ZodType>(ContextSchema.shape).map(([key, field]) => {
      const { $schema: _, ...json } = field.toJSONSchema({ io: "input" });
      return [key, json];
    }),
  );
  for (const { path, setting } of entriesOf(SETTINGS)) {
    // Where the default depends on other settings the form shows none: sent back unchanged, it
    // would mask them.
    if (setting.scope !== "run" || setting.default === undefined) continue;
    const [key, inner] = path;
    const field = fields[snakeCase(key)];
    const value: unknown = Reflect.get(settings, key);
    if (inner === undefined) Object.assign(Object(field), { default: value });
    else
      Object.assign(Object(field?.properties?.[snakeCase(inner)]), {
        default: Reflect.get(Object(value) as object, inner) as unknown,
      });
  }
  return z.object(
    asShape(Object.entries(fields).map(([key, json]) => [key, z.unknown().meta(json).optional()])),
  );
}

/** A context under the names that code uses. */
export function fromContext(context: ContextValues): SettingsInput {
  const given = new Map<string, unknown>(Object.entries(context));
  return Object.fromEntries(
    Object.entries<SettingsTable[string]>(SETTINGS).flatMap(([key, row]) => {
      const value = given.get(snakeCase(key));
      if (value === undefined) return [];
      if (!isGroup(row)) return [[key, value]];
      const inner = Object.keys(row.settings).flatMap((name) => {
        const each: unknown = Reflect.get(Object(value), snakeCase(name));
        return each === undefined ? [] : [[name, each]];
      });
      return [[key, Object.fromEntries(inner)]];
    }),
  );
}

/** @throws UserError for a setting that does not exist or has a value that is not allowed */
export function checkContext(context: ContextValues): void {
  requireValid(ContextSchema, context, " for a run");
}

/** @throws UserError for a setting that does not exist or has a value that is not allowed */
export function checkSettings(given: SettingsInput): void {
  requireValid(SettingsSchema, given, "");
}

function requireValid(form: z.ZodObject, given: object, whose: string): void {
  const [issue] = form.safeParse(given).error?.issues ?? [];
  if (issue === undefined) return;
  const [misspelt] = issue.code === "unrecognized_keys" ? issue.keys : [];
  const name = [...issue.path, ...(misspelt === undefined ? [] : [misspelt])].join(".");
  throw new UserError(
    misspelt === undefined
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
 * Finds what is meant for this agent in a run's configuration. What stands under `corrective_rag`,
 * in the context or in `configurable`, is ours alone. Beside it, a host may keep settings of its
 * own under names that we use: what is not valid for us is left out and said.
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
  const take = (source: unknown, isHosts = false): void => {
    if (typeof source !== "object" || source === null) return;
    for (const [key, value] of Object.entries(source)) {
      if (value === undefined || value === null || key === NAMESPACE) continue;
      const field = fieldOf(key);
      if (isHosts && (field === undefined || OWN_ONLY.has(key))) continue;
      const checked = field?.safeParse(value);
      if (checked?.success === true) Object.assign(found, { [key]: checked.data });
      else if (checked !== undefined)
        warnings.push(
          `${key} in the run's context is left out: ${checked.error.issues[0]?.message ?? "it is not valid"}`,
        );
      else {
        const meant = didYouMean(key, ContextSchema);
        if (meant !== "") warnings.push(`the run's context has no "${key}"${meant}`);
      }
    }
  };
  take(configurable, true);
  take(context);
  take(Reflect.get(Object(configurable), NAMESPACE));
  take(Reflect.get(Object(context), NAMESPACE));
  return { context: found, warnings };
}

const OWN_ONLY = new Set(
  Object.entries<SettingsTable[string]>(SETTINGS).flatMap(([key, row]) =>
    !isGroup(row) && row.ownNamespaceOnly ? [snakeCase(key)] : [],
  ),
);

function fieldOf(key: string): z.ZodType | undefined {
  const fields: Readonly<Record<string, z.ZodType>> = ContextSchema.shape;
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
