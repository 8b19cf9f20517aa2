/** A text made ready for claim checking: its sentences with their terms, once, so that many claims can be held against it. */
import type { Token } from "../../text/analyse.js";
import { analyse } from "../../text/analyse.js";
import type { FoundNumber } from "../../text/entities.js";
import { extractNumbers } from "../../text/entities.js";
import { blankFootnotes } from "../../text/footnotes.js";
import { memoised } from "../../text/memo.js";
import { sentences } from "../../text/sentences.js";

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
  /** Pairs of neighbouring terms, joined by a blank. */
  pairs: ReadonlySet<string>;
  numbers: readonly FoundNumber[];
}

/** Remembers the texts seen last. */
export const prepareText: (text: string) => PreparedText = memoised({ compute: prepare });

function prepare(text: string): PreparedText {
  const parts = sentences(blankFootnotes(text)).map(({ start, end }): PreparedSentence => {
    const own = text.slice(start, end);
    const tokens = analyse(own);
    return { text: own, start, end, tokens, terms: tokens.filter((token) => !token.stop).map((token) => token.term) };
  });
  return {
    text,
    sentences: parts,
    vocabulary: new Set(parts.flatMap((part) => part.terms)),
    pairs: new Set(parts.flatMap((part) => pairsOf(part.terms))),
    numbers: extractNumbers(text),
  };
}

export function pairsOf(terms: readonly string[]): string[] {
  return terms.slice(1).map((term, index) => `${terms[index] ?? ""} ${term}`);
}
