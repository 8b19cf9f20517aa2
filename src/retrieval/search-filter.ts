/** Search filters as tests: a path, a folder or a glob, and days. */
import { RE2JS } from "re2js";
import { KnowledgeBaseError, type Passage, type SearchFilter } from "./knowledge-base.js";

/** True for a glob: `*` within a folder, `**` across folders, `?` one character, `{a,b}` either. */
export function isGlob(pattern: string): boolean {
  return literalStart(pattern) !== pattern;
}

function literalStart(pattern: string): string {
  return pattern.split(/[*?{]/, 1)[0] ?? "";
}

/** Returns a test for whole paths: a document's, a folder's, or a glob of them. */
export function pathMatcher(pattern: string): (path: string) => boolean {
  if (isGlob(pattern)) return globMatcher(pattern);
  return (path) => path === pattern || path.startsWith(asFolder(pattern));
}

/** The same path with the closing slash that those of folders have. */
export function asFolder(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

/** Returns the folders above a path, each with its closing slash: `a/b/c.md` → `a/`, `a/b/`. */
export function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => `${names.slice(0, index + 1).join("/")}/`);
}

/** Returns the longest folder that holds all that a glob can match; empty when there is none. */
export function folderOfGlob(pattern: string): string {
  const literal = literalStart(pattern);
  return literal.slice(0, literal.lastIndexOf("/") + 1);
}

/** Returns a filter as a test. A passage without a date fails every condition on dates. */
export function filterMatcher(
  filter: SearchFilter = {},
): (passage: Pick<Passage, "path" | "kind" | "modifiedAt">) => boolean {
  const matchesPath = filter.path ? pathMatcher(filter.path) : () => true;
  const { modifiedAfter, modifiedBefore } = filter;
  const after = modifiedAfter === undefined ? -Infinity : instantOf(modifiedAfter, "start");
  const before = modifiedBefore === undefined ? Infinity : instantOf(modifiedBefore, "end");
  const isDated = modifiedAfter !== undefined || modifiedBefore !== undefined;
  return ({ path, kind, modifiedAt = "" }) => {
    if (!matchesPath(path) || (filter.kind !== undefined && kind !== filter.kind)) return false;
    const modified = Date.parse(modifiedAt);
    return !isDated || (modified >= after && modified <= before);
  };
}

/** NaN for what is no date. A bare day means all of it, in UTC, so that both ends are inclusive. */
function instantOf(isoDate: string, edge: "start" | "end"): number {
  const isBareDay = isoDate.trim().length === "2024-05-01".length;
  return Date.parse(isoDate) + (edge === "end" && isBareDay ? 86_400_000 - 1 : 0);
}

/** Returns a filter's date as the instant at which it begins or ends. */
export function isoInstant(date: string, edge: "start" | "end"): string {
  const instant = instantOf(date, edge);
  if (Number.isNaN(instant))
    throw new KnowledgeBaseError(
      `"${date}" is no ISO 8601 date`,
      "Dates look like 2024-05-01 or 2024-05-01T12:00:00Z.",
    );
  return new Date(instant).toISOString();
}

/**
 * Returns a test for whole paths. The glob becomes a pattern of RE2, whose time is linear in the
 * path however many wildcards there are. Braces that do not pair up stand for themselves.
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
