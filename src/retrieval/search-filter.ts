import { RE2JS } from "re2js";
import { KnowledgeBaseError, type Passage, type SearchFilter } from "./knowledge-base.js";

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
 * Returns a test for paths: a document, all below a folder, or a glob. Some systems write the "ü" of
 * a file name as two characters.
 */
export function pathMatcher(named: string): (path: string) => boolean {
  const pattern = named.normalize("NFC");
  const folder = asFolder(pattern);
  const matches = isGlob(pattern)
    ? globMatcher(pattern)
    : (path: string): boolean => path.startsWith(folder);
  // A file's own name may read like a glob.
  return (path) => {
    const own = path.normalize("NFC");
    return own === pattern || matches(own);
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

/** Returns a filter as a test for passages, whose dates are UTC; undated ones fail date filters. */
export function filterMatcher({
  path: pattern,
  kind,
  modifiedAfter,
  modifiedBefore,
}: SearchFilter = {}): (passage: Pick<Passage, "path" | "kind" | "modifiedAt">) => boolean {
  const matchesPath = pattern ? pathMatcher(pattern) : () => true;
  const after = modifiedAfter === undefined ? "" : isoInstant(modifiedAfter, "start");
  const before = modifiedBefore === undefined ? undefined : isoInstant(modifiedBefore, "end");
  return ({ path, kind: actual, modifiedAt = "" }) => {
    if (!matchesPath(path) || (kind !== undefined && actual !== kind)) return false;
    if (after === "" && before === undefined) return true;
    return modifiedAt !== "" && modifiedAt >= after && (!before || modifiedAt <= before);
  };
}

/** Returns when a filter's date begins or ends; a bare day lasts all day, in UTC. */
export function isoInstant(date: string, edge: "start" | "end"): string {
  const start = Date.parse(date);
  if (Number.isNaN(start))
    throw new KnowledgeBaseError(
      `"${date}" is not an ISO 8601 date`,
      "Dates look like 2024-05-01 or 2024-05-01T12:00:00Z.",
    );
  const isBareDay = date.trim().length === "2024-05-01".length;
  return new Date(start + (edge === "end" && isBareDay ? 86_400_000 - 1 : 0)).toISOString();
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
