/** How far evidence carries a claim: each signal in 0–1, and explainable. */
import { analyse, contentTerms } from "../text/analyse.js";
import { extractNumbers, type FoundNumber } from "../text/numbers-and-dates.js";
import { HIGHEST_IDF } from "../text/background.js";
import { memoize } from "../support/cache.js";
import type { Signals } from "./logistic.js";
import { coverageOf, readText, weighTerms, type ReadText, type WeighedTerms } from "./read-text.js";
import type { ClaimSupport, ReadablePassage } from "./reader.js";

/** Sentences that a claim may be spread over. */
const WINDOW = 3;
/** Content words that two neighbors of the claim may be apart in the evidence. */
const NEAR = 5;

interface ReadClaim extends WeighedTerms {
  /** Content terms in order. */
  readonly sequence: readonly string[];
  readonly numbers: readonly FoundNumber[];
}

const readClaim: (claim: string) => ReadClaim = memoize({
  compute: (claim) => ({
    ...weighTerms(claim),
    sequence: contentTerms(claim),
    numbers: extractNumbers(claim),
  }),
  maxCharacters: 50_000,
});

/**
 * Measures a claim against all evidence together:
 * - `window`: share of the claim's terms in three sentences in a row and the title, weighed by
 *   rarity;
 * - `together`: share of its neighboring words that stand near each other in one passage;
 * - `rarest`: rarity of the rarest term that stands nowhere;
 * - `numberAbsent`: whether one of its numbers stands nowhere.
 *
 * @param known terms that the claim need not prove: the question's own
 * @returns also the one sentence that covers most of it
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
  let [most, window] = [0, 0];
  let best: ClaimSupport["best"];
  for (const [index, { sentences }] of texts.entries())
    for (const [at, { terms, start, end }] of sentences.entries()) {
      const alone = coverageOf(read, (term) => terms.has(term));
      if (alone > most) {
        most = alone;
        best = { evidence: index, start, end };
      }
      const around = sentences.slice(at, at + WINDOW);
      const covered = coverageOf(
        read,
        (term) =>
          titles[index]?.has(term) === true || around.some((sentence) => sentence.terms.has(term)),
      );
      window = Math.max(window, covered);
    }
  const stands = (term: string): boolean =>
    known.has(term) ||
    texts.some(({ terms }) => terms.has(term)) ||
    titles.some((terms) => terms.has(term));
  const missing = [...read.weights].flatMap(([term, weight]) => (stands(term) ? [] : [weight]));
  const isAbsent = ({ value, text }: FoundNumber): boolean =>
    !evidence.some((item) => extractNumbers(item.text).some((other) => other.value === value)) &&
    !analyse(text).every(({ term }) => stands(term));
  return {
    signals: {
      window,
      together: Math.max(0, ...texts.map((text) => together(read.sequence, text))),
      rarest: Math.max(0, ...missing) / HIGHEST_IDF,
      // Neither in figures nor in the words that spell it.
      numberAbsent: read.numbers.some(isAbsent) ? 1 : 0,
    },
    ...(best === undefined ? {} : { best }),
  };
}

function together(sequence: readonly string[], { places }: ReadText): number {
  const pairs = sequence.slice(1).filter((term, index) => {
    const before = places.get(sequence[index] ?? "") ?? [];
    const after = places.get(term) ?? [];
    return before.some((one) =>
      after.some((other) => other !== one && Math.abs(other - one) <= NEAR),
    );
  });
  return pairs.length / Math.max(1, sequence.length - 1);
}
