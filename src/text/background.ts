import table from "./background-rarity.json" with { type: "json" };

const rarity = new Map<string, number>();
for (const [bucket, terms] of Object.entries(table.rarity)) {
  for (const term of terms.split(" ")) rarity.set(term, Number(bucket) * table.unit);
}

export const HIGHEST_IDF = table.max * table.unit;

/**
 * Returns the rarity of a term in encyclopedia text, ln(N / df), from about 0.8 for the commonest
 * stems to `HIGHEST_IDF` for unknown terms (names, identifiers, other languages).
 */
export function idf(term: string): number {
  return rarity.get(term) ?? HIGHEST_IDF;
}
