import { stem as porter2 } from "porter2";

const ENGLISH_LIKE = /^[a-z]{4,24}$/u;
const ARABIC = /^[\u0620-\u064a]+$/u;

/** Stems are looked up far more often than they are new; the table is emptied when full, so that memory stays bounded. */
const known = new Map<string, string>();
const KNOWN_AT_MOST = 50_000;

/**
 * The stem of a folded word: Porter2 for words of plain Latin letters, light stemming for Arabic, anything else unchanged.
 * Words of other Latin-script languages pass through Porter2 too, which shortens a few endings but does so the same way everywhere.
 */
export function stemWord(word: string): string {
  const cached = known.get(word);
  if (cached !== undefined) return cached;
  const result = ENGLISH_LIKE.test(word)
    ? porter2(word)
    : ARABIC.test(word)
      ? stemArabic(word)
      : word;
  if (known.size >= KNOWN_AT_MOST) known.clear();
  known.set(word, result);
  return result;
}

const ARABIC_PREFIXES = ["وال", "بال", "كال", "فال", "ال", "لل"];
const ARABIC_SUFFIXES = ["ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي"];

/** "Light10" of Larkey, Ballesteros and Connell (2007): article and conjunction off the front, the commonest endings off the back. */
function stemArabic(word: string): string {
  let stem = word;
  if (stem.startsWith("و") && stem.length > 4) stem = stem.slice(1);
  const prefix = ARABIC_PREFIXES.find(
    (candidate) => stem.startsWith(candidate) && stem.length - candidate.length >= 2,
  );
  if (prefix !== undefined) stem = stem.slice(prefix.length);
  for (const suffix of ARABIC_SUFFIXES) {
    if (stem.endsWith(suffix) && stem.length - suffix.length >= 2)
      stem = stem.slice(0, -suffix.length);
  }
  return stem;
}
