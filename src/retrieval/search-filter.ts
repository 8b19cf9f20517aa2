/** What a search filter lets through: a path, a folder or a glob, and days. */
import type { Passage, SearchFilter } from "./knowledge-base.js";

/** True for a path that is meant as a glob: `*` within a folder, `**` across folders, `?`, `{a,b}`. */
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

/** Alternatives of `{a,b}` that are tried; in a glob with more the braces stand for themselves. */
const MAX_ALTERNATIVES = 64;

/**
 * Returns a test for whole paths. It follows all readings of the glob side by side, so that a
 * path takes at most its length times the length of the glob, however many wildcards there are.
 * @example globMatcher("docs/**" + "/*.md")("docs/a/b.md") // true
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const alternatives = withoutBraces([pattern]).map((glob) => ({
    prefix: glob.slice(0, glob.search(/[*?]|$/)),
    steps: stepsOf(glob),
  }));
  return (path) =>
    alternatives.some(({ prefix, steps }) => path.startsWith(prefix) && follow(steps, path));
}

/** Replaces the innermost braces first. */
function withoutBraces(globs: readonly string[]): readonly string[] {
  const replaced = globs.flatMap((glob) => {
    const [, before = "", inside = "", after = ""] = /^(.*)\{([^{}]*)\}(.*)$/s.exec(glob) ?? [];
    return inside === "" ? [glob] : inside.split(",").map((option) => `${before}${option}${after}`);
  });
  const isDone = replaced.every((glob, at) => glob === globs[at]);
  return isDone || replaced.length > MAX_ALTERNATIVES ? globs : withoutBraces(replaced);
}

interface Step {
  takes: (character: string) => boolean;
  repeats: boolean;
  /** It may only end where a folder does. */
  folders?: boolean;
}

const WILDCARDS: Readonly<Record<string, Step>> = {
  "**/": { takes: () => true, repeats: true, folders: true },
  "**": { takes: () => true, repeats: true },
  "*": { takes: (character) => character !== "/", repeats: true },
  "?": { takes: (character) => character !== "/", repeats: false },
};

function stepsOf(glob: string): Step[] {
  const pieces = glob.replace(/(?:\*\*\/)+/g, "**/").match(/\*\*\/|\*+|./gsu) ?? [];
  return pieces.map(
    (piece) =>
      WILDCARDS[/^\*{2,}$/.test(piece) ? "**" : piece] ?? {
        takes: (character) => character === piece,
        repeats: false,
      },
  );
}

function follow(steps: readonly Step[], path: string): boolean {
  let reached = withSkips(steps, new Set([0]), "/");
  for (const character of path) {
    const next = new Set<number>();
    for (const at of reached) {
      const step = steps[at];
      if (step?.takes(character) === true) next.add(step.repeats ? at : at + 1);
    }
    if (next.size === 0) return false;
    reached = withSkips(steps, next, character);
  }
  return reached.has(steps.length);
}

/** What repeats may also be left. A set that grows is walked to its new end. */
function withSkips(steps: readonly Step[], reached: Set<number>, before: string): Set<number> {
  for (const at of reached) {
    const step = steps[at];
    if (step?.repeats === true && (step.folders !== true || before === "/")) reached.add(at + 1);
  }
  return reached;
}
