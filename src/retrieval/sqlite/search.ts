/** Searches by BM25 over our own terms and by nearest vectors, with filters in SQL. */
import { searchTerms } from "../../text/analyse.js";
import { cosineScore, type Candidate } from "../fusion.js";
import { queryWeights } from "../indexed-text.js";
import { normalized, type Vector } from "../../reader/embedder.js";
import type { Filter } from "../../settings/filter.js";
import { PassageSchema, type Hit, type Passage } from "../knowledge-base.js";
import { filterMatcher } from "../search-filter.js";
import type { Database, SqlValue } from "./database.js";
import { Meta, METADATA, PASSAGE_COLUMNS, PASSAGES } from "./schema.js";

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

/**
 * Returns `AND +rowid IN (…)`, for passages, or nothing for a filter that all pass. Without the
 * plus FTS5 would search once for each passage that passes: seven seconds of 100,000.
 */
export function filterCondition(database: Database, filter: Filter | undefined): Condition {
  const { sql, values } = describedIn(database, "description_id", filter);
  if (sql === "") return { sql, values };
  // Ids are never used again, so a selection that is out of date can only hold too few.
  const version = new Meta(database).get("revision") ?? "";
  const passages = `SELECT id FROM passages WHERE true ${sql}`;
  const selection = database.selected(passages, values, JSON.stringify([version, filter]));
  return { sql: `AND +rowid IN ${selection}`, values: [] };
}

/** Returns `AND … IN (…)` for a column with a description's id, or nothing if all pass. */
export function describedIn(
  database: Database,
  column: string,
  filter: Filter | undefined,
): Condition {
  if (filter === undefined) return { sql: "", values: [] };
  const { passing, tested } = described(database, filter);
  if (passing.length === tested) return { sql: "", values: [] };
  const sql = `AND ${column} IN (SELECT value FROM json_each(?))`;
  return { sql, values: [JSON.stringify(passing)] };
}

const Described = PassageSchema.pick({ path: true, kind: true, modifiedAt: true, metadata: true });

/** Tests the descriptions that were added since this filter was last used; they never change. */
function described(database: Database, filter: Filter) {
  const { descriptions, filtered } = database;
  const added = database.all(
    `SELECT m.id, d.path, d.kind, d.modified_at AS modifiedAt, ${METADATA} FROM descriptions m
     JOIN documents d ON d.id = m.document_id WHERE m.id > ? ORDER BY m.id`,
    [descriptions.at(-1)?.id ?? 0],
  );
  for (const { id, ...row } of added)
    descriptions.push({ id: Number(id), about: Described.parse(withMetadata(row)) });
  const key = JSON.stringify(filter);
  const known = filtered.get(key) ?? { passing: [], tested: 0 };
  const matches = filterMatcher(filter);
  for (const { id, about } of descriptions.slice(known.tested))
    if (matches(about)) known.passing.push(id);
  known.tested = descriptions.length;
  filtered.set(key, known);
  return known;
}
