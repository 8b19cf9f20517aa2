import table from "./background-rarity.json" with { type: "json" };

const rarity = new Map<string, number>();
for (const [bucket, terms] of Object.entries(table.rarity)) {
  for (const term of terms.split(" ")) rarity.set(term, Number(bucket) * table.unit);
}

/** Rarity of a term that the table does not know. */
export const HIGHEST_IDF = table.max * table.unit;

/**
 * Background rarity of a term, ln(N / df) over encyclopedia text, from about 0.8 for the commonest
 * stems to `HIGHEST_IDF`. It lets a judge weigh words without an index. Unknown terms (names,
 * identifiers, other languages) count as rarest.
 */
export function idf(term: string): number {
  return rarity.get(term) ?? HIGHEST_IDF;
}
