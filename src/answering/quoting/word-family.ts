/** Two terms of one word family: a common beginning of at least four letters that is most of both ("govern", "governor"). */
export function isAkin(a: string, b: string): boolean {
  if (a.charCodeAt(0) !== b.charCodeAt(0)) return false;
  let common = 0;
  while (common < a.length && common < b.length && a.charCodeAt(common) === b.charCodeAt(common))
    common += 1;
  return common >= 4 && common >= 0.55 * Math.max(a.length, b.length);
}
