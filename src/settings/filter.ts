/**
 * The language of filters over documents: OpenAI's form for file search, plus `not` and `exists`,
 * and a short text form: `department = "hr" and (year > 2024 or not status in [draft, old])`.
 */
import { z } from "zod";
import { reasonOf, UserError } from "../support/errors.js";
import { instantsOf } from "../text/instants.js";
import { cutText } from "../text/one-line.js";

export type Scalar = string | number | boolean;

/**
 * A condition on documents. Keys are `path` (a document, a folder or a glob), `kind`, `date` (the
 * document's own date, else that of its last change, ISO 8601) and those of its metadata. A list
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
  if (isText && given.trimStart()[0] !== "{") return checked(new FilterText(given).read());
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
const WORD =
  /(?<quoted>"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*')|(?<mark>[=!<>]=|[=<>()[\],])|(?<bare>[^\s"'()[\],=<>!]+)/gu;
const ESCAPED = /\\([^])/gu;

function isComparison(text: string): text is keyof typeof COMPARISONS {
  return Object.hasOwn(COMPARISONS, text);
}

/** Reads the text form by recursive descent. */
class FilterText {
  private readonly words: readonly Word[];
  private next = 0;
  private depth = 0;

  constructor(private readonly text: string) {
    this.words = this.split();
  }

  read(): Filter {
    const filter = this.either();
    if (this.word !== undefined) throw this.problem("and, or or the end");
    return filter;
  }

  private get word(): Word | undefined {
    return this.words[this.next];
  }

  private problem(needed: string, at = this.word?.at): UserError {
    const rest = at === undefined ? "" : cutText(this.text.slice(at), 30);
    return mistake(`${rest === "" ? "at its end" : `at ${excerpt(rest)}`} it needs ${needed}`);
  }

  private takes(text: string): boolean {
    const { word } = this;
    const isIt = word?.kind !== "quoted" && word?.text.toLowerCase() === text;
    if (isIt) this.next += 1;
    return isIt;
  }

  private either(): Filter {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw mistake("it is nested too deeply");
    const filter = this.joined("or", () => this.joined("and", () => this.single()));
    this.depth -= 1;
    return filter;
  }

  private joined(type: "and" | "or", read: () => Filter): Filter {
    const first = read();
    const filters = [first];
    while (this.takes(type)) filters.push(read());
    return filters.length === 1 ? first : { type, filters };
  }

  private single(): Filter {
    let isDenied = false;
    while (this.takes("not")) isDenied = !isDenied;
    const filter = this.takes("(") ? this.group() : this.condition();
    return isDenied ? { type: "not", filter } : filter;
  }

  private group(): Filter {
    const filter = this.either();
    if (!this.takes(")")) throw this.problem(")");
    return filter;
  }

  private condition(): Filter {
    if (this.word === undefined || this.word.kind === "mark") throw this.problem("a key");
    const key = this.word.text;
    this.next += 1;
    if (this.takes("exists")) return { type: "exists", key };
    const isDenied = this.takes("not");
    if (this.takes("in")) return { type: isDenied ? "nin" : "in", key, value: this.list() };
    const mark = this.comparison();
    if (isDenied || mark === undefined)
      throw this.problem(`=, !=, >, >=, <, <=, in or exists after ${key}`);
    this.next += 1;
    const value = this.value();
    const type = COMPARISONS[mark];
    if (type === "eq" || type === "ne") return { type, key, value };
    if (typeof value === "boolean") throw mistake(`${key} cannot be compared so with ${value}`);
    return { type, key, value };
  }

  private comparison(): keyof typeof COMPARISONS | undefined {
    const { kind, text = "" } = this.word ?? {};
    return kind === "mark" && isComparison(text) ? text : undefined;
  }

  private list(): Scalar[] {
    if (!this.takes("[") && !this.takes("(")) throw this.problem("a list such as [a, b]");
    const values: Scalar[] = [];
    while (!this.takes("]") && !this.takes(")")) {
      values.push(this.value());
      if (!this.takes(",") && this.word?.text !== "]" && this.word?.text !== ")")
        throw this.problem(", or ]");
    }
    return values;
  }

  private value(): Scalar {
    const { word } = this;
    if (word === undefined || word.kind === "mark") throw this.problem("a value");
    this.next += 1;
    return word.kind === "quoted" ? word.text : scalarOf(word.text);
  }

  private split(): Word[] {
    const words: Word[] = [];
    let at = 0;
    for (const { 0: whole, index, groups = {} } of this.text.matchAll(WORD)) {
      if (this.text.slice(at, index).trim() !== "") break;
      at = index + whole.length;
      const { quoted, mark, bare = "" } = groups;
      if (quoted !== undefined)
        words.push({ kind: "quoted", text: quoted.slice(1, -1).replace(ESCAPED, "$1"), at: index });
      else words.push({ kind: mark ? "mark" : "bare", text: mark ?? bare, at: index });
    }
    const rest = this.text.slice(at).trimStart();
    if (rest === "") return words;
    const quote = rest.charAt(0);
    const needed = `"'`.includes(quote) ? `a closing ${quote}` : "something else";
    throw this.problem(needed, this.text.length - rest.length);
  }
}

/** Returns an unquoted word as the number or truth value that it spells, else as it is. */
function scalarOf(word: string): Scalar {
  if (word === "true" || word === "false") return word === "true";
  const number = Number(word);
  return word.trim() !== "" && String(number) === word && Number.isFinite(number) ? number : word;
}
