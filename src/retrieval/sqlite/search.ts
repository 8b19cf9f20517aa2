/** Searches by BM25 over our own terms and by nearest vectors, with filters in SQL. */
import { searchTerms } from "../../text/analyse.js";
import { cosineScore, type Candidate } from "../fusion.js";
import { queryWeights } from "../indexed-text.js";
import { normalized, type Vector } from "../../reader/embedder.js";
import { PassageSchema, type Hit, type SearchFilter } from "../knowledge-base.js";
import { asFolder, isoInstant, needsMatcher, pathMatcher } from "../search-filter.js";
import type { Database, SqlValue } from "./database.js";
import { PASSAGE_COLUMNS, PASSAGES } from "./schema.js";

/** Weight of title terms: nDCG@10 on nfcorpus is .3005 with 2, .2983 with 1. */
const TITLE_WEIGHT = 2;
/** Of a longer query, which is pasted text, both ends are searched: a question stands there. */
const MAX_QUERY_TERMS = 256;

/** Characters at which the index's tokenizer cuts (see the table definition). */
const UNSAFE = /[\u0000-\u0020"\\`\u007f]+/g;

/** Applied to documents and queries alike, so matches are not lost. */
function safeTerms(terms: readonly string[]): string[] {
  return terms.map((term) => term.replace(UNSAFE, "_")).filter((term) => term !== "");
}

/** Returns terms as one cell of the index. */
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
    passage: PassageSchema.parse(passage),
    ...(isBlob(stored) && { vector: new Float32Array(stored) }),
  }));
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

/** `AND rowid IN (…)`, or nothing without a filter. */
export interface Condition {
  sql: string;
  values: SqlValue[];
}

/**
 * Globs are resolved to documents first, since `*` of SQLite's GLOB crosses folders, and so are
 * names with letters that can be written in two ways.
 */
export function filterCondition(database: Database, filter: SearchFilter = {}): Condition {
  const { path = "", kind, modifiedAfter, modifiedBefore } = filter;
  const parts: [sql: string, ...values: SqlValue[]][] = [];
  if (needsMatcher(path)) {
    const matches = pathMatcher(path);
    const documents = database.all("SELECT id, path FROM documents");
    const ids = documents.filter((row) => matches(String(row["path"]))).map(({ id }) => Number(id));
    parts.push(["d.id IN (SELECT value FROM json_each(?))", JSON.stringify(ids)]);
  } else if (path !== "") {
    const folder = asFolder(path);
    // All strings with this prefix: "0" is the character after "/".
    const end = `${folder.slice(0, -1)}0`;
    parts.push(["(d.path = ? OR d.path >= ? AND d.path < ?)", path, folder, end]);
  }
  if (kind !== undefined) parts.push(["d.kind = ?", kind]);
  if (modifiedAfter !== undefined)
    parts.push(["julianday(d.modified_at) >= julianday(?)", isoInstant(modifiedAfter, "start")]);
  if (modifiedBefore !== undefined)
    parts.push(["julianday(d.modified_at) <= julianday(?)", isoInstant(modifiedBefore, "end")]);
  if (parts.length === 0) return { sql: "", values: [] };
  const all = parts.map(([sql]) => sql).join(" AND ");
  return {
    sql: `AND rowid IN (SELECT p.id FROM ${PASSAGES} WHERE ${all})`,
    values: parts.flatMap(([, ...values]) => values),
  };
}
