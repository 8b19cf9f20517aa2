/** What speaks for a passage as the answer to a question: each signal in 0–1, and explainable. */
import { analyse } from "../text/analyse.js";
import { memoize } from "../support/cache.js";
import type { Signals } from "./logistic.js";
import { coverageOf, readText, weighTerms, type WeighedTerms } from "./read-text.js";
import type { ReadablePassage } from "./reader.js";

/**
 * Mass of a question's terms at which finding them all counts 0.63: five words of middling rarity.
 */
const MASS_SCALE = 30;

interface Asked extends WeighedTerms {
  /** Every word in order, function words included. */
  readonly words: readonly string[];
}

const readQuestion: (question: string) => Asked = memoize({
  compute: (question) => ({
    ...weighTerms(question),
    words: analyse(question).map(({ term }) => term),
  }),
  maxCharacters: 20_000,
});

/**
 * Measures one passage against a question, without an encoder:
 * - `matched`: share of the question's terms in passage and title, weighed by rarity, and more the
 *   more there was to be found: two words found are weaker evidence than six;
 * - `sentence`: share of the terms within the best sentence alone;
 * - `title`: how much of the question the title is, where the question names it word for word.
 */
export function measurePassage(
  question: string,
  { title, headings = [], text }: ReadablePassage,
): Signals {
  const asked = readQuestion(question);
  const read = readText(text);
  const heading = readText([title, ...headings].join("\n")).terms;
  const coverage = coverageOf(asked, (term) => read.terms.has(term) || heading.has(term));
  const inSentences = read.sentences.map(({ terms }) =>
    coverageOf(asked, (term) => terms.has(term)),
  );
  return {
    matched: coverage * (1 - Math.exp(-asked.mass / MASS_SCALE)),
    sentence: Math.max(0, ...inSentences),
    title: titleNamed(asked, title),
  };
}

function titleNamed(asked: Asked, title: string): number {
  const { words } = asked;
  const named = analyse(title.replace(/\s*\([^()]*\)\s*$/u, "")).map(({ term }) => term);
  for (let at = 0; named.length > 0 && at + named.length <= words.length; at += 1)
    if (named.every((term, i) => words[at + i] === term))
      return coverageOf(asked, (term) => named.includes(term));
  return 0;
}

/** Measures a set: of each signal the best that any passage reaches, in any order. */
export function measureSet(passages: readonly Signals[]): Signals {
  const best: Record<string, number> = {};
  for (const signals of passages)
    for (const [name, value] of Object.entries(signals))
      best[name] = Math.max(best[name] ?? 0, value);
  return best;
}
