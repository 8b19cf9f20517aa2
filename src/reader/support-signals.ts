/** How far evidence carries a claim: each signal in 0–1, and explainable. */
import { analyse } from "../text/analyse.js";
import { extractNumbers, type FoundNumber } from "../text/entities.js";
import { memoize } from "../support/cache.js";
import type { Signals } from "./logistic.js";
import { coverageOf, readText, weighTerms } from "./read-text.js";
import type { ReadSentence, WeighedTerms } from "./read-text.js";
import type { ClaimSupport, ReadablePassage } from "./reader.js";

/** Sentences that a claim may be spread over. */
const WINDOW = 3;
/** Nothing is rarer than this, in units of `idf`. */
const RAREST = 8;

interface ReadClaim extends WeighedTerms {
  readonly numbers: readonly FoundNumber[];
  /** Capitalized terms. */
  readonly names: readonly string[];
}

const readClaim: (claim: string) => ReadClaim = memoize({
  compute: (claim) => ({
    ...weighTerms(claim),
    numbers: extractNumbers(claim),
    names: analyse(claim).flatMap(({ text, term, stop }) =>
      !stop && /^\p{Lu}/u.test(text) ? [term] : [],
    ),
  }),
  maxCharacters: 50_000,
});

/**
 * Measures a claim against all evidence together:
 * - `sentence`: share of the claim's terms in the best sentence, weighed by rarity;
 * - `window`: the same over three sentences in a row and the title;
 * - `rarest`: rarity of the rarest term that stands nowhere;
 * - `numbersAbsent`, `namesAbsent`: shares of its numbers and names that stand nowhere.
 *
 * @param known terms that the claim need not prove: the question's own
 */
export function measureSupport(
  claim: string,
  evidence: readonly ReadablePassage[],
  known: ReadonlySet<string> = new Set(),
): { signals: Signals; best?: ClaimSupport["best"] } {
  const read = readClaim(claim);
  const texts = evidence.map(({ text }) => readText(text));
  const titles = evidence.map(
    ({ title, headings = [] }) => readText([title, ...headings].join("\n")).terms,
  );
  const stands = (term: string): boolean =>
    known.has(term) ||
    texts.some(({ terms }) => terms.has(term)) ||
    titles.some((terms) => terms.has(term));
  let [sentence, window] = [0, 0];
  let best: ClaimSupport["best"];
  for (const [index, text] of texts.entries())
    for (const [at, { terms, start, end }] of text.sentences.entries()) {
      const alone = coverageOf(read, (term) => terms.has(term));
      if (alone > sentence) {
        sentence = alone;
        best = { evidence: index, start, end };
      }
      const around = text.sentences.slice(at, at + WINDOW);
      window = Math.max(
        window,
        coverageOf(read, (term) => standsIn(term, around, titles[index])),
      );
    }
  const numbers = evidence.flatMap(({ text }) => extractNumbers(text));
  const absent = read.numbers.filter(
    ({ value, text }) =>
      !numbers.some((other) => other.value === value) &&
      !analyse(text).every(({ term }) => stands(term)),
  );
  const unknown = read.names.filter((term) => !stands(term));
  const missing = [...read.weights].flatMap(([term, weight]) => (stands(term) ? [] : [weight]));
  return {
    signals: {
      sentence,
      window,
      rarest: Math.min(1, Math.max(0, ...missing) / RAREST),
      numbersAbsent: absent.length / Math.max(1, read.numbers.length),
      namesAbsent: unknown.length / Math.max(1, read.names.length),
    },
    ...(best === undefined ? {} : { best }),
  };
}

function standsIn(
  term: string,
  sentences: readonly ReadSentence[],
  title: ReadonlySet<string> | undefined,
): boolean {
  return title?.has(term) === true || sentences.some(({ terms }) => terms.has(term));
}
