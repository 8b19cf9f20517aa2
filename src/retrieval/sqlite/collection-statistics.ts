/** What ranking needs to know of the whole collection, counted by the full-text index and remembered until the content changes. */
import type { CollectionStatistics } from "../lexical-ranking.js";
import type { Database } from "./database.js";
import { safeTerm } from "./fts-query.js";
import type { Meta } from "./schema.js";

/** Frequencies kept at most; about 10 MB. */
const MAX_REMEMBERED = 100_000;

/** Gives the statistics of the collection as it is now. */
export function statisticsReader(database: Database, meta: Meta): () => CollectionStatistics {
  let revision: string | undefined;
  let current: CollectionStatistics | undefined;
  return () => {
    const now = meta.get("revision");
    if (current === undefined || now !== revision) {
      revision = now;
      current = read(database, meta);
    }
    return current;
  };
}

function read(database: Database, meta: Meta): CollectionStatistics {
  const passages = Number(meta.get("passages") ?? "0");
  const frequencies = new Map<string, number>();
  return {
    passages,
    averageLength: Math.max(1, Number(meta.get("terms") ?? "0") / Math.max(1, passages)),
    frequency(term) {
      let found = frequencies.get(term);
      if (found === undefined) {
        found = Number(database.all("SELECT doc FROM passage_vocabulary WHERE term = ?", [safeTerm(term)])[0]?.["doc"] ?? 0);
        if (frequencies.size >= MAX_REMEMBERED) frequencies.clear();
        frequencies.set(term, found);
      }
      return found;
    },
  };
}
