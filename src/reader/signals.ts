/** Signals, each in 0–1, that a passage answers a question and that evidence supports a claim. */
import { memoize } from "../support/cache.js";
import { analyse, contentTerms, HIGHEST_IDF, idf, partsOf, type Token } from "../text/analyse.js";
import { extractNumbers, type FoundNumber } from "../text/literals.js";
import { hasWords, oneLine } from "../text/words.js";
import type { Range } from "../text/passage-blocks.js";
import { sentences } from "../text/sentences.js";
import type { SignalValues } from "./weights.js";
import type { ClaimSupport, ReadablePassage } from "./reader.js";

interface ReadText {
  readonly terms: ReadonlySet<string>;
  readonly sentences: readonly (Range & { readonly terms: ReadonlySet<string> })[];
}

/** So that one huge text cannot hold up a run. */
const READ_AT_MOST = 12_000;

export const readText: (text: string, blocks?: string) => ReadText = memoize({
  compute: (text, blocks) => {
    const read = text.length > READ_AT_MOST ? text.slice(0, READ_AT_MOST) : text;
    const spans = sentences(read, blocks);
    const tokens = analyse(read);
    let next = 0;
    const found = spans.map(({ start, end }) => {
      const from = next;
      while ((tokens[next]?.start ?? Infinity) < end) next += 1;
      return { start, end, terms: termsOf(tokens.slice(from, next)) };
    });
    const terms = new Set(found.flatMap((sentence) => [...sentence.terms]));
    return { terms, sentences: found };
  },
  maxLength: READ_AT_MOST,
  maxCharacters: 400_000,
});

const IDENTIFIER = /_|\p{Ll}\p{Lu}/u;

function termsOf(tokens: readonly Token[]): ReadonlySet<string> {
  const terms = new Set<string>();
  for (const { text, term, stop } of tokens) {
    if (stop) continue;
    terms.add(term);
    // `TOOL_TIMEOUT` also stands for its words.
    if (IDENTIFIER.test(text)) for (const part of partsOf(text)) terms.add(part);
  }
  return terms;
}

interface WeighedTerms {
  readonly weights: ReadonlyMap<string, number>;
  /** Sum of the weights. */
  readonly mass: number;
}

/** Weighs the content terms of a text by rarity; its function words if it has no others. */
export function weighTerms(text: string): WeighedTerms {
  const content = contentTerms(text);
  const terms = content.length > 0 ? content : analyse(text).map(({ term }) => term);
  const weights = new Map(terms.map((term) => [term, idf(term)]));
  return { weights, mass: [...weights.values()].reduce((sum, weight) => sum + weight, 0) };
}

/** Returns the share of the terms' mass for which `has` is true, 0–1. */
export function coverageOf(
  { weights, mass }: WeighedTerms,
  has: (term: string) => boolean | number,
): number {
  let covered = 0;
  for (const [term, weight] of weights) covered += weight * Number(has(term));
  return mass === 0 ? 0 : covered / mass;
}

/** Mass of a question, about five words of medium rarity, at which finding all counts 0.63. */
const MASS_SCALE = 30;

const readQuestion: (question: string) => WeighedTerms = memoize({
  compute: weighTerms,
  maxCharacters: 20_000,
});

/**
 * Measures one passage against a question, without an encoder:
 * - `matched`: share of the question's terms in passage and title, weighed by rarity, and lower for
 *   short questions: two words found are weaker evidence than six;
 * - `sentence`: share of the terms within the best sentence.
 */
export function measurePassage(
  question: string,
  { title, headings = [], text, blocks }: ReadablePassage,
): { matched: number; sentence: number } {
  const asked = readQuestion(question);
  const read = readText(text, blocks);
  const heading = readText([title, ...headings].join("\n")).terms;
  const coverage = coverageOf(asked, (term) => read.terms.has(term) || heading.has(term));
  const inSentences = read.sentences.map(({ terms }) =>
    coverageOf(asked, (term) => terms.has(term)),
  );
  return {
    matched: coverage * (1 - Math.exp(-asked.mass / MASS_SCALE)),
    sentence: Math.max(0, ...inSentences),
  };
}

/** Returns the best value of each signal over all passages. */
export function measureSet(passages: readonly SignalValues[]): SignalValues {
  const best: Record<string, number> = {};
  for (const signals of passages)
    for (const [name, value] of Object.entries(signals))
      best[name] = Math.max(best[name] ?? -Infinity, value);
  return best;
}

const valuesIn: (text: string) => ReadonlySet<number> = memoize({
  compute: (text) => new Set(extractNumbers(text).map(({ value }) => value)),
});

const readClaim: (claim: string) => WeighedTerms & { readonly numbers: readonly FoundNumber[] } =
  memoize({
    compute: (claim) => ({ ...weighTerms(claim), numbers: extractNumbers(claim) }),
    maxCharacters: 50_000,
  });

/** Sentences that a claim may be spread over. */
const WINDOW = 3;

/**
 * Measures a claim against all evidence together:
 * - `window`: share of the claim's terms in three consecutive sentences and the title, weighed by
 *   rarity;
 * - `rarest`: rarity of the rarest term that no evidence has;
 * - `numberAbsent`: 1 if no evidence has one of its numbers.
 *
 * @param known terms that need no support: the question's own
 * @returns also the sentence that covers most of it, and whether it is the claim, word for word
 */
export function measureSupport(
  claim: string,
  evidence: readonly ReadablePassage[],
  known: ReadonlySet<string> = new Set(),
): { signals: SignalValues; best?: ClaimSupport["best"]; isQuoted: boolean } {
  const read = readClaim(claim);
  const texts = evidence.map(({ title, headings = [], text, blocks }) => ({
    ...readText(text, blocks),
    above: readText([title, ...headings].join("\n")).terms,
  }));
  let [most, window] = [0, 0];
  let best: ClaimSupport["best"];
  let isQuoted = false;
  const textOf = (index: number, start: number, end: number): string =>
    evidence[index]?.text.slice(start, end) ?? "";
  for (const [index, { sentences, above }] of texts.entries())
    for (const [at, { terms, start, end }] of sentences.entries()) {
      const alone = coverageOf(read, (term) => terms.has(term));
      const isSame: boolean =
        alone === 1 && !isQuoted && isItself(claim, textOf(index, start, end));
      if (alone > most || isSame) {
        most = alone;
        best = { evidence: index, start, end };
        isQuoted = isSame;
      }
      const around = [above, ...sentences.slice(at, at + WINDOW).map((each) => each.terms)];
      window = Math.max(
        window,
        coverageOf(read, (term) => around.some((each) => each.has(term))),
      );
    }
  const isThere = (term: string): boolean =>
    known.has(term) || texts.some(({ terms, above }) => terms.has(term) || above.has(term));
  // Neither in digits nor in words.
  const isAbsent = ({ value, text }: FoundNumber): boolean =>
    !evidence.some((item) => valuesIn(item.text).has(value)) &&
    !analyse(text).every(({ term }) => isThere(term));
  const missing = [...read.weights].flatMap(([term, weight]) => (isThere(term) ? [] : [weight]));
  return {
    signals: {
      window,
      rarest: Math.max(0, ...missing) / HIGHEST_IDF,
      numberAbsent: read.numbers.some(isAbsent) ? 1 : 0,
    },
    best,
    isQuoted,
  };
}

/** True for a sentence that is the claim word for word, perhaps behind the sign of a list. */
function isItself(claim: string, sentence: string): boolean {
  const [said, written] = [oneLine(claim), oneLine(sentence)];
  return written.endsWith(said) && !hasWords(written.slice(0, written.length - said.length));
}

/** The joint reader checks a claim against this many passages, those that share most with it. */
const MOST_FOR_CLAIM = 2;

export function likeliestFor(
  claim: string,
  evidence: readonly ReadablePassage[],
): ReadablePassage[] {
  const shared = evidence.map((item) => measureSupport(claim, [item]).signals["window"] ?? 0);
  return ranking(shared)
    .slice(0, MOST_FOR_CLAIM)
    .flatMap((index) => evidence[index] ?? []);
}

/** Returns the indices of values, the highest first. */
export function ranking(values: readonly number[]): number[] {
  return [...values.keys()].sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
}
