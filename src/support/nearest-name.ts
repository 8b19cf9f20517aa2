/**
 * Returns the known name that a misspelt one was probably meant to be: at most a third of its
 * letters apart.
 * @example nearestName("profil", ["profile", "quality"]) // "profile"
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  const [best] = known
    .map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(wanted.length, name.length) / 3)
    .sort((a, b) => a.distance - b.distance);
  return best?.name;
}

/** Levenshtein distance: insertions, deletions and exchanges of one letter. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}
