/** Which encoding older than Unicode a text is in, told by the letters that are frequent in its language. */

interface Encoding {
  label: string;
  /** Characters of which its texts are full. */
  frequent: RegExp;
  /** Their usual share among the characters beyond ASCII, 0–1: about a text of a few sentences, rounded down. */
  usual: number;
}

const KANA = /[\p{Script=Hiragana}\u30a0-\u30ff、。]/gu;
const HANZI =
  /[的一是不了在人有我他这為为之大来來以个個中上们們到说說国國和地也子时時道出要年得就那下生会會自着著去，。、：]/gu;
const HANGUL = /[이다는을의가에고하은지를로한기서도사자리어대인시나일수있그해전정부제들것]/gu;
const CYRILLIC = /[оеаинтсрвлкмдпуяыьгз]/gu;
const GREEK = /[αοιετσνηυρπκμλςάίόέ]/gu;
const HEBREW = /[יוהלאתמרבנשע]/gu;
const ARABIC = /[اليمونترةبعدسفهك]/gu;
const THAI = /[านรอกเงลวยมตสดทคัี่้]/gu;

/** In the order in which they are preferred where two fit alike. */
const ENCODINGS: readonly Encoding[] = [
  { label: "windows-1251", frequent: CYRILLIC, usual: 0.75 },
  { label: "koi8-r", frequent: CYRILLIC, usual: 0.75 },
  { label: "ibm866", frequent: CYRILLIC, usual: 0.75 },
  { label: "shift_jis", frequent: KANA, usual: 0.4 },
  { label: "euc-jp", frequent: KANA, usual: 0.4 },
  { label: "gb18030", frequent: HANZI, usual: 0.25 },
  { label: "big5", frequent: HANZI, usual: 0.25 },
  { label: "euc-kr", frequent: HANGUL, usual: 0.4 },
  { label: "windows-1253", frequent: GREEK, usual: 0.75 },
  { label: "windows-1255", frequent: HEBREW, usual: 0.75 },
  { label: "windows-1256", frequent: ARABIC, usual: 0.75 },
  { label: "windows-874", frequent: THAI, usual: 0.55 },
];

/** How many bytes are looked at. */
const SAMPLE = 32_768;
/** In Western European texts characters beyond ASCII stand alone among others; in other scripts whole words are made of them. */
const WESTERN_BELOW = 0.3;
/** A text fits when it has at least this share of what is usual, and fails where more than one character in a hundred cannot be read. */
const FITS_FROM = 0.6;
const MAX_UNREADABLE = 0.01;

/** The encoding of bytes that are no UTF-8, as `TextDecoder` names it; undefined where it cannot be told. */
export function legacyEncoding(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE);
  if (isWestern(sample)) return "windows-1252";
  const rated = ENCODINGS.map(({ label, frequent, usual }) => ({
    label,
    fit: shareOf(decode(sample, label), frequent) / usual,
  }));
  const best = rated.reduce((a, b) => (b.fit > a.fit + 1e-9 ? b : a));
  return best.fit >= FITS_FROM ? best.label : undefined;
}

function isWestern(sample: Uint8Array): boolean {
  const text = decode(sample, "windows-1252");
  const lengthOf = (pattern: RegExp): number => (text.match(pattern) ?? []).join("").length;
  return lengthOf(/[^\p{ASCII}]{2,}/gu) < WESTERN_BELOW * lengthOf(/[^\p{ASCII}]/gu);
}

function shareOf(text: string, frequent: RegExp): number {
  const beyond = text.match(/[^\p{ASCII}]/gu) ?? [];
  const unreadable = beyond.filter((character) => character === "\ufffd").length;
  // The last character of the sample may have been cut.
  if (beyond.length === 0 || unreadable > 1 + beyond.length * MAX_UNREADABLE) return 0;
  return (beyond.join("").match(frequent) ?? []).length / beyond.length;
}

function decode(bytes: Uint8Array, label: string): string {
  return new TextDecoder(label).decode(bytes);
}
