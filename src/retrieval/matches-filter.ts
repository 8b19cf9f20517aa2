import type { Passage, SearchFilter } from "./knowledge-base.js";
import { pathMatcher } from "./path-pattern.js";

/** A filter as a test, for stores that cannot filter themselves. A passage without a date fails every condition on dates. */
export function filterMatcher(
  filter: SearchFilter | undefined,
): (passage: Pick<Passage, "path" | "kind" | "modifiedAt">) => boolean {
  if (!filter) return () => true;
  const matchesPath =
    filter.path === undefined || filter.path === "" ? undefined : pathMatcher(filter.path);
  const after =
    filter.modifiedAfter === undefined ? undefined : instantOf(filter.modifiedAfter, "start");
  const before =
    filter.modifiedBefore === undefined ? undefined : instantOf(filter.modifiedBefore, "end");
  return ({ path, kind, modifiedAt }) => {
    if (matchesPath && !matchesPath(path)) return false;
    if (filter.kind !== undefined && kind !== filter.kind) return false;
    if (after === undefined && before === undefined) return true;
    const modified = modifiedAt === undefined ? Number.NaN : Date.parse(modifiedAt);
    return (
      !Number.isNaN(modified) &&
      (after === undefined || modified >= after) &&
      (before === undefined || modified <= before)
    );
  };
}

/**
 * Milliseconds since the epoch of an ISO 8601 date. A date without a time means the whole day in UTC, so that both ends of a range are
 * inclusive: `2024-05-01` starts at midnight and ends just before the next one. NaN when it is no date.
 */
export function instantOf(isoDate: string, edge: "start" | "end"): number {
  const instant = Date.parse(isoDate);
  return edge === "end" && /^\d{4}-\d{2}-\d{2}$/.test(isoDate.trim())
    ? instant + 86_400_000 - 1
    : instant;
}
