/** A text made ready for claim checking: its sentences with their terms, once, so that many claims can be held against it. */
import type { Token } from "../../text/analyse.js";
import { analyse } from "../../text/analyse.js";
import { idf } from "../../text/background.js";
import type { FoundNumber } from "../../text/entities.js";
import { extractNumbers } from "../../text/entities.js";
import { blankFootnotes } from "../../text/footnotes.js";
import { memoised } from "../../text/memo.js";
import { sentences } from "../../text/sentences.js";
import { FAMILY_LETTERS } from "./kinship.js";

/** Claims lean on up to this many sentences that follow one another. */
export const WINDOW_SENTENCES = 3;

/** A sentence of the evidence. Offsets in UTF-16 code units of the evidence text. */
export interface PreparedSentence {
  text: string;
  start: number;
  end: number;
  tokens: Token[];
  /** Terms without stop words, in order. */
  terms: string[];
}

export interface PreparedText {
  text: string;
  sentences: readonly PreparedSentence[];
  /** All terms without stop words. */
  vocabulary: ReadonlySet<string>;
  /** The sentences, by index, in which a term stands. */
  places: ReadonlyMap<string, readonly number[]>;
  /** The terms with the same beginning of `FAMILY_LETTERS` letters. */
  families: ReadonlyMap<string, readonly string[]>;
  /** `[count - 1][from]`: damped rarity (`termWeight`) of the distinct terms of the `count` sentences from `from`. */
  windowMass: readonly (readonly number[])[];
  numbers: readonly FoundNumber[];
  /** Terms of the title and the headings that it stands under: a table of a machine's weights does not repeat the machine's name. */
  about?: ReadonlySet<string>;
}

/** Rarity, damped: a rare word tells more than a common one, but not many times more. */
export function termWeight(term: string): number {
  return Math.sqrt(Math.max(0.1, idf(term)));
}

/** Remembers the texts seen last. */
export const prepareText: (text: string) => PreparedText = memoised({ compute: prepare });

function prepare(text: string): PreparedText {
  const parts = sentences(blankFootnotes(text)).map(({ start, end }): PreparedSentence => {
    const own = text.slice(start, end);
    const tokens = analyse(own);
    return {
      text: own,
      start,
      end,
      tokens,
      terms: tokens.filter((token) => !token.stop).map((token) => token.term),
    };
  });
  const places = new Map<string, number[]>();
  for (const [index, part] of parts.entries()) {
    for (const term of part.terms) {
      const known = places.get(term);
      if (known === undefined) places.set(term, [index]);
      else if (known[known.length - 1] !== index) known.push(index);
    }
  }
  return {
    text,
    sentences: parts,
    vocabulary: new Set(places.keys()),
    places,
    families: familiesOf(places.keys()),
    windowMass: windowMassOf(parts),
    numbers: extractNumbers(text),
  };
}

function familiesOf(terms: Iterable<string>): Map<string, string[]> {
  const families = new Map<string, string[]>();
  for (const term of terms) {
    if (term.length < FAMILY_LETTERS) continue;
    const beginning = term.slice(0, FAMILY_LETTERS);
    const known = families.get(beginning);
    if (known === undefined) families.set(beginning, [term]);
    else known.push(term);
  }
  return families;
}

function windowMassOf(parts: readonly PreparedSentence[]): number[][] {
  const masses = Array.from({ length: WINDOW_SENTENCES }, (): number[] => []);
  for (let from = 0; from < parts.length; from += 1) {
    const seen = new Set<string>();
    let mass = 0;
    for (const [extra, line] of masses.entries()) {
      for (const term of parts[from + extra]?.terms ?? []) {
        if (seen.has(term)) continue;
        seen.add(term);
        mass += termWeight(term);
      }
      line.push(mass);
    }
  }
  return masses;
}
