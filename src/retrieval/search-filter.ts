/** Search filters as tests: a path, a folder or a glob, and days. */
import { RE2JS } from "re2js";
import type { Passage, SearchFilter } from "./knowledge-base.js";

/** True for a glob: `*` within a folder, `**` across folders, `?` one character, `{a,b}` either. */
export function isGlob(pattern: string): boolean {
  return /[*?{]/.test(pattern);
}

/** Returns a test for whole paths: one path, a folder that ends in `/`, or a glob. */
export function pathMatcher(pattern: string): (path: string) => boolean {
  if (isGlob(pattern)) return globMatcher(pattern);
  return pattern.endsWith("/") ? (path) => path.startsWith(pattern) : (path) => path === pattern;
}

/** Returns the folders above a path, each with its closing slash: `a/b/c.md` → `a/`, `a/b/`. */
export function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => `${names.slice(0, index + 1).join("/")}/`);
}

/** Returns the longest folder that holds all that a glob can match; empty when there is none. */
export function folderOfGlob(pattern: string): string {
  const literal = pattern.slice(0, pattern.search(/[*?{]|$/));
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

/**
 * Returns milliseconds since the epoch. A bare day means all of it, in UTC, so that both ends of a
 * range are inclusive. NaN when it is no date.
 */
export function instantOf(isoDate: string, edge: "start" | "end"): number {
  const instant = Date.parse(isoDate);
  const isBareDay = /^\d{4}-\d{2}-\d{2}$/.test(isoDate.trim());
  return edge === "end" && isBareDay ? instant + 86_400_000 - 1 : instant;
}

/** With more pairs of braces, or one that is not closed, braces stand for themselves. */
const MAX_BRACES = 64;

/**
 * Returns a test for whole paths. The glob becomes a pattern of RE2, whose time is linear in the
 * path however many wildcards there are.
 * @example globMatcher("docs/**" + "/*.md")("docs/a/b.md") // true
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const prefix = pattern.slice(0, pattern.search(/[*?{]|$/));
  const pieces = pattern.match(/(?:\*\*\/)+|\*+|./gsu) ?? [];
  const hasAlternatives = areBalanced(pieces);
  let depth = 0;
  const source = pieces.map((piece, at) => {
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
  const expression = RE2JS.compile(source.join(""), RE2JS.DOTALL);
  return (path) => path.startsWith(prefix) && expression.matches(path);
}

function areBalanced(pieces: readonly string[]): boolean {
  let depth = 0;
  const isNeverNegative = pieces.every((piece) => {
    if (piece === "{") depth++;
    if (piece === "}") depth--;
    return depth >= 0;
  });
  const pairs = pieces.filter((piece) => piece === "{").length;
  return isNeverNegative && depth === 0 && pairs <= MAX_BRACES;
}
