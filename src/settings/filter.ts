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
  try {
    return checked(FilterSchema.parse(typeof given === "string" ? objectOf(given) : given));
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (error instanceof RangeError) throw mistake("it is nested too deeply");
    if (!(error instanceof z.ZodError)) throw mistake(`its JSON is malformed: ${reasonOf(error)}`);
    const [issue] = error.issues;
    throw mistake(`${issue?.path.join(".") || "filter"}: ${issue?.message ?? "not valid"}`);
  }
}

function objectOf(text: string): unknown {
  return text.trimStart().startsWith("{") ? JSON.parse(text) : readText(text);
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

type Condition = Exclude<Filter, { filters: unknown } | { filter: unknown }>;

/** Returns the metadata keys that a filter names. */
export function keysOf(filter: Filter): string[] {
  return conditionsOf(filter).map(({ key }) => key);
}

function conditionsOf(filter: Filter, mostDepth = Infinity): Condition[] {
  if (mostDepth < 0) throw mistake("it is nested too deeply");
  if ("filters" in filter)
    return filter.filters.flatMap((each) => conditionsOf(each, mostDepth - 1));
  return "filter" in filter ? conditionsOf(filter.filter, mostDepth - 1) : [filter];
}

function checked(filter: Filter): Filter {
  const conditions = conditionsOf(filter, MAX_DEPTH);
  if (conditions.length === 0) throw mistake("it holds no condition");
  if (conditions.length > MAX_CONDITIONS)
    throw mistake(`it holds more than ${MAX_CONDITIONS} conditions`);
  for (const condition of conditions) if ("value" in condition) requireComparable(condition);
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

interface Word {
  kind: "mark" | "bare" | "quoted";
  text: string;
  at: number;
}

const COMPARISONS = Object.entries({
  "=": "eq",
  "==": "eq",
  "!=": "ne",
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
});
/** In quotation marks a backslash takes the character after it literally. */
const WORD = new RegExp(
  String.raw`(?<quoted>"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*')|` +
    String.raw`(?<mark>[=!<>]=|[=<>()[\],])|(?<bare>[^\s"'()[\],=<>!]+)|(?<rest>\S[^]*)`,
  "gu",
);
const ESCAPED = /\\([^])/gu;

/** Reads the text form by recursive descent; what it returns is checked as an object is. */
function readText(text: string): object {
  const words = wordsIn(text);
  let next = 0;
  const problem = (needed: string): UserError => problemIn(text, words[next]?.at, needed);
  const takes = (...anyOf: string[]): boolean => {
    const word = words[next];
    const isOne = word?.kind !== "quoted" && anyOf.includes(word?.text.toLowerCase() ?? "");
    if (isOne) next += 1;
    return isOne;
  };
  const take = (needed: string): Word => {
    const word = words[next];
    if (word === undefined || word.kind === "mark") throw problem(needed);
    next += 1;
    return word;
  };
  const value = (): Scalar => {
    const word = take("a value");
    return word.kind === "quoted" ? word.text : scalarOf(word.text);
  };
  const list = (): Scalar[] => {
    if (!takes("[", "(")) throw problem("a list such as [a, b]");
    const values: Scalar[] = [];
    while (!takes("]", ")")) {
      if (values.length > 0 && !takes(",")) throw problem(", or ]");
      values.push(value());
    }
    return values;
  };
  const condition = (): object => {
    const key = take("a key").text;
    if (takes("exists")) return { type: "exists", key };
    if (takes("in")) return { type: "in", key, value: list() };
    if (takes("not") && takes("in")) return { type: "nin", key, value: list() };
    const [, type] = COMPARISONS.find(([mark]) => takes(mark)) ?? [];
    if (type === undefined) throw problem(`=, !=, >, >=, <, <=, in or exists after ${key}`);
    return { type, key, value: value() };
  };
  const single = (): object => {
    if (takes("not")) return { type: "not", filter: single() };
    if (!takes("(")) return condition();
    const filter = either();
    if (!takes(")")) throw problem(")");
    return filter;
  };
  const joined = (type: "and" | "or", read: () => object): object => {
    const first = read();
    const filters = [first];
    while (takes(type)) filters.push(read());
    return filters.length === 1 ? first : { type, filters };
  };
  const either = (): object => joined("or", () => joined("and", single));
  const filter = either();
  if (next < words.length) throw problem("and, or or the end");
  return filter;
}

function problemIn(text: string, at: number | undefined, needed: string): UserError {
  const place = at === undefined ? "at its end" : `at ${excerpt(cutText(text.slice(at), 30))}`;
  return mistake(`${place} it needs ${needed}`);
}

function wordsIn(text: string): Word[] {
  return [...text.matchAll(WORD)].map(({ 0: whole, index: at, groups = {} }) => {
    const { quoted, mark, rest } = groups;
    const first = rest?.charAt(0);
    if (first !== undefined)
      throw problemIn(text, at, first === "!" ? "something else" : `a closing ${first}`);
    if (quoted !== undefined)
      return { kind: "quoted", text: quoted.slice(1, -1).replace(ESCAPED, "$1"), at };
    return { kind: mark === undefined ? "bare" : "mark", text: whole, at };
  });
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
