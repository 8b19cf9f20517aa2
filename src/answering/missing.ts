/** Collects what of one sentence no source contains, and where the sources contradict it. */
import { once } from "../support/cache.js";
import { analyse, contentTerms, fold } from "../text/analyse.js";
import { notationOf, quotationsIn } from "../text/literals.js";
import { hasWords, oneLine, wordsOf } from "../text/words.js";
import type { CitedSentence } from "./citations.js";
import { checkFigures, factOf, statementsOf, type Fact } from "./figures.js";
import { addressesIn } from "./links.js";
import { plainText } from "./plain-text.js";
import { substitutionsIn } from "./substitutions.js";

/** What is known, in the forms in which sentences are looked up in it. */
export type Sources = ReturnType<typeof sourcesOf>;

export function sourcesOf({
  titled,
  question,
  facts,
  isTranslated,
}: {
  /** Texts under their titles and headings. */
  titled: readonly string[];
  question: string;
  /** By source. */
  facts: readonly (readonly Fact[])[];
  /** True if the answer is in another language. */
  isTranslated: boolean;
}) {
  const known = [...titled, question];
  return {
    statements: facts.map(statementsOf),
    all: statementsOf(facts.flat()),
    asked: statementsOf([factOf(question)]),
    known,
    isTranslated,
    /** In lower case without accents: a name is found in a compound, too. */
    folded: once(() => fold(known.join("\n"))),
    /** Terms written with a capital behind their first letter: "US", "U.S.", "NICs". */
    abbreviations: once(() => {
      const words = analyse(known.join("\n")).map(
        ({ text, term }) => [text.slice(1), term] as const,
      );
      return new Set(words.flatMap(([rest, term]) => (rest === rest.toLowerCase() ? [] : term)));
    }),
    /** Words of the sources in lower case, so that punctuation makes no difference. */
    letters: once(() => titled.map(lettersOf)),
    /** Each text on one line. */
    lines: once(() => known.map((each) => oneLine(each))),
  };
}

/** What of a sentence no source contains, in words. */
export interface Missing {
  /** Numbers, names and addresses that appear in no source. */
  readonly nowhere: readonly string[];
  /** What disagrees with them, and quotations that are none. */
  readonly doubts: readonly string[];
  /**
   * True of code, and if a number appears in a source in another unit or follows from its numbers:
   * then these lists tell all.
   */
  readonly isSettled: boolean;
}

export function missingFrom(
  { text, kind, markers, start, end }: CitedSentence,
  sources: Sources,
  answer: string,
): Missing {
  const isIn = (what: string): string => `${what} is in no source`;
  if (kind === "code") {
    const doubts = absentCode(answer.slice(start, end), sources.lines()).map(isIn);
    return { nowhere: [], doubts, isSettled: true };
  }
  const { statements, all, asked, known, isTranslated } = sources;
  const claim = factOf(plainText(text), notationOf(answer));
  const cited = [...new Set(markers)].flatMap((marker) => statements[marker - 1] ?? []);
  const near = cited.some(({ facts }) => facts.length > 0) ? cited : [all];
  const figures = checkFigures(claim, { stated: [all, asked], near });
  const isProse = kind === "sentence" && !isTranslated;
  const names = isProse ? absentNames(text, sources) : [];
  return {
    nowhere: [...figures.absent, ...names, ...absentLiterals(text, known)].map(isIn),
    doubts: [
      ...(isProse ? substitutionsIn(claim, near) : []),
      ...absentQuotations(sources.letters, text).map(isIn),
    ],
    isSettled: figures.isComputed,
  };
}

/** Fewer words are a title or a term. */
const WORDS_OF_A_QUOTATION = 4;

function absentQuotations(sources: Sources["letters"], sentence: string): string[] {
  return quotationsIn(sentence).flatMap(({ text: quotation, start }) => {
    // Inline code and text between apostrophes are names.
    if ("`'".includes(sentence.charAt(start))) return [];
    // The parts round an ellipsis are looked up one by one.
    const parts = quotation.split(/\[?(?:…|\.\.\.)\]?/u).flatMap((part) => {
      const letters = lettersOf(part);
      return letters.trim() === "" ? [] : [letters];
    });
    if (parts.join("").split(" ").filter(Boolean).length < WORDS_OF_A_QUOTATION) return [];
    const isThere = sources().some((source) => parts.every((part) => source.includes(part)));
    return isThere ? [] : [`the quotation "${quotation}"`];
  });
}

function lettersOf(text: string): string {
  return ` ${wordsOf(text.normalize("NFKC").toLowerCase()).join(" ")} `;
}

/** Three or more numbers joined by full stops. */
const VERSION = /(?<![\p{L}\p{N}.:])\d{1,3}(?:\.\d{1,3}){2,}(?![\p{L}\p{N}]|\.\d)/gu;

/** Web and mail addresses, and versions. */
function absentLiterals(text: string, sources: readonly string[]): string[] {
  return [...addressesIn(text), ...(text.match(VERSION) ?? [])].filter(
    (part) => !sources.some((each) => each.includes(part)),
  );
}

/** @param block with its fences */
function absentCode(block: string, sources: readonly string[]): string[] {
  return block
    .split("\n")
    .map((line) => oneLine(line))
    .filter((line) => hasWords(line) && !/^(?:```|~~~|\[\d)/u.test(line))
    .filter((line) => !sources.some((each) => each.includes(line)))
    .map((line) => `"${line}"`);
}

const NAME = /^\p{Lu}[\p{L}\p{M}\p{N}'’-]*\p{L}/u;

/**
 * Capitalized words side by side, of which no source has one, nor the initials of the name that
 * they belong to: "Bertram Mallory". Single ones are too often the first words of sentences, German
 * nouns, or abbreviations.
 */
function absentNames(sentence: string, { folded, abbreviations }: Sources): string[] {
  const words = analyse(sentence).flatMap(({ text, stop, start, end }) => {
    const isName = NAME.test(text) && text !== text.toUpperCase();
    const isAbsent = isName && !folded().includes(fold(text.replace(/['’]s?$/u, "")));
    return stop ? [] : { text, start, end, isName, isAbsent };
  });
  const initials = words.map(({ text, isName }) => (isName ? text.charAt(0) : " ")).join("");
  /** True for "Labor Statistics" of "Bureau of Labor Statistics" where a source says "BLS". */
  const isShortened = (index: number): boolean =>
    [0, 1, 2, 3].some((before) =>
      [2, 3, 4].some((behind) => {
        const [term = ""] = contentTerms(
          initials.slice(Math.max(0, index - before), index + behind),
        );
        return abbreviations().has(term);
      }),
    );
  return words.flatMap((name, index) => {
    const next = words[index + 1];
    const isPair = name.isAbsent && next?.isAbsent === true && !isShortened(index);
    return isPair && [" ", ". "].includes(sentence.slice(name.end, next.start))
      ? [`${name.text} ${next.text}`]
      : [];
  });
}
