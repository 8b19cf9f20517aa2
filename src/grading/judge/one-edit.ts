/** How many letters two words have in common from their beginning. */
export function commonPrefix(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  return i;
}

/**
 * Whether one letter more, less or other, or two neighbours exchanged, makes one word of the other (Damerau 1964).
 *
 * @param common Letters that they have in common from their beginning, `commonPrefix(a, b)`.
 */
export function oneEditApart(a: string, b: string, common: number): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let [endOfA, endOfB] = [a.length, b.length];
  while (
    endOfA > common &&
    endOfB > common &&
    a.charCodeAt(endOfA - 1) === b.charCodeAt(endOfB - 1)
  ) {
    endOfA -= 1;
    endOfB -= 1;
  }
  const [left, right] = [endOfA - common, endOfB - common];
  if (left <= 1 && right <= 1) return true;
  return (
    left === 2 &&
    right === 2 &&
    a.charAt(common) === b.charAt(common + 1) &&
    a.charAt(common + 1) === b.charAt(common)
  );
}
