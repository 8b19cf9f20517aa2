/** Do answer and evidence speak the same language? Writing systems and the commonest little words are enough to notice a difference. */
import { memoised } from "../text/memo.js";

const LITTLE_WORDS: Readonly<Record<string, readonly string[]>> = {
  English: [
    "the",
    "of",
    "and",
    "is",
    "was",
    "in",
    "to",
    "that",
    "with",
    "for",
    "by",
    "are",
    "were",
    "it",
    "from",
  ],
  German: [
    "der",
    "die",
    "das",
    "und",
    "ist",
    "war",
    "in",
    "zu",
    "dass",
    "mit",
    "für",
    "von",
    "den",
    "nicht",
    "ein",
    "eine",
    "wurde",
    "im",
  ],
  French: [
    "le",
    "la",
    "les",
    "et",
    "est",
    "était",
    "dans",
    "à",
    "que",
    "avec",
    "pour",
    "par",
    "des",
    "du",
    "une",
    "un",
    "de",
  ],
  Spanish: [
    "el",
    "la",
    "los",
    "y",
    "es",
    "fue",
    "en",
    "que",
    "con",
    "para",
    "por",
    "del",
    "una",
    "un",
    "las",
    "de",
    "se",
  ],
  Italian: [
    "il",
    "la",
    "gli",
    "e",
    "è",
    "era",
    "nel",
    "che",
    "con",
    "per",
    "di",
    "della",
    "una",
    "un",
    "sono",
    "dei",
  ],
  Portuguese: [
    "o",
    "a",
    "os",
    "e",
    "é",
    "foi",
    "em",
    "que",
    "com",
    "para",
    "por",
    "do",
    "da",
    "uma",
    "um",
    "não",
    "de",
  ],
  Dutch: [
    "de",
    "het",
    "en",
    "is",
    "was",
    "in",
    "te",
    "dat",
    "met",
    "voor",
    "van",
    "een",
    "niet",
    "op",
    "werd",
  ],
};

const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ["Japanese", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["Korean", /\p{Script=Hangul}/gu],
  ["Chinese", /\p{Script=Han}/gu],
  ["Cyrillic", /\p{Script=Cyrillic}/gu],
  ["Greek", /\p{Script=Greek}/gu],
  ["Arabic", /\p{Script=Arabic}/gu],
  ["Hebrew", /\p{Script=Hebrew}/gu],
  ["Devanagari", /\p{Script=Devanagari}/gu],
  ["Thai", /\p{Script=Thai}/gu],
];

/** Beyond Latin script and its punctuation. */
const NOT_LATIN = /[^\u0000-\u024f\u1e00-\u1eff\u2000-\u206f]/u;

/** The languages by name in which a word is a little word. */
const LANGUAGES_OF = new Map<string, string[]>();
for (const [name, list] of Object.entries(LITTLE_WORDS))
  for (const word of list) LANGUAGES_OF.set(word, [...(LANGUAGES_OF.get(word) ?? []), name]);

/** Little words that a text must show before its language is named: short texts are not judged. */
const ENOUGH = 3;

/** Characters of all texts together that are looked at. */
const SAMPLE = 20_000;

/** What tells languages apart, counted in one text. */
interface Traces {
  letters: number;
  /** Letters of each script beyond Latin. */
  scripts: ReadonlyMap<string, number>;
  /** Little words of each language. */
  littleWords: ReadonlyMap<string, number>;
}

/** The sources of an answer are looked at for every draft, and one passage serves many answers. */
const tracesOf: (text: string) => Traces = memoised({ compute: countTraces, maxLength: SAMPLE });

function countTraces(text: string): Traces {
  const beyondLatin = NOT_LATIN.test(text);
  const littleWords = new Map<string, number>();
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? [])
    for (const name of LANGUAGES_OF.get(word) ?? [])
      littleWords.set(name, (littleWords.get(name) ?? 0) + 1);
  return {
    letters: countOf(text, /\p{L}/gu),
    scripts: new Map(
      beyondLatin ? SCRIPTS.map(([name, pattern]) => [name, countOf(text, pattern)]) : [],
    ),
    littleWords,
  };
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** The language, or the script, of texts taken together; undefined when there is too little to tell. */
export function languageOf(...texts: readonly string[]): string | undefined {
  const traces = sampleOf(texts).map(tracesOf);
  const sum = (count: (each: Traces) => number | undefined): number =>
    traces.reduce((total, each) => total + (count(each) ?? 0), 0);
  const letters = Math.max(
    1,
    sum((each) => each.letters),
  );
  for (const [name] of SCRIPTS) {
    const share = sum((each) => each.scripts.get(name)) / letters;
    if (share > (name === "Japanese" ? 0.1 : 0.5)) return name;
  }
  const counts = Object.keys(LITTLE_WORDS)
    .map((name) => ({ name, count: sum((each) => each.littleWords.get(name)) }))
    .sort((a, b) => b.count - a.count);
  const [first, second] = counts;
  if (first === undefined || first.count < ENOUGH || first.count < 1.3 * (second?.count ?? 0))
    return undefined;
  return first.name;
}

function sampleOf(texts: readonly string[]): string[] {
  let left = SAMPLE;
  return texts.flatMap((text) => {
    const piece = text.slice(0, left);
    left -= piece.length;
    return piece === "" ? [] : [piece];
  });
}

/** Both languages where both can be told and differ. */
export function languageMismatch(
  answer: string,
  evidence: readonly string[],
): { answer: string; evidence: string } | undefined {
  const own = languageOf(answer);
  const theirs = languageOf(...evidence);
  return own !== undefined && theirs !== undefined && own !== theirs
    ? { answer: own, evidence: theirs }
    : undefined;
}
