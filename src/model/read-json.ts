/**
 * Reads JSON from whatever a model wrote (fenced, in prose, after its thinking, malformed, cut
 * off), and N relevance scores from whatever form a judge gave them. Pure; never throws.
 */
import { jsonrepair } from "jsonrepair";
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
 * lists (last first, outer before inner), and what can be read of a text that was cut off.
 */
export function* jsonCandidates(answer: string): Generator {
  for (const value of readings(answer)) if (value !== undefined) yield value;
}

/** Yields undefined for what cannot be read. */
function* readings(answer: string): Generator {
  const text = withoutThinking(answer).trim().slice(0, MAX_JSON_CHARACTERS);
  if (text === "") return;
  yield parsedJson(text);
  const spans = bracketSpans(text);
  for (const bracket of ["{", "["]) {
    for (const [start, end] of spans)
      if (text[start] === bracket) yield repaired(text.slice(start, end));
  }
  const first = text.search(/[[{]/);
  if (first !== -1) yield repaired(text.slice(first));
  else {
    const lines = [...text.matchAll(KEY_AND_VALUE)];
    if (lines.length > 0) yield Object.fromEntries(lines.map(([, key, value]) => [key, value]));
  }
}

/** A line of YAML, also as an item of a list and in bold. */
const KEY_AND_VALUE =
  /^[\s*_-]*([a-z][\w -]{0,40}?)[*_]*\s*[:=]\s*[*_"']*(\S[^\n]*?)["'*_]*\s*$/gim;

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

/** Takes a bare list for an object whose first field is a list. */
function ofObject(value: unknown, properties: JsonSchema): unknown {
  const [first] = Object.entries(properties);
  if (Array.isArray(value) && first !== undefined && recordOf(first[1])["type"] === "array")
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
function readNumber(text: string): number | undefined {
  const match =
    /^\s*([-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[-+]?\d+)?)\s*(%|\/\s*(\d+(?:\.\d+)?))?\s*\.?$/i.exec(
      text,
    );
  if (!match?.[1]) return undefined;
  const whole = match[2] === "%" ? 100 : Number(match[3] ?? 1);
  const value = Number(match[1].replace(",", ".")) / whole;
  return Number.isFinite(value) ? value : undefined;
}

/** By their plain names, the fields that hold a score, and the number of an item. */
const SCORE_NAME = "(?:relevance|(?:relevance)?(?:scores?|value|grade|rating|probability))";
const SCORE_KEY = new RegExp(`^(?:${SCORE_NAME}|(?:is)?relevant)$`);
const INDEX_KEY = /^(?:passage|document|doc|item|source)?(?:id|index|i|n|number)?$/;

/** A score and the number beside it; NaN where something else was in its place. */
interface Leaf {
  index: number | undefined;
  score: number;
}

/**
 * @param n how many scores were asked for
 * @returns exactly `n` scores in 0–1 in the order of the items, or why they could not be read
 * @example readScores('Here you are:\n```json\n{"scores": ["80%", 0.25,]}\n```', 2) // {success:
 *   true, value: [0.8, 0.25]}
 */
export function readScores(output: string, n: number): Parsed<number[]> {
  const text = withoutThinking(output).trimStart();
  // "[1]" in a sentence is a reference to the passage and not its score.
  const isProse = n === 1 && !text.startsWith("[");
  let isRecorded = false;
  for (const candidate of jsonCandidates(text)) {
    // A list inside of a record counts by its name only.
    if ((isProse || isRecorded) && Array.isArray(candidate)) continue;
    isRecorded ||= isRecord(candidate);
    const scores = inOrder(leavesOf(candidate), n);
    if (scores) return { success: true, value: scores };
  }
  const value = scoresInProse(text, n);
  return value === undefined
    ? { success: false, error: `the answer does not hold ${n} scores` }
    : { success: true, value };
}

/** Collects the scores of lists, of records with a score, and of maps from number to score. */
function leavesOf(value: unknown, key = "", depth = 0): Leaf[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, key, depth + 1));
  if (!isRecord(value)) return [{ index: readIndex(key), score: readScore(value) ?? Number.NaN }];
  const fields = Object.entries(value);
  const entries = fields.map(([name, inner]) => ({ name, plain: plainName(name), inner }));
  const named = entries.filter(({ plain }) => SCORE_KEY.test(plain));
  const score = named.flatMap(({ inner }) => readScore(inner) ?? [])[0];
  if (score !== undefined) {
    const number = entries.find(({ plain }) => INDEX_KEY.test(plain))?.inner;
    return [{ index: readIndex(number ?? key), score }];
  }
  return (named.length > 0 ? named : entries).flatMap(({ name, plain, inner }) =>
    (typeof inner === "object" && !plain.startsWith("confidence")) ||
    readIndex(name) !== undefined ||
    SCORE_KEY.test(plain)
      ? leavesOf(inner, name, depth + 1)
      : [],
  );
}

/** Sorts by item number if these count from 0 or 1; undefined unless there are `n` scores. */
function inOrder(leaves: readonly Leaf[], n: number): number[] | undefined {
  if (leaves.length !== n || leaves.some(({ score }) => Number.isNaN(score))) return undefined;
  const sorted = leaves.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
  const base = sorted[0]?.index;
  const counted =
    (base === 0 || base === 1) && sorted.every(({ index }, at) => index === at + base);
  return unitScores((counted ? sorted : leaves).map(({ score }) => score));
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

function readIndex(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? value : undefined;
  const digits =
    typeof value === "string" ? /^[^\d.]*(\d{1,6})\D?$/.exec(value.trim())?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

/** Reads a number, a text that holds one, or a boolean. */
function readScore(value: unknown): number | undefined {
  const number = typeof value === "string" ? readNumber(value) : value;
  return typeof number === "boolean" || Number.isFinite(number) ? Number(number) : undefined;
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
  `(?<![a-z] |[a-z])(?:the )?(?:relevance )?${SCORE_NAME}\\s*(?:\\([^()\\n]*\\)\\s*)?` +
    `(?:[:=]|is|of)?\\s*["']?(${VALUE})(?![\\d.]*\\d)`,
  "i",
);

/** Reads a table, `n` lines that state a score, a number on each of `n` lines, or `n` numbers. */
function scoresInProse(text: string, n: number): number[] | undefined {
  if (text.includes("{")) return undefined;
  const plain = text.replace(/[*_`]/g, "").replace(CONFIDENCE, "").replace(REFERENCE, " ");
  const lines = plain.split("\n").filter((line) => line.match(VALUES));
  const isList = lines.length === n || !/\p{L}/u.test(lines.join(""));
  const stated = lines.flatMap((line) => STATED.exec(line)?.[1] ?? []);
  const listed = n > 1 && isList ? (plain.match(VALUES) ?? []) : [];
  const found = stated.length === n ? stated : listed;
  const values = scoresInTable(text) ?? found.flatMap((each) => readNumber(each) ?? []);
  return values.length === n ? unitScores(values) : undefined;
}

/** Reads the column of a Markdown table whose head names a score; undefined without a table. */
function scoresInTable(text: string): number[] | undefined {
  const rows = text.split("\n").filter((line) => line.trimStart().startsWith("|"));
  const [head = [], , ...body] = rows.map(cellsOf);
  const column = head.findIndex((cell) => SCORE_KEY.test(plainName(cell)));
  if (body.length === 0 || column === -1) return undefined;
  return body.flatMap((cells) => readNumber(cells[column]?.replaceAll("`", "") ?? "") ?? []);
}
