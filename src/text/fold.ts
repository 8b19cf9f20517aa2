import { stem as porter2 } from "porter2";

/** Letters that Unicode does not decompose, in the spelling that people type without them. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ ß: "ss", ø: "o", æ: "ae", œ: "oe", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" },
    ...{ "’": "'", ʼ: "'", ٱ: "ا", ى: "ي", ة: "ه" },
  }),
);
const SPECIAL = new RegExp(`[${[...LETTERS.keys()].join("")}]`, "gu");
/** Accents, Hebrew points, Arabic vowel signs and tatweel; vowel signs of Indic scripts stay. */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u065f\u0670]/gu;
const ASCII = /^[\x00-\x7f]*$/u;

/**
 * Lower case without optional marks, so that "Café", "CAFE" and "cafe" are one word. The length may
 * change: never use it on text whose offsets matter.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return lower
    .normalize("NFKD")
    .replace(OPTIONAL_MARKS, "")
    .replace(SPECIAL, (letter) => LETTERS.get(letter) ?? letter)
    .normalize("NFC");
}

const LATIN = /^[a-z]{4,24}$/u;
const ARABIC = /^[\u0620-\u064a]+$/u;

/**
 * The stem of a folded word: Porter2 for plain Latin letters, which shortens a few endings of other
 * languages too, but everywhere the same way; light stemming for Arabic; anything else unchanged.
 */
export function stemWord(word: string): string {
  if (LATIN.test(word)) return porter2(word);
  return ARABIC.test(word) ? stemArabic(word) : word;
}

const ARABIC_PREFIXES = ["وال", "بال", "كال", "فال", "ال", "لل"];
const ARABIC_SUFFIXES = ["ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي"];

/**
 * "Light10" of Larkey, Ballesteros and Connell (2007): article and conjunction off the front, the
 * commonest endings off the back.
 */
function stemArabic(word: string): string {
  let stem = word;
  if (stem.startsWith("و") && stem.length > 4) stem = stem.slice(1);
  const prefix = ARABIC_PREFIXES.find(
    (candidate) => stem.startsWith(candidate) && stem.length - candidate.length >= 2,
  );
  if (prefix !== undefined) stem = stem.slice(prefix.length);
  for (const suffix of ARABIC_SUFFIXES)
    if (stem.endsWith(suffix) && stem.length - suffix.length >= 2)
      stem = stem.slice(0, -suffix.length);
  return stem;
}
