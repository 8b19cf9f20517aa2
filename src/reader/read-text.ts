/** Reads a text once for all questions and claims: its sentences and their terms. */
import { analyse, contentTerms, partsOf, type Token } from "../text/analyse.js";
import { idf } from "../text/background.js";
import { memoize } from "../support/cache.js";
import { sentences } from "../text/sentences.js";

export interface ReadSentence {
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  readonly terms: ReadonlySet<string>;
}

export interface ReadText {
  readonly terms: ReadonlySet<string>;
  /** Where each term stands, counted in content words. */
  readonly places: ReadonlyMap<string, readonly number[]>;
  readonly sentences: readonly ReadSentence[];
}

/** A passage is read up to here, so that one huge text cannot hold up a run. */
const READ_AT_MOST = 12_000;

export const readText: (text: string) => ReadText = memoize({
  compute: (text) => {
    const read = text.length > READ_AT_MOST ? text.slice(0, READ_AT_MOST) : text;
    const spans = sentences(read);
    const tokens = analyse(read);
    let next = 0;
    const found = spans.map(({ start, end }) => {
      const from = next;
      while ((tokens[next]?.start ?? Infinity) < end) next += 1;
      return readSentence(tokens.slice(from, next), start, end);
    });
    const terms = new Set(found.flatMap((sentence) => [...sentence.terms]));
    return { terms, places: placesOf(tokens), sentences: found };
  },
  maxLength: READ_AT_MOST,
  maxCharacters: 400_000,
});

function placesOf(tokens: readonly Token[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, { term }] of tokens.filter(({ stop }) => !stop).entries()) {
    const known = places.get(term);
    if (known === undefined) places.set(term, [place]);
    else known.push(place);
  }
  return places;
}

const IDENTIFIER = /_|\p{Ll}\p{Lu}/u;

function readSentence(tokens: readonly Token[], start: number, end: number): ReadSentence {
  const terms = new Set<string>();
  for (const { text, term, stop } of tokens) {
    if (stop) continue;
    terms.add(term);
    // `TOOL_TIMEOUT` also stands for its words.
    if (IDENTIFIER.test(text)) for (const part of partsOf(text)) terms.add(part);
  }
  return { start, end, terms };
}

/** Terms with their background rarity. */
export interface WeighedTerms {
  readonly weights: ReadonlyMap<string, number>;
  /** Sum of the weights. */
  readonly mass: number;
}

/** Returns the content terms of a text, each once; of a text of function words only, those. */
export function weighTerms(text: string): WeighedTerms {
  const content = contentTerms(text);
  const terms = content.length > 0 ? content : analyse(text).map(({ term }) => term);
  const weights = new Map(terms.map((term) => [term, idf(term)]));
  return { weights, mass: [...weights.values()].reduce((sum, weight) => sum + weight, 0) };
}

/** Returns the share of the terms' mass for which `has` is true (or how far it is), 0–1. */
export function coverageOf(
  { weights, mass }: WeighedTerms,
  has: (term: string) => boolean | number,
): number {
  let covered = 0;
  for (const [term, weight] of weights) covered += weight * Number(has(term));
  return mass === 0 ? 0 : covered / mass;
}

/**
 * Plain coverage: the share of the question's terms that stand in the text, weighed by rarity, 0–1.
 * The baseline that a reader has to beat.
 */
export function plainCoverage(question: string, text: string): number {
  const { terms } = readText(text);
  return coverageOf(weighTerms(question), (term) => terms.has(term));
}
