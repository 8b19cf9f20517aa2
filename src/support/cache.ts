import { LRUCache } from "lru-cache";

/**
 * Caches a pure function for the texts seen last, each with what else is known of it. Callers share
 * the results, which must be read-only.
 * @param maxCharacters of all keys together; by default about 2 MB of derived data
 * @param maxLength longer texts are computed each time
 * @example const unitsOf = memoize({ compute: readUnits });
 */
export function memoize<Result, Known extends string = string>({
  compute,
  maxCharacters = 200_000,
  maxLength = 20_000,
}: {
  compute: (text: string, known?: Known) => Result;
  maxCharacters?: number;
  maxLength?: number;
}): (text: string, known?: Known) => Result {
  const results = new LRUCache<string, { result: Result }>({
    maxSize: maxCharacters,
    maxEntrySize: maxLength,
    sizeCalculation: (_, key) => Math.max(1, key.length),
  });
  return (text, known) => {
    const key = known === undefined ? text : `${known.length} ${known} ${text}`;
    const hit = results.get(key);
    if (hit !== undefined) return hit.result;
    const result = compute(text, known);
    results.set(key, { result });
    return result;
  };
}

/** Makes a value at the first call and keeps it, unless it is a promise that rejects. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    if (made === undefined) {
      const box = { value: make() };
      made = box;
      if (box.value instanceof Promise)
        box.value.catch(() => {
          if (made === box) made = undefined;
        });
    }
    return made.value;
  };
}
