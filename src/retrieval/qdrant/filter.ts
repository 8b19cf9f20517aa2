import type { Schemas } from "@qdrant/js-client-rest";
import { KnowledgeBaseError, type SearchFilter } from "../knowledge-base.js";
import { isGlob } from "../glob.js";
import { instantOf } from "../matches-filter.js";
import type { PointType } from "./payload.js";

export type Condition = Schemas["FieldCondition"];

/** Points of this type that meet all conditions. */
export function pointsOf(
  type: PointType,
  conditions: readonly Condition[] = [],
): { must: Condition[] } {
  return { must: [{ key: "type", match: { value: type } }, ...conditions] };
}

export function pathIs(path: string): Condition {
  return { key: "path", match: { value: path } };
}

export function pathIsOneOf(paths: readonly string[]): Condition {
  return { key: "path", match: { any: [...paths] } };
}

export function lieIn(folder: string): Condition {
  return { key: "folders", match: { value: folder } };
}

/**
 * A search filter in the server's terms. A glob has none: it is given as the paths that it matched.
 * @param matched the paths of the documents that the filter's glob matches; not looked at for other paths
 */
export function conditionsOf(
  filter: SearchFilter | undefined,
  matched: readonly string[] | undefined,
): Condition[] {
  const conditions: Condition[] = [];
  if (!filter) return conditions;
  const { path, kind, modifiedAfter, modifiedBefore } = filter;
  if (path !== undefined && path !== "") conditions.push(pathCondition(path, matched));
  if (kind !== undefined) conditions.push({ key: "kind", match: { value: kind } });
  if (modifiedAfter !== undefined || modifiedBefore !== undefined) {
    conditions.push({
      key: "modifiedAt",
      range: {
        ...(modifiedAfter === undefined ? {} : { gte: isoInstant(modifiedAfter, "start") }),
        ...(modifiedBefore === undefined ? {} : { lte: isoInstant(modifiedBefore, "end") }),
      },
    });
  }
  return conditions;
}

function pathCondition(path: string, matched: readonly string[] | undefined): Condition {
  if (isGlob(path)) return pathIsOneOf(matched ?? []);
  return path.endsWith("/") ? lieIn(path) : pathIs(path);
}

/** The server refuses a date that it cannot read; so do we, with the value in the message. */
function isoInstant(date: string, edge: "start" | "end"): string {
  const instant = instantOf(date, edge);
  if (Number.isNaN(instant))
    throw new KnowledgeBaseError(
      `"${date}" is no ISO 8601 date`,
      "Dates look like 2024-05-01 or 2024-05-01T12:00:00Z.",
    );
  return new Date(instant).toISOString();
}
