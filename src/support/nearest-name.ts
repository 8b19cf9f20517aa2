/**
 * Returns the known name that a misspelled one probably means: at most a third of the letters
 * differ.
 * @example nearestName("profil", ["profile", "quality"]) // "profile"
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const asked = given.toLowerCase();
  const limitFor = (name: string): number => Math.max(asked.length, name.length) / 3;
  const [best] = known
    // The distance takes time in proportion to both lengths, and a client may send a megabyte.
    .filter((name) => Math.abs(name.length - asked.length) <= limitFor(name))
    .map((name) => ({ name, distance: editDistance(asked, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= limitFor(name))
    .sort((a, b) => a.distance - b.distance);
  return best?.name;
}

/** Levenshtein distance: insertions, deletions and substitutions of one letter. */
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

/** True if one letter was added, left out, exchanged, or swapped with the next. */
export function isOneEditApart(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a === b) return false;
  let at = 0;
  while (a[at] === b[at]) at++;
  const [restOfA, restOfB] = [a.slice(at), b.slice(at)];
  const swapped = (restOfA[1] ?? "") + (restOfA[0] ?? "") + restOfA.slice(2);
  return (
    restOfA.slice(1) === restOfB ||
    restOfA === restOfB.slice(1) ||
    restOfA.slice(1) === restOfB.slice(1) ||
    swapped === restOfB
  );
}
