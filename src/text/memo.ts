/** What a function of a text came to, kept for the texts seen last: one passage is read by the judge, the answer and the guard in turn. */

export interface MemoOptions<T> {
  /** Characters of all keys together; the least recently used goes first. */
  maxCharacters?: number;
  /** Longer texts are worked out each time. */
  maxLength?: number;
  /** Work that depends on nothing but the text. */
  compute: (text: string) => T;
}

/** About 2 MB of derived data for each memo that is full. */
const MAX_CHARACTERS = 200_000;
const MAX_LENGTH = 20_000;

/**
 * Remembers a pure function of a text. Results are shared between callers, so they must be of read-only types.
 * @example const unitsOf = memoised({ compute: readUnits });
 */
export function memoised<T>({
  compute,
  maxCharacters = MAX_CHARACTERS,
  maxLength = MAX_LENGTH,
}: MemoOptions<T>): (text: string) => T {
  // A Map keeps the order of insertion; a hit is inserted anew, so the first key is the one least recently used.
  const known = new Map<string, { value: T }>();
  let characters = 0;
  return (text) => {
    const hit = known.get(text);
    if (hit !== undefined) {
      known.delete(text);
      known.set(text, hit);
      return hit.value;
    }
    const value = compute(text);
    if (text.length > maxLength) return value;
    known.set(text, { value });
    characters += text.length;
    for (const oldest of known.keys()) {
      if (characters <= maxCharacters) break;
      known.delete(oldest);
      characters -= oldest.length;
    }
    return value;
  };
}
