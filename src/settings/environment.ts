/** Reads settings from environment variables. */
import { z } from "zod";
import { UserError } from "../support/errors.js";
import { flagOf } from "../text/words.js";
import { isOneEditApart, nearestName } from "../text/spelling.js";
import { putAt, type SettingEntry } from "./setting.js";
import { ENTRIES, type SettingsInput } from "./table.js";

export type Variables = Readonly<Record<string, string | undefined>>;

const PREFIX = "CRAG_";

/**
 * @param variables usually `process.env`; empty ones count as unset
 * @throws UserError naming the variable, its value and the values that are valid
 */
export function readEnvironment(variables: Variables): {
  settings: SettingsInput;
  /** One line for each variable that looks like a misspelled setting. */
  warnings: string[];
} {
  const values: Record<string, unknown> = {};
  const known = new Set<string>();
  for (const entry of ENTRIES) {
    if (entry.env === undefined) continue;
    const names = [entry.env, ...(entry.setting.aliases ?? [])];
    for (const name of names) known.add(name);
    const name = names.find((each) => (variables[each]?.trim() ?? "") !== "");
    if (name === undefined) continue;
    putAt(values, entry.path, parseValue(name, variables[name]?.trim() ?? "", entry));
  }
  return { settings: values, warnings: misspelled(variables, known) };
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

/** Returns the shape of a value in terms of JSON Schema. */
export function shapeOf(schema: z.ZodType): Shape {
  return Shape.parse(schema.toJSONSchema({ io: "input" }));
}

/** Converts the text of a variable for its schema, which rejects what could not be converted. */
function decode(raw: string, { type, enum: choices, items }: Shape): unknown {
  switch (type) {
    case "number":
    case "integer":
      return Number(raw);
    case "boolean":
      return flagOf(raw) ?? raw;
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

/** Names the valid values, to follow "is not"; undefined if the schema's message does. */
export function expected(shape: Shape): string | undefined {
  const { type, enum: choices, minimum, maximum, items } = shape;
  if (choices !== undefined) return `one of ${choices.join(", ")}`;
  if (items?.enum !== undefined) return `a list of ${items.enum.join(", ")}`;
  if (type === "boolean") return "on or off";
  if (minimum === undefined || maximum === undefined) return undefined;
  return `${type === "integer" ? "a whole number" : "a number"} from ${minimum} to ${maximum}`;
}

/** Warns of unknown variables with our prefix, and of others that are nearly a setting's name. */
function misspelled(variables: Variables, known: ReadonlySet<string>): string[] {
  return Object.keys(variables).flatMap((name) => {
    if (known.has(name) || (variables[name]?.trim() ?? "") === "") return [];
    if (name.startsWith(PREFIX)) {
      const meant = nearestName(name, [...known]);
      return [`${name} is not a setting${meant === undefined ? "" : `: did you mean ${meant}?`}`];
    }
    const upper = name.toUpperCase();
    const isMeant = (each: string): boolean =>
      [upper, PREFIX + upper].includes(each) || isOneEditApart(upper, each);
    // A single word, such as MODEL or PROFILE, may be another program's.
    const meant = name.includes("_") && [...known].find(isMeant);
    return meant ? [`${name} is not read: the setting is called ${meant}`] : [];
  });
}
