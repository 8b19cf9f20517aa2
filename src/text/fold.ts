/** Letters that Unicode does not decompose, in the spelling that people type without them. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  ø: "o",
  æ: "ae",
  œ: "oe",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  "’": "'",
  ʼ: "'",
};
const SPECIAL = /[ßøæœłđðþı’ʼ]/gu;

/** Marks that spelling may leave out: Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowel signs and tatweel. Vowel signs of Indic scripts stay. */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u065f\u0670]/gu;

const ASCII = /^[\x00-\x7f]*$/u;

/**
 * Lower case without optional marks, so that "Café", "CAFE" and "cafe" are one word. Arabic alef, ya and ta marbuta are unified;
 * full-width letters become plain. The length may change: never use it on text whose offsets matter.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return lower
    .normalize("NFKD")
    .replace(OPTIONAL_MARKS, "")
    .replace(SPECIAL, (letter) => LETTERS[letter] ?? letter)
    .replace(/[آأإٱ]/gu, "ا")
    .replace(/ى/gu, "ي")
    .replace(/ة/gu, "ه")
    .normalize("NFC");
}
