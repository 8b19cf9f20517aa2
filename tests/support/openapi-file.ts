/**
 * Checks requests and answers against an OpenAPI 3.0 file: as much of JSON schema as such files use. Stricter in one place: where a schema
 * lists its properties, others are refused, since a misspelt optional field would otherwise pass.
 */
import { readFileSync } from "node:fs";
import type { QdrantExchange } from "./qdrant-contract.js";

type Json = Readonly<Record<string, unknown>>;

/** Gives the check: all ways in which an exchange is not as the file says. */
export function openApiFile(file: string): (exchange: QdrantExchange) => string[] {
  return openApiCheck(JSON.parse(readFileSync(file, "utf8")));
}

export function openApiCheck(description: unknown): (exchange: QdrantExchange) => string[] {
  const root = objectOf(description);
  const paths = Object.entries(objectOf(root["paths"])).map(([template, methods]) => ({
    template,
    expression: new RegExp(`^${template.replace(/\{[^}]+\}/g, "[^/]+")}$`),
    methods: objectOf(methods),
  }));
  return ({ method, pathname, parameters, request, status, answer }) => {
    const route = `${method} ${pathname}`;
    const found = paths
      .filter(
        ({ expression, methods }) => expression.test(pathname) && method.toLowerCase() in methods,
      )
      .sort((a, b) => a.template.split("{").length - b.template.split("{").length)[0];
    if (found === undefined) return [`${route}: the file has no such operation`];
    const operation = objectOf(found.methods[method.toLowerCase()]);
    const schemaIn = (holder: unknown): unknown =>
      at(holder, ["content", "application/json", "schema"]);
    const body = schemaIn(operation["requestBody"]);
    const responses = objectOf(operation["responses"]);
    const expected = schemaIn(
      responses[String(status)] ??
        responses[`${Math.floor(status / 100)}XX`] ??
        responses["default"],
    );
    const known = listOf(operation["parameters"]).map((parameter) => at(parameter, ["name"]));
    return [
      ...Object.keys(parameters)
        .filter((name) => !known.includes(name))
        .map((name) => `parameter ${name} is unknown`),
      ...(body === undefined ? [] : problemsOf(root, body, request, "request")),
      ...(expected === undefined ? [] : problemsOf(root, expected, answer, "answer")),
    ].map((problem) => `${route}: ${problem}`);
  };
}

function problemsOf(root: Json, schema: unknown, value: unknown, where: string): string[] {
  const node = objectOf(schema);
  const wrong = (expected: string): string[] => [
    `${where}: expected ${expected}, got ${(JSON.stringify(value) ?? "nothing").slice(0, 60)}`,
  ];
  if (typeof node["$ref"] === "string")
    return problemsOf(root, at(root, node["$ref"].replace(/^#\//, "").split("/")), value, where);
  if (value === null && node["nullable"] === true) return [];
  const alternatives = node["anyOf"] ?? node["oneOf"];
  if (Array.isArray(alternatives)) {
    const attempts = alternatives.map((each) => problemsOf(root, each, value, where));
    return attempts.some((problems) => problems.length === 0)
      ? []
      : (attempts.sort((a, b) => a.length - b.length)[0] ?? []);
  }
  if (Array.isArray(node["allOf"]))
    return node["allOf"].flatMap((each) => problemsOf(root, each, value, where));
  // `{ "nullable": true }` alone stands for null, not for anything.
  if (node["type"] === undefined && node["enum"] === undefined)
    return "nullable" in node ? wrong("null") : [];
  if (Array.isArray(node["enum"]) && !node["enum"].includes(value))
    return wrong(`one of ${node["enum"].join(", ")}`);
  switch (node["type"]) {
    case "object":
      return isObject(value) ? problemsOfObject(root, node, value, where) : wrong("an object");
    case "array":
      return Array.isArray(value)
        ? value.flatMap((item, index) =>
            problemsOf(root, node["items"], item, `${where}[${index}]`),
          )
        : wrong("a list");
    case "integer":
      return Number.isInteger(value) && withinBounds(node, Number(value))
        ? []
        : wrong(`a whole number${boundsOf(node)}`);
    case "number":
      return Number.isFinite(value) && withinBounds(node, Number(value))
        ? []
        : wrong(`a number${boundsOf(node)}`);
    case "boolean":
      return typeof value === "boolean" ? [] : wrong("true or false");
    case "string":
      return typeof value === "string" && hasFormat(node["format"], value)
        ? []
        : wrong(
            typeof node["format"] === "string"
              ? `a string of the form ${node["format"]}`
              : "a string",
          );
    default:
      return [];
  }
}

function problemsOfObject(root: Json, node: Json, value: Json, where: string): string[] {
  const properties = objectOf(node["properties"]);
  const rest = node["additionalProperties"];
  return [
    ...listOf(node["required"])
      .filter((name) => !(String(name) in value))
      .map((name) => `${where}.${String(name)} is missing`),
    ...Object.entries(value).flatMap(([name, inner]) => {
      if (name in properties) return problemsOf(root, properties[name], inner, `${where}.${name}`);
      if (isObject(rest)) return problemsOf(root, rest, inner, `${where}.${name}`);
      return rest === true || (rest === undefined && Object.keys(properties).length === 0)
        ? []
        : [`${where}.${name} is unknown`];
    }),
  ];
}

function withinBounds({ minimum, maximum }: Json, value: number): boolean {
  return (
    (typeof minimum !== "number" || value >= minimum) &&
    (typeof maximum !== "number" || value <= maximum)
  );
}

function boundsOf({ minimum, maximum }: Json): string {
  return `${typeof minimum === "number" ? ` from ${minimum}` : ""}${typeof maximum === "number" ? ` to ${maximum}` : ""}`;
}

function hasFormat(format: unknown, value: string): boolean {
  if (format === "uuid") return /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(value);
  return format !== "date-time" || !Number.isNaN(Date.parse(value));
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner: unknown, name) => (isObject(inner) ? inner[name] : undefined), value);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
