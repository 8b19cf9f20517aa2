/** Finds the name that a misspelled one means. */

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

/**
 * Returns the known name that a misspelled one probably means: the same in other capitals, or one
 * letter apart.
 * @example nearestName("profil", ["profile", "quality"]) // "profile"
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const asked = given.toLowerCase();
  const near = known.filter((name) => Math.abs(name.length - asked.length) <= 1);
  return (
    near.find((name) => name.toLowerCase() === asked) ??
    near.find((name) => isOneEditApart(asked, name.toLowerCase()))
  );
}
