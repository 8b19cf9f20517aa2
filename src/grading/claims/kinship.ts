/** Letters that two terms of one family share at their beginning, at the least. */
export const FAMILY_LETTERS = 4;

const CLOSE = 0.8;
const LOOSE = 0.7;

/**
 * How far two terms may stand for each other, 0–1: 1 the same term, 0.8 a common beginning of at least five letters that is most of both
 * ("photograph", "photographi"), 0.7 a short one whose ending differs ("sing", "singer"), 0 otherwise.
 */
export function kinship(a: string, b: string): number {
  if (a === b) return 1;
  const longer = Math.max(a.length, b.length);
  const shorter = Math.min(a.length, b.length);
  let common = 0;
  while (common < shorter && a[common] === b[common]) common += 1;
  if (common >= 5 && common >= 0.6 * longer) return CLOSE;
  if (common < FAMILY_LETTERS) return 0;
  return (common === shorter && longer - shorter <= 4) || common >= 0.75 * longer ? LOOSE : 0;
}
