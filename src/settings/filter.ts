/**
 * The language of filters over documents: OpenAI's form for file search, plus `not` and `exists`,
 * and a short text form: `department = "hr" and (year > 2024 or not status in [draft, old])`.
 */
import { z } from "zod";
import { reasonOf, UserError } from "../support/errors.js";
import { cutText } from "../text/words.js";

export type Scalar = string | number | boolean;

/**
 * A condition on documents. Keys are `path` (a document, a folder or a glob), `kind`, `date` (the
 * document's date, else that of its last change, ISO 8601) and those of its metadata. A list
 * passes if one of its values does; what lacks the key passes `ne`, `nin` and `not` only.
 */
export type Filter =
  | { type: "eq" | "ne"; key: string; value: Scalar }
  | { type: "in" | "nin"; key: string; value: readonly Scalar[] }
  | { type: "gt" | "gte" | "lt" | "lte"; key: string; value: number | string }
  | { type: "exists"; key: string }
  | { type: "and" | "or"; filters: readonly Filter[] }
  | { type: "not"; filter: Filter }
  /** Exact texts; for permissions, not part of the language. */
  | { type: "names"; key: string; value: readonly string[] };

const MAX_CONDITIONS = 100;
const MAX_DEPTH = 20;
const MAX_VALUES = 1_000;

const key = z.string().trim().min(1).max(100);
const scalar = z.union([z.string().max(2_000), z.number(), z.boolean()]);
const FilterSchema: z.ZodType<Exclude<Filter, { type: "names" }>> = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.enum(["eq", "ne"]), key, value: scalar }),
    z.strictObject({ type: z.enum(["in", "nin"]), key, value: z.array(scalar).max(MAX_VALUES) }),
    z.strictObject({
      type: z.enum(["gt", "gte", "lt", "lte"]),
      key,
      value: z.union([z.number(), z.string().max(100)]),
    }),
    z.strictObject({ type: z.literal("exists"), key }),
    z.strictObject({ type: z.enum(["and", "or"]), filters: z.array(FilterSchema) }),
    z.strictObject({ type: z.literal("not"), filter: FilterSchema }),
  ]),
);

const EXAMPLE = 'a filter looks like: department = "hr" and date >= 2025-01-01';

function mistake(problem: string): UserError {
  return new UserError(`the filter cannot be used: ${problem}`, EXAMPLE);
}

/**
 * Reads a filter: an object, its JSON, or the short text form.
 * @throws UserError, in one line, for a malformed one
 */
export function readFilter(given: unknown): Filter {
  const isText = typeof given === "string";
  if (isText && given.trimStart()[0] !== "{") return checked(readText(given));
  try {
    return checked(FilterSchema.parse(isText ? JSON.parse(given) : given));
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (error instanceof RangeError) throw mistake("it is nested too deeply");
    if (!(error instanceof z.ZodError)) throw mistake(`its JSON is malformed: ${reasonOf(error)}`);
    const [issue] = error.issues;
    throw mistake(`${issue?.path.join(".") || "filter"}: ${issue?.message ?? "not valid"}`);
  }
}

/** Setting of a run: a filter in any of its forms. */
export const filterSetting = z
  .union([z.string(), z.record(z.string(), z.unknown())])
  .superRefine((given, check) => {
    try {
      readFilter(given);
    } catch (error) {
      check.addIssue({ code: "custom", message: reasonOf(error) });
    }
  });

/** Joins filters that must all pass. */
export function allOf(filters: readonly (Filter | undefined)[]): Filter | undefined {
  const given = filters.filter((filter) => filter !== undefined);
  return given.length > 1 ? { type: "and", filters: given } : given[0];
}

/** Returns the metadata keys that a filter names. */
export function keysOf(filter: Filter): string[] {
  if ("filters" in filter) return filter.filters.flatMap(keysOf);
  return "filter" in filter ? keysOf(filter.filter) : [filter.key];
}

function checked(filter: Filter): Filter {
  let conditions = 0;
  const visit = (part: Filter, depth: number): void => {
    if (depth > MAX_DEPTH) throw mistake("it is nested too deeply");
    if ("filters" in part) part.filters.forEach((each) => visit(each, depth + 1));
    else if ("filter" in part) visit(part.filter, depth + 1);
    else {
      conditions += 1;
      if ("value" in part) requireComparable(part);
    }
  };
  visit(filter, 0);
  if (conditions === 0) throw mistake("it holds no condition");
  if (conditions > MAX_CONDITIONS) throw mistake(`it holds more than ${MAX_CONDITIONS} conditions`);
  return filter;
}

function requireComparable({ type, key, value }: Extract<Filter, { value: unknown }>): void {
  const isOrder = type === "gt" || type === "gte" || type === "lt" || type === "lte";
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const each of values) {
    const isDate = typeof each === "string" && instantsOf(each) !== undefined;
    if (key === "date" && !isDate)
      throw mistake(`date is compared with a date like 2024-05-01, not with ${excerpt(each)}`);
    if (isOrder && key !== "path" && key !== "kind" && (isDate || typeof each === "number"))
      continue;
    if (isOrder)
      throw mistake(`only numbers and dates have an order, so ${key} cannot be compared so`);
  }
}

function excerpt(value: unknown): string {
  return cutText(JSON.stringify(value), 40);
}

type Word = { kind: "mark" | "bare" | "quoted"; text: string; at: number };

const COMPARISONS = {
  "=": "eq",
  "==": "eq",
  "!=": "ne",
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
} as const;
/** In quotation marks a backslash takes the character after it literally. */
const WORD = new RegExp(
  String.raw`(?<quoted>"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*')|` +
    String.raw`(?<mark>[=!<>]=|[=<>()[\],])|(?<bare>[^\s"'()[\],=<>!]+)`,
  "gu",
);
const ESCAPED = /\\([^])/gu;

function isComparison(text: string): text is keyof typeof COMPARISONS {
  return Object.hasOwn(COMPARISONS, text);
}

/** Reads the text form by recursive descent. */
function readText(text: string): Filter {
  const words = wordsIn(text);
  let next = 0;
  let depth = 0;
  const problem = (needed: string): UserError => problemIn(text, words[next]?.at, needed);
  const takes = (mark: string): boolean => {
    const word = words[next];
    const isIt = word?.kind !== "quoted" && word?.text.toLowerCase() === mark;
    if (isIt) next += 1;
    return isIt;
  };
  const takeWord = (needed: string): Word => {
    const word = words[next];
    if (word === undefined || word.kind === "mark") throw problem(needed);
    next += 1;
    return word;
  };
  const value = (): Scalar => {
    const word = takeWord("a value");
    return word.kind === "quoted" ? word.text : scalarOf(word.text);
  };
  const list = (): Scalar[] => {
    if (!takes("[") && !takes("(")) throw problem("a list such as [a, b]");
    const values: Scalar[] = [];
    while (!takes("]") && !takes(")")) {
      values.push(value());
      const end = words[next]?.text;
      if (!takes(",") && end !== "]" && end !== ")") throw problem(", or ]");
    }
    return values;
  };
  const condition = (): Filter => {
    const key = takeWord("a key").text;
    if (takes("exists")) return { type: "exists", key };
    const isDenied = takes("not");
    if (takes("in")) return { type: isDenied ? "nin" : "in", key, value: list() };
    const { kind, text: mark = "" } = words[next] ?? {};
    if (isDenied || kind !== "mark" || !isComparison(mark))
      throw problem(`=, !=, >, >=, <, <=, in or exists after ${key}`);
    next += 1;
    const type = COMPARISONS[mark];
    const other = value();
    if (type === "eq" || type === "ne") return { type, key, value: other };
    if (typeof other === "boolean") throw mistake(`${key} cannot be compared so with ${other}`);
    return { type, key, value: other };
  };
  const single = (): Filter => {
    let isDenied = false;
    while (takes("not")) isDenied = !isDenied;
    const isGroup = takes("(");
    const filter = isGroup ? either() : condition();
    if (isGroup && !takes(")")) throw problem(")");
    return isDenied ? { type: "not", filter } : filter;
  };
  const joined = (type: "and" | "or", read: () => Filter): Filter => {
    const first = read();
    const filters = [first];
    while (takes(type)) filters.push(read());
    return filters.length === 1 ? first : { type, filters };
  };
  const either = (): Filter => {
    depth += 1;
    if (depth > MAX_DEPTH) throw mistake("it is nested too deeply");
    const filter = joined("or", () => joined("and", single));
    depth -= 1;
    return filter;
  };
  const filter = either();
  if (next < words.length) throw problem("and, or or the end");
  return filter;
}

function problemIn(text: string, at: number | undefined, needed: string): UserError {
  const rest = at === undefined ? "" : cutText(text.slice(at), 30);
  return mistake(`${rest === "" ? "at its end" : `at ${excerpt(rest)}`} it needs ${needed}`);
}

function wordsIn(text: string): Word[] {
  const words: Word[] = [];
  let at = 0;
  for (const { 0: whole, index, groups = {} } of text.matchAll(WORD)) {
    if (text.slice(at, index).trim() !== "") break;
    at = index + whole.length;
    const { quoted, mark, bare = "" } = groups;
    if (quoted !== undefined)
      words.push({ kind: "quoted", text: quoted.slice(1, -1).replace(ESCAPED, "$1"), at: index });
    else words.push({ kind: mark ? "mark" : "bare", text: mark ?? bare, at: index });
  }
  const rest = text.slice(at).trimStart();
  if (rest === "") return words;
  const quote = rest.charAt(0);
  const needed = `"'`.includes(quote) ? `a closing ${quote}` : "something else";
  throw problemIn(text, text.length - rest.length, needed);
}

/** Returns an unquoted word as the number or truth value that it spells, else as it is. */
function scalarOf(word: string): Scalar {
  if (word === "true" || word === "false") return word === "true";
  const number = Number(word);
  return word.trim() !== "" && String(number) === word && Number.isFinite(number) ? number : word;
}

const DAY_IN_MS = 86_400_000;
const Day = z.iso.date();
const Time = z.iso.datetime({ offset: true, local: true });
const Zoned = z.iso.datetime({ offset: true });

/** Returns when an ISO 8601 date begins and ends, in ms since the epoch; UTC by default. */
export function instantsOf(text: string): { start: number; end: number } | undefined {
  // The shortest form; most values are no dates.
  if (text.length < "2024-05-01".length || text.length > 40) return undefined;
  const isDay = Day.safeParse(text).success;
  if (!isDay && !Time.safeParse(text).success) return undefined;
  const start = Date.parse(isDay || Zoned.safeParse(text).success ? text : `${text}Z`);
  return Number.isNaN(start) ? undefined : { start, end: isDay ? start + DAY_IN_MS - 1 : start };
}
