/** Reads the environment by the table of variables. A malformed value is a user's mistake, named in one line. */
import { UserError } from "./user-error.js";
import { VARIABLES, type Variable, type VariableKind, type VariableName } from "./variables.js";

type ValueOf<K extends VariableKind> = K extends { kind: "integer" | "number" }
  ? number
  : K extends { kind: "switch" }
    ? boolean
    : K extends { kind: "list" }
      ? string[]
      : K extends { kind: "choice"; values: readonly (infer V)[] }
        ? V
        : string;

type HasDefault<V extends Variable> = V extends { default: string } ? true : false;

/** Typed values by variable name; one without a value and without a default is `undefined`. */
export type Environment = {
  readonly [N in VariableName]: HasDefault<(typeof VARIABLES)[N]> extends true
    ? ValueOf<(typeof VARIABLES)[N]["type"]>
    : ValueOf<(typeof VARIABLES)[N]["type"]> | undefined;
} & {
  /** The variables that were really set, as opposed to defaulted. */
  readonly explicit: ReadonlySet<VariableName>;
};

/**
 * @param source usually `process.env`; empty strings count as unset
 * @throws UserError naming the variable, its value and what would be right
 */
export function readEnvironment(source: Readonly<Record<string, string | undefined>>): Environment {
  const values: Record<string, unknown> = {};
  const explicit = new Set<VariableName>();
  for (const [name, variable] of Object.entries<Variable>(VARIABLES)) {
    const given = source[name]?.trim();
    if (given) explicit.add(name as VariableName);
    const raw = given || variable.default;
    values[name] = raw === undefined ? undefined : parseValue(name, variable.type, raw);
  }
  return Object.assign(values, { explicit }) as unknown as Environment;
}

function parseValue(
  name: string,
  type: VariableKind,
  raw: string,
): string | number | boolean | string[] {
  switch (type.kind) {
    case "text":
    case "secret":
      return raw;
    case "url":
      return parseUrl(name, raw);
    case "choice":
      if (type.values.includes(raw.toLowerCase())) return raw.toLowerCase();
      throw malformed(name, raw, `one of ${type.values.join(", ")}`);
    case "list":
      return parseList(name, raw, type.values);
    case "name":
      if (raw.startsWith(type.prefix) || type.values.includes(raw)) return raw;
      throw malformed(name, raw, `one of ${type.values.join(", ")} or ${type.prefix}…`);
    case "switch":
      if (/^(on|true|1|yes)$/i.test(raw)) return true;
      if (/^(off|false|0|no)$/i.test(raw)) return false;
      throw malformed(name, raw, "on or off");
    case "integer":
    case "number": {
      const value = Number(raw);
      const whole = type.kind === "integer";
      if (
        Number.isFinite(value) &&
        value >= type.min &&
        value <= type.max &&
        (!whole || Number.isInteger(value))
      )
        return value;
      throw malformed(
        name,
        raw,
        `${whole ? "a whole number" : "a number"} from ${type.min} to ${type.max}`,
      );
    }
    default:
      return type satisfies never;
  }
}

function parseList(name: string, raw: string, values: readonly string[] | undefined): string[] {
  const parts = raw
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const wrong = parts.find((part) => values?.includes(part.toLowerCase()) === false);
  if (wrong !== undefined) throw malformed(name, wrong, `among ${values?.join(", ") ?? ""}`);
  return parts;
}

function parseUrl(name: string, raw: string): string {
  const parsed = URL.canParse(raw) ? new URL(raw) : undefined;
  if (parsed?.protocol === "http:" || parsed?.protocol === "https:") return raw.replace(/\/+$/, "");
  throw malformed(name, raw, "a URL that begins with http:// or https://");
}

function malformed(name: string, raw: string, expected: string): UserError {
  const isSecret = (VARIABLES as Record<string, Variable>)[name]?.type.kind === "secret";
  return new UserError(
    `${name}=${isSecret ? "***" : raw} is not ${expected}`,
    `correct ${name} in the environment or in .env`,
  );
}
