import { wordsOf } from "../text/words.js";

/** Words in a shingle; shorter texts are compared as a whole. */
const SHINGLE_WORDS = 4;
/** Jaccard similarity of shingles from which two texts count as duplicates. */
const DUPLICATE_FROM = 0.8;

/**
 * Makes a filter that drops near-duplicates of earlier texts, regardless of case, punctuation and
 * white space. Texts without words always pass.
 * @example texts.filter(newTexts())
 */
export function newTexts(): (text: string) => boolean {
  const known: ReadonlySet<string>[] = [];
  return (text) => {
    const shingles = shinglesOf(text);
    if (known.some((each) => isSimilar(each, shingles))) return false;
    if (shingles.size > 0) known.push(shingles);
    return true;
  };
}

function shinglesOf(text: string): ReadonlySet<string> {
  const words = wordsOf(text.toLowerCase());
  const last = Math.max(1, words.length - SHINGLE_WORDS + 1);
  return new Set(
    words.slice(0, last).map((_, at) => words.slice(at, at + SHINGLE_WORDS).join(" ")),
  );
}

function isSimilar(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const [fewer, more] = left.size < right.size ? [left, right] : [right, left];
  // Too different in size to share enough.
  if (fewer.size < DUPLICATE_FROM * more.size) return false;
  let shared = 0;
  for (const shingle of fewer) if (more.has(shingle)) shared++;
  return shared / (left.size + right.size - shared) >= DUPLICATE_FROM;
}
