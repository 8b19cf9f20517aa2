/**
 * Reads JSON from whatever a model wrote (fenced, in prose, after its thinking, malformed, cut
 * off), and fits it to a schema; reads the scores that a judge wrote. Pure; never throws.
 */
import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import { cellsOf } from "../answering/plain-text.js";
import { unitScore } from "../grading/judgement.js";
import { isRecord, parsedJson } from "../support/json.js";
import { flagOf } from "../text/words.js";
import { withoutThinking } from "./answer-filter.js";

export type Parsed<T> = { success: true; value: T } | { success: false; error: string };

const MAX_JSON_CHARACTERS = 50_000;
const MAX_SPANS = 40;
/** Of brackets in each other. */
const MAX_DEPTH = 20;

/** Letters only, in lower case: models write "Relevance-Score" for "relevance_score". */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, "");
}

/**
 * Yields the values that the answer may mean, the likeliest first: the whole text, its objects, its
 * lists outside of objects (last first, outer before inner), and what can be read of a text that
 * was cut off.
 */
export function* jsonCandidates(answer: string): Generator {
  const text = withoutThinking(answer).trim().slice(0, MAX_JSON_CHARACTERS);
  const spans = bracketSpans(text);
  const objects = spans.filter(([start]) => text[start] === "{");
  const lists = spans.filter(
    ([start, end]) =>
      text[start] === "[" && !objects.some(([from, to]) => from < start && end < to),
  );
  const first = text.search(/[[{]/);
  const pieces = [...objects, ...lists].map((span) => text.slice(...span));
  yield parsedJson(text);
  for (const piece of first === -1 ? [] : [...pieces, text.slice(first)]) yield repaired(piece);
}

function repaired(text: string): unknown {
  try {
    return parsedJson(text) ?? JSON.parse(jsonrepair(text));
  } catch {
    // Stack overflows too: deeply nested text is no answer.
    return undefined;
  }
}

/** Finds balanced `{…}` and `[…]` outside of quotes, later before earlier, outer before inner. */
function bracketSpans(text: string): [start: number, end: number][] {
  const open: number[] = [];
  const spans: [number, number][] = [];
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const here = text.charAt(at);
    if (here === "\\") at += 1;
    else if (here === '"' && open.length > 0) quoted = !quoted;
    else if (here === "\n") quoted = false;
    else if (quoted) continue;
    else if ("[{".includes(here) && open.length < MAX_DEPTH) open.push(at);
    else if ("]}".includes(here)) {
      const partner = here === "}" ? "{" : "[";
      const last = open.findLastIndex((start) => text[start] === partner);
      // What was opened inside it and not closed is no span.
      const [start] = last === -1 ? [] : open.splice(last);
      if (start !== undefined) spans.push([start, at + 1]);
    }
  }
  return spans.reverse().slice(0, MAX_SPANS);
}

/** Repairs, coerces and validates. */
export function parseWith<T>(schema: z.ZodType<T>, output: string): Parsed<T> {
  const form = jsonSchemaOf(schema);
  const names = Object.keys(isRecord(form["properties"]) ? form["properties"] : {});
  let error = output.trim() === "" ? "it said nothing" : "there is no JSON in it";
  for (const candidate of jsonCandidates(output)) {
    if (candidate === undefined) continue;
    const checked = schema.safeParse(coerced(withNames(candidate, names), form));
    if (checked.success) return { success: true, value: checked.data };
    const issue = checked.error.issues[0];
    const path = issue?.path.map(String).join(".") ?? "";
    error = `${path}: ${issue?.message ?? "it has another form"}`;
  }
  return { success: false, error };
}

/** Renames fields that differ in case, number or punctuation, or lack their first words. */
function withNames(value: unknown, names: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  const meant = names.flatMap((name) => {
    const key = Object.keys(value).find(
      (each) => stemOf(each) !== "" && stemOf(name).endsWith(stemOf(each)),
    );
    return key === undefined || name in value ? [] : [[name, value[key]] as const];
  });
  return { ...value, ...Object.fromEntries(meant) };
}

/** "score" for "Relevance-Scores". */
function stemOf(name: string): string {
  return plainName(name).replace(/^relevance|s$/g, "");
}

/** Returns the schema as strict endpoints want it: every field required, no others, no defaults. */
export function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      delete jsonSchema.default;
      const { properties } = jsonSchema;
      if (properties === undefined) return;
      jsonSchema.required = Object.keys(properties);
      jsonSchema.additionalProperties = false;
    },
  });
  return rest;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Fits a value to a JSON schema where the meaning is clear: "false" for false, "85%" or "0,85" for
 * 0.85, "Search" for "search", one item for a list, an object for its JSON text. The rest is left
 * for the schema to refuse.
 */
export function coerced(value: unknown, schema: JsonSchema): unknown {
  const { type, anyOf, enum: allowed } = schema;
  if (Array.isArray(anyOf)) {
    const inner = anyOf.map(recordOf).find((each) => each["type"] !== "null");
    return value === null || inner === undefined ? value : coerced(value, inner);
  }
  if (Array.isArray(allowed)) {
    const plain = typeof value === "string" ? value.trim().toLowerCase() : undefined;
    const isMeant = (each: unknown) => typeof each === "string" && each.toLowerCase() === plain;
    return (allowed as unknown[]).find(isMeant) ?? value;
  }
  const types: unknown[] = Array.isArray(type) ? type : [type];
  if (value === undefined || value === null) return value;
  switch (types.find((each) => each !== "null")) {
    case "object":
      return ofObject(value, recordOf(schema["properties"]));
    case "array": {
      const list: unknown[] = Array.isArray(value) ? value : value === "" ? [] : [value];
      return list.map((item) => coerced(item, recordOf(schema["items"])));
    }
    case "number":
    case "integer":
      return typeof value === "string" ? (readNumber(value) ?? value) : value;
    case "boolean":
      return typeof value === "string" ? (flagOf(plainName(value)) ?? value) : value;
    case "string":
      if (typeof value === "number" || typeof value === "boolean") return String(value);
      return typeof value === "object" ? JSON.stringify(value) : value;
    default:
      return value;
  }
}

function recordOf(value: unknown): JsonSchema {
  return isRecord(value) ? value : {};
}

/** Takes a bare list or number for an object whose first field is a list. */
function ofObject(value: unknown, properties: JsonSchema): unknown {
  const [first] = Object.entries(properties);
  const isBare = Array.isArray(value) || typeof value === "number";
  if (isBare && first !== undefined && recordOf(first[1])["type"] === "array")
    return ofObject({ [first[0]]: value }, properties);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, coerced(inner, recordOf(properties[key]))]),
  );
}

/**
 * @example readNumber("85%") // 0.85
 * @example readNumber("8/10") // 0.8
 * @example readNumber("0,8") // 0.8
 */
export function readNumber(text: string): number | undefined {
  const match =
    /^\s*([-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[-+]?\d+)?)\s*(%|\/\s*(\d+(?:\.\d+)?))?\s*\.?$/i.exec(
      text,
    );
  if (!match?.[1]) return undefined;
  const whole = match[2] === "%" ? 100 : Number(match[3] ?? 1);
  const value = Number(match[1].replace(",", ".")) / whole;
  return Number.isFinite(value) ? value : undefined;
}

const SCORES = z.object({ scores: z.array(z.number()) });
/** "[1]" in a sentence is a reference to the only passage and not its score. */
const REFERENCE_BY_ITSELF = /(?<!: ?)\[\d+\]/g;

/**
 * @param n how many scores were asked for
 * @returns exactly `n` scores in 0–1 in the order of the items, or why they could not be read
 * @example readScores('Here you are:\n```json\n{"scores": ["80%", 0.25,]}\n```', 2) // {success:
 *   true, value: [0.8, 0.25]}
 */
export function readScores(output: string, n: number): Parsed<number[]> {
  const asked = SCORES.refine(({ scores }) => scores.length === n);
  const parsed = parseWith(asked, n === 1 ? output.replace(REFERENCE_BY_ITSELF, "") : output);
  const found = parsed.success
    ? parsed.value.scores
    : scoresInProse(withoutThinking(output).trimStart(), n);
  return found === undefined
    ? { success: false, error: `the answer does not hold ${n} scores` }
    : { success: true, value: unitScores(found) };
}

/**
 * Fits scores into 0–1. Numbers from 2 on count from 0 to 10, or to 100: some judges do. What is no
 * such scale, such as 1.1 or a negative number beside it, is clamped.
 */
export function unitScores(scores: readonly number[]): number[] {
  const highest = Math.max(...scores);
  const isScale = highest >= 2 && scores.every((score) => score === 0 || score >= 1);
  const most = [10, 100].find((each) => highest <= each) ?? 1;
  return scores.map((score) => unitScore(score / (isScale ? most : 1)));
}

const VALUE = String.raw`-?(?:\d+[.,]\d+|[.,]\d+|\d+)(?: ?(?:%|\/ ?\d+))?`;
const VALUES = new RegExp(VALUE, "g");
/** "Confidence score: 0.9" tells nothing of what is graded. */
const CONFIDENCE = new RegExp(`\\bconfidence\\b[^\\d\\n,;.]{0,20}?${VALUE}`, "gi");
/** `[2]` in a sentence; `2:` or `2)` before a score; `2.` at the beginning of a line. */
const REFERENCE =
  /\[\d+\]|(?<![\d.-])\d{1,6}\s?[\])]?\s?[:=](?=\D)|(?<=^[\s-]*)\d{1,6}[.)](?=\s)/gm;
/** "Relevance score (0 to 1): 0.7"; a number after any other word is no score. */
const STATED = new RegExp(
  `(?<![a-z] |[a-z])(?:the )?(?:relevance )?(?:score|relevance|grade)\\s*` +
    `(?:\\([^()\\n]*\\)\\s*)?(?:[:=]|is|of)?\\s*["']?(${VALUE})(?![\\d.]*\\d)`,
  "i",
);

/** Reads a table, `n` lines that state a score, a number on each of `n` lines, or `n` numbers. */
function scoresInProse(text: string, n: number): number[] | undefined {
  if (text.includes("{")) return undefined;
  const bare = text.replace(/[*`]/g, "").replaceAll("_", " ");
  const plain = bare.replace(CONFIDENCE, "").replace(REFERENCE, " ");
  const lines = plain.split("\n").filter((line) => line.match(VALUES));
  const isList = lines.length === n || !/\p{L}/u.test(lines.join(""));
  const stated = lines.flatMap((line) => STATED.exec(line)?.[1] ?? []);
  const listed = n > 1 && isList ? (plain.match(VALUES) ?? []) : [];
  const found = stated.length === n ? stated : listed;
  const values = scoresInTable(text) ?? found.flatMap((each) => readNumber(each) ?? []);
  return values.length === n ? values : undefined;
}

/** Reads the column of a Markdown table whose head names a score; undefined without a table. */
function scoresInTable(text: string): number[] | undefined {
  const rows = text.split("\n").filter((line) => line.trimStart().startsWith("|"));
  const [head = [], , ...body] = rows.map(cellsOf);
  const column = head.findIndex((cell) => plainName(cell).endsWith("score"));
  if (body.length === 0 || column === -1) return undefined;
  return body.flatMap((cells) => readNumber(cells[column]?.replaceAll("`", "") ?? "") ?? []);
}
