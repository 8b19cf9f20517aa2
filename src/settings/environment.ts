/** Reads settings from environment variables, by the table. */
import { z } from "zod";
import { UserError } from "../support/errors.js";
import { nearestName } from "../support/nearest-name.js";
import { entriesOf, type SettingEntry } from "./setting.js";
import { SETTINGS, type SettingsInput } from "./table.js";

export type Variables = Readonly<Record<string, string | undefined>>;

const PREFIX = "CRAG_";

/**
 * @param variables usually `process.env`; empty ones count as unset
 * @throws UserError naming the variable, its value and what would be right
 */
export function readEnvironment(variables: Variables): {
  settings: SettingsInput;
  /** Variables that look like ours and are none, a line each. */
  warnings: string[];
} {
  const values: Record<string, unknown> = {};
  const known = new Set<string>();
  for (const entry of entriesOf(SETTINGS)) {
    if (entry.env === undefined) continue;
    const names = [entry.env, ...(entry.setting.aliases ?? [])];
    for (const name of names) known.add(name);
    const name = names.find((each) => (variables[each]?.trim() ?? "") !== "");
    if (name === undefined) continue;
    const [key, inner] = entry.path;
    const value = parseValue(name, variables[name]?.trim() ?? "", entry);
    values[key] = inner === undefined ? value : { ...Object(values[key]), [inner]: value };
  }
  return { settings: values, warnings: strangers(variables, known) };
}

function parseValue(name: string, raw: string, { setting }: SettingEntry): unknown {
  const shape = shapeOf(setting.schema);
  const checked = setting.schema.safeParse(decode(raw, shape));
  if (checked.success) return checked.data;
  const right = expected(shape) ?? checked.error.issues[0]?.message ?? "allowed";
  throw new UserError(
    `${name}=${setting.secret ? "***" : raw} is not ${right}`,
    `correct ${name} in the environment or in .env`,
  );
}

const Shape = z.object({
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  items: z.object({ enum: z.array(z.string()).optional() }).optional(),
});
type Shape = z.output<typeof Shape>;

/** What a value must look like, as JSON Schema says it. */
export function shapeOf(schema: z.ZodType): Shape {
  return Shape.parse(schema.toJSONSchema({ io: "input" }));
}

const ON = ["on", "true", "1", "yes"];
const OFF = ["off", "false", "0", "no"];

/**
 * The text of a variable in the form that its schema wants; what does not fit is left for the
 * schema to refuse.
 */
function decode(raw: string, { type, enum: choices, items }: Shape): unknown {
  switch (type) {
    case "number":
    case "integer":
      return Number(raw);
    case "boolean":
      if (ON.includes(raw.toLowerCase())) return true;
      return OFF.includes(raw.toLowerCase()) ? false : raw;
    case "array": {
      const parts = raw.split(",").map((part) => part.trim());
      return parts
        .filter((part) => part !== "")
        .map((part) => (items?.enum === undefined ? part : part.toLowerCase()));
    }
    case undefined:
    default:
      return choices === undefined ? raw : raw.toLowerCase();
  }
}

/** What would be right, to follow "is not"; undefined where the schema says it in its own words. */
export function expected({
  type,
  enum: choices,
  minimum,
  maximum,
  items,
}: Shape): string | undefined {
  if (choices !== undefined) return `one of ${choices.join(", ")}`;
  if (items?.enum !== undefined) return `a list of ${items.enum.join(", ")}`;
  if (type === "boolean") return "on or off";
  if (minimum === undefined || maximum === undefined) return undefined;
  return `${type === "integer" ? "a whole number" : "a number"} from ${minimum} to ${maximum}`;
}

/** Names that begin like ours, or lack our prefix only, and are read by nobody. */
function strangers(variables: Variables, known: ReadonlySet<string>): string[] {
  return Object.keys(variables).flatMap((name) => {
    if (known.has(name) || (variables[name]?.trim() ?? "") === "") return [];
    if (name.startsWith(PREFIX)) {
      const meant = nearestName(name, [...known]);
      return [`${name} is no setting${meant === undefined ? "" : `: did you mean ${meant}?`}`];
    }
    // One word alone, MODEL or PROFILE, may well be another program's.
    return name.includes("_") && known.has(PREFIX + name)
      ? [`${name} is not read: the setting is called ${PREFIX}${name}`]
      : [];
  });
}
