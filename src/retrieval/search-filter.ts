import { RE2JS } from "re2js";
import { instantsOf, type Filter, type Scalar } from "../settings/filter.js";
import { UserError } from "../support/errors.js";
import { filterFactsOf, type Filterable, type FilterFact } from "../state/metadata.js";

/** True for a glob: `*` within a folder, `**` across folders, `?` one character, `{a,b}` either. */
export function isGlob(pattern: string): boolean {
  return literalStart(pattern) !== pattern;
}

/** True for a path that only `pathMatcher` can compare: a glob, or one with letters like "ü". */
export function needsMatcher(path: string): boolean {
  return isGlob(path) || asciiStart(path) !== path;
}

function asciiStart(path: string): string {
  return path.split(/\P{ASCII}/u, 1)[0] ?? "";
}

function literalStart(pattern: string): string {
  return pattern.split(/[*?{]/, 1)[0] ?? "";
}

/**
 * Returns a test for paths: a document, all below a folder, or a glob. Some systems write the "ü"
 * of a file name as two characters.
 */
export function pathMatcher(named: string): (path: string) => boolean {
  const pattern = named.normalize("NFC");
  const folder = asFolder(pattern);
  const matches = isGlob(pattern)
    ? globMatcher(pattern)
    : (path: string): boolean => path.startsWith(folder);
  // A file's name may read like a glob.
  return (path) => {
    const normalized = path.normalize("NFC");
    return normalized === pattern || matches(normalized);
  };
}

/** Adds a closing slash. */
export function asFolder(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

/** Returns the folders above a path, each with its closing slash: `a/b/c.md` → `a/`, `a/b/`. */
export function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => `${names.slice(0, index + 1).join("/")}/`);
}

/** Returns the deepest folder that surely holds all matches of a path, or an empty string. */
export function folderOfMatches(pattern: string): string {
  const literal = asciiStart(literalStart(pattern));
  return literal.slice(0, literal.lastIndexOf("/") + 1);
}

/** Bounds of a comparison; equality has both, included. */
export interface ValueRange {
  gt?: number;
  gte?: number;
  lt?: number;
  lte?: number;
}

/** A test of the facts under one key: that there is one, one of these texts, or one in a range. */
export type FactTest =
  { texts: readonly string[] } | { number: ValueRange } | { instant: ValueRange } | "any";

interface FilterTarget<Condition> {
  and(conditions: readonly Condition[]): Condition;
  or(conditions: readonly Condition[]): Condition;
  not(condition: Condition): Condition;
  /** A document, a folder or a glob. */
  path(pattern: string): Condition;
  fact(key: string, test: FactTest): Condition;
}

/** Compiles a filter; the same meaning for every store. */
export function compileFilter<C>(filter: Filter, target: FilterTarget<C>): C {
  switch (filter.type) {
    case "and":
    case "or":
      return target[filter.type](filter.filters.map((each) => compileFilter(each, target)));
    case "not":
      return target.not(compileFilter(filter.filter, target));
    case "exists":
      // Every document has a path.
      return filter.key === "path" ? target.path("**") : target.fact(filter.key, "any");
    case "names":
      if (filter.value.length === 0) return target.or([]);
      return target.fact(filter.key, { texts: filter.value });
    case "eq":
      return anyOf(filter.key, [filter.value], target);
    case "in":
      return anyOf(filter.key, filter.value, target);
    case "ne":
      return target.not(anyOf(filter.key, [filter.value], target));
    case "nin":
      return target.not(anyOf(filter.key, filter.value, target));
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const { type, key, value } = filter;
      if (typeof value === "number") return target.fact(key, { number: { [type]: value } });
      const dates = instantsOf(value);
      if (dates === undefined)
        throw new UserError(`"${value}" is not an ISO 8601 date`, "dates look like 2024-05-01");
      // A bare day lasts all day: after it is after its end.
      const bound = type === "gt" || type === "lte" ? dates.end : dates.start;
      return target.fact(key, { instant: { [type]: bound } });
    }
    default:
      return filter satisfies never;
  }
}

function anyOf<C>(key: string, values: readonly Scalar[], target: FilterTarget<C>): C {
  if (key === "path") return target.or(values.map((value) => target.path(String(value))));
  const texts: string[] = [];
  const others: C[] = [];
  for (const value of values) {
    const dates = typeof value === "string" ? instantsOf(value) : undefined;
    if (typeof value === "number")
      others.push(target.fact(key, { number: { gte: value, lte: value } }));
    else if (dates !== undefined)
      others.push(target.fact(key, { instant: { gte: dates.start, lte: dates.end } }));
    else texts.push(String(value).normalize("NFC"));
  }
  const ofTexts = texts.length > 0 ? [target.fact(key, { texts })] : [];
  return target.or([...ofTexts, ...others]);
}

/** Returns a filter as a test for documents and passages in memory. */
export function filterMatcher(
  filter: Filter | undefined,
): (described: Filterable & { path: string }) => boolean {
  if (filter === undefined) return () => true;
  type Test = (known: { path: string; facts: readonly FilterFact[] }) => boolean;
  const test = compileFilter<Test>(filter, {
    and: (all) => (known) => all.every((passes) => passes(known)),
    or: (any) => (known) => any.some((passes) => passes(known)),
    not: (passes) => (known) => !passes(known),
    path: (pattern) => {
      const matches = pathMatcher(pattern);
      return ({ path }) => matches(path);
    },
    fact: (key, expected) => {
      const passes = factMatcher(expected);
      return ({ facts }) => facts.some((fact) => fact.key === key && passes(fact));
    },
  });
  return (described) => test({ path: described.path, facts: filterFactsOf(described) });
}

function factMatcher(test: FactTest): (fact: FilterFact) => boolean {
  if (test === "any") return () => true;
  if ("texts" in test) return ({ text }) => text !== undefined && test.texts.includes(text);
  const {
    gt = -Infinity,
    gte = -Infinity,
    lt = Infinity,
    lte = Infinity,
  } = "number" in test ? test.number : test.instant;
  return (fact) => {
    const value = "number" in test ? fact.number : fact.instant;
    return value !== undefined && value > gt && value >= gte && value < lt && value <= lte;
  };
}

/**
 * Returns a test for paths. RE2 takes linear time, however many wildcards there are. Unbalanced
 * braces stand for themselves.
 * @example globMatcher("docs/**" + "/*.md")("docs/a/b.md") // true
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const prefix = literalStart(pattern);
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(expressionOf(pattern, true), RE2JS.DOTALL);
  } catch {
    expression = RE2JS.compile(expressionOf(pattern, false), RE2JS.DOTALL);
  }
  return (path) => path.startsWith(prefix) && expression.matches(path);
}

function expressionOf(pattern: string, hasAlternatives: boolean): string {
  const pieces = pattern.match(/(?:\*\*\/)+|\*+|./gsu) ?? [];
  let depth = 0;
  const parts = pieces.map((piece, at) => {
    if (hasAlternatives && (piece === "{" || piece === "}")) {
      depth += piece === "{" ? 1 : -1;
      return piece === "{" ? "(?:" : ")";
    }
    const isFolderStart = at === 0 || pieces[at - 1] === "/";
    if (piece.startsWith("**/")) return isFolderStart ? "(?:.*/)?" : ".*/";
    if (piece.startsWith("**")) return ".*";
    if (piece === "*" || piece === "?") return piece === "*" ? "[^/]*" : "[^/]";
    return piece === "," && depth > 0 ? "|" : RE2JS.quote(piece);
  });
  return parts.join("");
}
