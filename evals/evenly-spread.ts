/**
 * A sample that stands for the whole: `limit` items at equal distances, in their order. Files are often sorted by article or by label, so that the
 * first so many say little about the rest.
 * @example evenlySpread([1, 2, 3, 4, 5, 6], 3) // [1, 3, 5]
 */
export function evenlySpread<Item>(items: readonly Item[], limit = items.length): Item[] {
  if (limit >= items.length) return [...items];
  return Array.from(
    { length: limit },
    (_, n) => items[Math.floor((n * items.length) / limit)],
  ).filter((item) => item !== undefined);
}
