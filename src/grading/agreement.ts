import { contentTerms } from "../text/analyse.js";

/**
 * Returns how much passages have in common, 0–1: the mean similarity of each with the others, by
 * their vectors, or by the words that they share where there are none. Undefined for fewer than
 * two. Pure.
 */
export function agreement(
  texts: readonly string[],
  vectors?: readonly Float32Array[],
): number | undefined {
  if (texts.length < 2) return undefined;
  const terms = texts.map((text) => new Set(contentTerms(text)));
  let sum = 0;
  let pairs = 0;
  for (let i = 0; i < texts.length; i += 1)
    for (let j = i + 1; j < texts.length; j += 1) {
      const [a, b] = [vectors?.[i], vectors?.[j]];
      sum += a && b ? dotProduct(a, b) : overlap(terms[i], terms[j]);
      pairs += 1;
    }
  return Math.min(1, Math.max(0, sum / pairs));
}

function dotProduct(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

/** Cosine of two sets of terms. */
function overlap(a: ReadonlySet<string> = new Set(), b: ReadonlySet<string> = new Set()): number {
  const shared = [...a].filter((term) => b.has(term)).length;
  return a.size === 0 || b.size === 0 ? 0 : shared / Math.sqrt(a.size * b.size);
}
