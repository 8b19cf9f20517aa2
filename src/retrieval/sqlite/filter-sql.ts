/** A search filter as a condition on the `documents` table (alias `d`). */
import type { SearchFilter } from "../knowledge-base.js";
import { globMatcher, isGlob } from "../search-filter.js";
import type { Database, SqlValue } from "./database.js";

export interface Condition {
  sql: string;
  values: SqlValue[];
}

/** Undefined when the filter lets everything through. Globs are resolved to documents first, since SQLite's own `*` crosses folders. */
export function filterCondition(
  database: Database,
  filter: SearchFilter | undefined,
): Condition | undefined {
  if (filter === undefined) return undefined;
  const parts: Condition[] = [];
  if (filter.path !== undefined && filter.path !== "")
    parts.push(pathCondition(database, filter.path));
  if (filter.kind !== undefined) parts.push({ sql: "d.kind = ?", values: [filter.kind] });
  if (filter.modifiedAfter !== undefined)
    parts.push({ sql: "d.modified_at >= ?", values: [filter.modifiedAfter] });
  if (filter.modifiedBefore !== undefined)
    parts.push({ sql: "d.modified_at <= ?", values: [endOf(filter.modifiedBefore)] });
  if (parts.length === 0) return undefined;
  return {
    sql: parts.map((part) => part.sql).join(" AND "),
    values: parts.flatMap((part) => part.values),
  };
}

/** A bare day is meant to its end. */
function endOf(date: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(date) ? `${date}T23:59:59.999Z` : date;
}

function pathCondition(database: Database, pattern: string): Condition {
  if (!isGlob(pattern)) {
    if (!pattern.endsWith("/")) return { sql: "d.path = ?", values: [pattern] };
    // All strings with this prefix: up to the prefix with its last character, "/", raised to "0".
    return { sql: "d.path >= ? AND d.path < ?", values: [pattern, `${pattern.slice(0, -1)}0`] };
  }
  const matches = globMatcher(pattern);
  const ids = database
    .all("SELECT id, path FROM documents")
    .filter((row) => typeof row["path"] === "string" && matches(row["path"]))
    .map((row) => Number(row["id"]));
  return { sql: "d.id IN (SELECT value FROM json_each(?))", values: [JSON.stringify(ids)] };
}
