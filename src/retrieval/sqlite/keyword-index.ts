/** What ranking by keywords reads of the full-text index. What is small is remembered until the content changes. */
import type { CollectionStatistics } from "../lexical-ranking.js";
import type { Database } from "./database.js";
import { safeTerm } from "./fts-query.js";
import { passageLengths } from "./passage-lengths.js";
import { rowIds } from "./rows.js";
import type { Meta } from "./schema.js";

export interface KeywordIndex extends CollectionStatistics {
  /** Rows of the passages that hold a term, ascending, each as many times as the term occurs there. */
  occurrences(term: string): readonly number[];
  board(): ScoreBoard;
}

/** Two numbers for each passage, by row. */
export interface ScoreBoard {
  /** In terms. */
  readonly lengths: Uint32Array;
  /** Zero between searches. One for all of them: in a large collection it takes as long to make as a search. */
  readonly scores: Float64Array;
}

/** Frequencies kept at most; about 10 MB. */
const MAX_REMEMBERED = 100_000;

/** Gives the index as it is now. */
export function keywordIndexReader(database: Database, meta: Meta): () => KeywordIndex {
  let revision: string | undefined;
  let current: KeywordIndex | undefined;
  return () => {
    const now = meta.get("revision");
    if (current === undefined || now !== revision) {
      revision = now;
      current = read(database, meta);
    }
    return current;
  };
}

function read(database: Database, meta: Meta): KeywordIndex {
  const passages = Number(meta.get("passages") ?? "0");
  const frequencies = new Map<string, number>();
  let board: ScoreBoard | undefined;
  const remember = (term: string, frequency: number): number => {
    if (frequencies.size >= MAX_REMEMBERED) frequencies.clear();
    frequencies.set(term, frequency);
    return frequency;
  };
  return {
    passages,
    averageLength: Math.max(1, Number(meta.get("terms") ?? "0") / Math.max(1, passages)),
    frequency: (term) => frequencies.get(term) ?? remember(term, countedFrequency(database, term)),
    prepare(terms) {
      const unknown = terms.filter((term) => !frequencies.has(term));
      if (unknown.length > 1)
        for (const [term, frequency] of countedFrequencies(database, unknown))
          remember(term, frequency);
    },
    occurrences(term) {
      const rows = occurrencesOf(database, term);
      if (!frequencies.has(term)) remember(term, distinct(rows));
      return rows;
    },
    board: () => (board ??= boardOf(passageLengths(database))),
  };
}

function boardOf(lengths: Uint32Array): ScoreBoard {
  return { lengths, scores: new Float64Array(lengths.length) };
}

/** The index folds the capitals of ASCII, and so does `lower`. */
function countedFrequency(database: Database, term: string): number {
  return Number(
    database.all("SELECT doc FROM passage_vocabulary WHERE term = lower(?)", [safeTerm(term)])[0]?.[
      "doc"
    ] ?? 0,
  );
}

function countedFrequencies(database: Database, terms: readonly string[]): [string, number][] {
  return database
    .all(
      "SELECT j.value AS term, v.doc FROM json_each(?) j JOIN passage_vocabulary v ON v.term = lower(j.value)",
      [JSON.stringify(terms.map(safeTerm))],
    )
    .map((row) => [String(row["term"]), Number(row["doc"])]);
}

function occurrencesOf(database: Database, term: string): readonly number[] {
  return rowIds(
    database.all(
      "SELECT json_group_array(doc) AS rows FROM passage_occurrences WHERE term = lower(?)",
      [safeTerm(term)],
    )[0]?.["rows"],
  );
}

function distinct(ascending: readonly number[]): number {
  let count = 0;
  let last: number | undefined;
  for (const each of ascending) {
    if (each !== last) count++;
    last = each;
  }
  return count;
}
