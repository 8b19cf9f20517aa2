/** Searches by BM25 over our own terms and by nearest vectors, with filters in SQL. */
import { searchTerms } from "../../text/analyse.js";
import { cosineScore, type Candidate } from "../fusion.js";
import { queryWeights } from "../indexed-text.js";
import { normalized, type Vector } from "../../reader/embedder.js";
import type { Filter } from "../../settings/filter.js";
import { PassageSchema, type Hit, type Passage } from "../knowledge-base.js";
import {
  asFolder,
  compileFilter,
  needsMatcher,
  pathMatcher,
  type FactTest,
} from "../search-filter.js";
import type { Database, SqlValue } from "./database.js";
import { Meta, PASSAGE_COLUMNS, PASSAGES } from "./schema.js";

/** Weight of title terms: nDCG@10 on nfcorpus is .3005 with 2, .2983 with 1. */
const TITLE_WEIGHT = 2;
/** Of a longer query, pasted text, both ends are searched, where the question usually is. */
const MAX_QUERY_TERMS = 256;

/** Characters at which the index's tokenizer cuts (see the table definition). */
const UNSAFE = /[\u0000-\u0020"\\`\u007f]+/g;

/** Applied to documents and queries alike, so matches are not lost. */
function safeTerms(terms: readonly string[]): string[] {
  return terms.map((term) => term.replace(UNSAFE, "_")).filter((term) => term !== "");
}

export function termsAsCell(terms: readonly string[]): string {
  return safeTerms(terms).join(" ");
}

/** Returns `"a" OR "b"`, in which repeated terms count again; undefined without terms. */
export function matchAny(terms: readonly string[]): string | undefined {
  const all = [...queryWeights(safeTerms(terms))];
  const half = MAX_QUERY_TERMS / 2;
  const asked = all.length <= MAX_QUERY_TERMS ? all : [...all.slice(0, half), ...all.slice(-half)];
  const quoted = asked.flatMap(([term, times]) => Array<string>(times).fill(`"${term}"`));
  return quoted.length === 0 ? undefined : quoted.join(" OR ");
}

interface Leg {
  limit: number;
  condition: Condition;
}

/** Searches by BM25, best first, and returns the vectors of hits for fusion. */
export function searchKeywords(
  database: Database,
  query: string,
  { limit, condition }: Leg,
): Candidate[] {
  const match = matchAny(searchTerms(query));
  if (match === undefined) return [];
  return database
    .all(
      `SELECT row, score, ${vectorOf("row")} FROM
       (SELECT rowid AS row, bm25(passage_terms, ${TITLE_WEIGHT}, 1) AS score FROM passage_terms
       WHERE passage_terms MATCH ? ${condition.sql} ORDER BY score LIMIT ?) ORDER BY score`,
      [match, ...condition.values, limit],
    )
    .map(({ row, score, vector }) => ({
      passage: { id: String(row) },
      scores: [{ value: -Number(score), scale: "bm25", by: "fts5" }],
      ...(isBlob(vector) && { vector: new Float32Array(vector) }),
    }));
}

/** Finds the nearest passages by comparing all of them, best first. */
export function searchVectors(
  database: Database,
  query: Vector,
  { limit, condition, by = "" }: Leg & { by?: string | undefined },
): Candidate[] {
  return database
    .all(
      `SELECT rowid AS row, vector_distance_cos(vector, vector8(?1)) AS distance FROM vectors
       WHERE true ${condition.sql} ORDER BY distance, rowid LIMIT ?`,
      [vectorBlob(query), ...condition.values, limit],
    )
    .map(({ row, distance }) => ({
      passage: { id: String(row) },
      scores: [cosineScore(1 - Number(distance ?? 1), by)],
    }));
}

/** Reads the passages that were found, except those removed in the meantime. */
export function readHits(database: Database, found: readonly Candidate[]): Hit[] {
  const rows = JSON.stringify(found.map(({ passage: { id } }) => Number(id)));
  const stored = storedPassages(database, "p.id IN (SELECT value FROM json_each(?))", rows);
  const byRow = new Map(stored.map(({ row, ...hit }) => [String(row), hit]));
  return found.flatMap(({ passage: { id }, scores }) => {
    const hit = byRow.get(id);
    return hit === undefined ? [] : [{ ...hit, scores }];
  });
}

/** Reads passages with their vectors, if they have one. */
export function storedPassages(
  database: Database,
  where: string,
  value: SqlValue,
): ({ row: number } & Pick<Hit, "passage" | "vector">)[] {
  const sql = `SELECT ${PASSAGE_COLUMNS}, ${vectorOf("p.id")} FROM ${PASSAGES} WHERE ${where}`;
  return database.all(sql, [value]).map(({ row, vector: stored, ...passage }) => ({
    row: Number(row),
    passage: passageOf(passage),
    ...(isBlob(stored) && { vector: new Float32Array(stored) }),
  }));
}

/** Reads a row of `PASSAGE_COLUMNS`. */
export function passageOf(row: Record<string, unknown>): Passage {
  return PassageSchema.parse(withMetadata(row));
}

export function withMetadata({ metadata, ...row }: Record<string, unknown>): object {
  if (typeof metadata !== "string") return row;
  return { ...row, metadata: JSON.parse(metadata) as unknown };
}

function vectorOf(row: string): string {
  return `(SELECT vector32(vector) FROM vectors WHERE passage = ${row}) AS vector`;
}

/** Returns a vector as `vector8` takes it; the driver binds Buffers as blobs. */
export function vectorBlob(vector: Vector): Buffer {
  return Buffer.from(normalized(vector).buffer);
}

/** Under a test runner ArrayBuffers come from another realm, which rules out `instanceof`. */
function isBlob(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}

/** Values for the question marks in the SQL. */
export interface Condition {
  sql: string;
  values: readonly SqlValue[];
}

/** A condition on a description, or one that holds for all or for none. */
type Described = Condition | boolean;

/**
 * Returns `AND +rowid IN (…)`, for passages, or nothing for a filter that all pass. Without the
 * plus FTS5 would search once for each passage that passes: seven seconds of 100,000.
 */
export function filterCondition(database: Database, filter: Filter | undefined): Condition {
  const found = describedBy(database, filter);
  if (typeof found === "boolean") return conditionOn("rowid", found);
  const passages = `SELECT id FROM passages WHERE description_id IN (${found.sql})`;
  // Ids are never used again, so a selection that is out of date can only hold too few.
  const version = new Meta(database).get("revision") ?? "";
  return { sql: `AND +rowid IN ${database.selected(passages, found.values, version)}`, values: [] };
}

/** Returns `AND … IN (…)` for a column with a description's id. */
export function describedIn(
  database: Database,
  column: string,
  filter: Filter | undefined,
): Condition {
  return conditionOn(column, describedBy(database, filter));
}

function conditionOn(column: string, found: Described): Condition {
  if (typeof found === "boolean") return { sql: found ? "" : "AND false", values: [] };
  return { sql: `AND ${column} IN (${found.sql})`, values: found.values };
}

function describedBy(database: Database, filter: Filter | undefined): Described {
  if (filter === undefined) return true;
  const found = compileFilter<Described>(filter, {
    and: (parts) => joined(parts, "AND"),
    or: (parts) => joined(parts, "OR"),
    not: (part) =>
      typeof part === "boolean" ? !part : { sql: `NOT ${part.sql}`, values: part.values },
    path: (pattern) => pathCondition(database, pattern),
    fact(key, test) {
      // Most knowledge bases have no permissions, and then nothing is compared.
      const [known] = database.all("SELECT 1 FROM facts WHERE key = ? LIMIT 1", [key]);
      if (known === undefined) return false;
      const { sql, values } = factCondition(test);
      const facts = `SELECT description_id FROM facts WHERE key = ?${sql}`;
      return { sql: `(id IN (${facts}))`, values: [key, ...values] };
    },
  });
  if (typeof found === "boolean") return found;
  return { sql: `SELECT id FROM descriptions WHERE ${found.sql}`, values: found.values };
}

function joined(parts: readonly Described[], by: "AND" | "OR"): Described {
  const decisive = by === "OR";
  if (parts.includes(decisive)) return decisive;
  const open = parts.filter((part) => typeof part !== "boolean");
  if (open.length === 0) return !decisive;
  return {
    sql: `(${open.map(({ sql }) => sql).join(` ${by} `)})`,
    values: open.flatMap(({ values }) => values),
  };
}

function factCondition(test: FactTest): Condition {
  if (test === "any") return { sql: "", values: [] };
  if ("texts" in test)
    return {
      sql: " AND text IN (SELECT value FROM json_each(?))",
      values: [JSON.stringify(test.texts)],
    };
  const [column, range] =
    "number" in test ? ["number", test.number] : (["instant", test.instant] as const);
  const bounds = Object.entries(range).map(([name, bound]) => [OPERATORS[name], bound] as const);
  return {
    sql: bounds.map(([operator]) => ` AND ${column} ${operator} ?`).join(""),
    values: bounds.map(([, bound]) => Number(bound)),
  };
}

const OPERATORS: Readonly<Record<string, string>> = { gt: ">", gte: ">=", lt: "<", lte: "<=" };

/**
 * Globs are resolved to documents first, since `*` of SQLite's GLOB crosses folders, and so are
 * names with letters that can be written in two ways.
 */
function pathCondition(database: Database, path: string): Described {
  if (path === "**") return true;
  if (needsMatcher(path)) {
    const asked = `${new Meta(database).get("revision") ?? ""} ${path}`;
    const ids = database.matches.get(asked) ?? matchingIds(database, path);
    database.matches.set(asked, ids);
    return { sql: "(document_id IN (SELECT value FROM json_each(?)))", values: [ids] };
  }
  const folder = asFolder(path);
  // All strings with this prefix: "0" is the character after "/".
  const end = `${folder.slice(0, -1)}0`;
  return {
    sql: "(document_id IN (SELECT id FROM documents WHERE path = ? OR path >= ? AND path < ?))",
    values: [path, folder, end],
  };
}

function matchingIds(database: Database, path: string): string {
  const matches = pathMatcher(path);
  const documents = database.all("SELECT id, path FROM documents");
  const found = documents.filter((row) => matches(String(row["path"])));
  return JSON.stringify(found.map(({ id }) => Number(id)));
}
