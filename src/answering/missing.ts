/** Collects what the sources do not hold of one sentence, and where they say otherwise. */
import { absentCode, absentLiterals, absentNames, absentQuotations } from "./absent.js";
import type { CitedSentence } from "./citations.js";
import { factOf, type Fact } from "./facts.js";
import { checkFigures } from "./figures.js";
import { plainText } from "./plain-text.js";

export interface Sources {
  /** Texts under their titles and headings. */
  readonly titled: readonly string[];
  readonly question: string;
  readonly facts: readonly (readonly Fact[])[];
  /** True if the answer is in another language. */
  readonly isTranslated: boolean;
}

/** What of a sentence the sources do not hold, in words. */
export interface Missing {
  /** Numbers, names and addresses that stand nowhere. */
  readonly nowhere: readonly string[];
  /** What disagrees with them, and quotations that are none. */
  readonly doubts: readonly string[];
  /** True if a number stands in a source in another unit, or follows from its numbers. */
  readonly isComputed: boolean;
}

export function missingFrom(
  { text, kind, markers, start, end }: CitedSentence,
  { titled, question, facts, isTranslated }: Sources,
  answer: string,
): Missing {
  const isIn = (what: string): string => `${what} is in no source`;
  const known = [...titled, question];
  if (kind === "code")
    return {
      nowhere: [],
      doubts: absentCode(answer.slice(start, end), known).map(isIn),
      isComputed: false,
    };
  const claim = factOf(plainText(text));
  const all = facts.flat();
  const cited = markers.flatMap((marker) => facts[marker - 1] ?? []);
  const near = cited.length > 0 ? cited : all;
  const figures = checkFigures(claim, { stated: [...all, factOf(question)], near });
  const isProse = kind === "sentence" && !isTranslated;
  const names = isProse ? absentNames(text, known) : [];
  return {
    nowhere: [...figures.absent, ...names, ...absentLiterals(text, known)].map(isIn),
    doubts: [...figures.misread, ...absentQuotations(titled, text).map(isIn)],
    isComputed: figures.isComputed,
  };
}
