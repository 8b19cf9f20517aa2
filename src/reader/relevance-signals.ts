/** What speaks for a passage as the answer to a question: each signal in 0–1, and explainable. */
import { analyse } from "../text/analyse.js";
import { memoize } from "../support/cache.js";
import { expectedAnswerType, type AnswerType } from "./answer-type.js";
import type { Signals } from "./logistic.js";
import { coverageOf, readText, weighTerms } from "./read-text.js";
import type { ReadSentence, WeighedTerms } from "./read-text.js";
import type { ReadablePassage } from "./reader.js";

/** What the title lends to a sentence, and the sentence before it. */
const TITLE_LENDS = 0.8;
const NEIGHBOR_LENDS = 0.5;
/** A sentence that holds nothing of the expected kind. */
const UNFIT = 0.5;
/** Mass of matched terms at which `matched` is 0.63: about three words of middling rarity. */
const MATCHED_SCALE = 20;

interface Asked extends WeighedTerms {
  /** Every word in order, function words included. */
  readonly words: readonly string[];
  readonly type: AnswerType;
}

const readQuestion: (question: string) => Asked = memoize({
  compute: (question) => ({
    ...weighTerms(question),
    words: analyse(question).map(({ term }) => term),
    type: expectedAnswerType(question),
  }),
  maxCharacters: 20_000,
});

/**
 * Measures one passage against a question:
 * - `coverage`: share of the question's terms in passage and title, weighed by rarity;
 * - `sentence`: the same within the best sentence alone;
 * - `answering`: the best sentence with what title and neighbor lend it, less where it holds nothing
 *   of the kind that the question expects;
 * - `title`: how much of the question the title is, where the question names it word for word;
 * - `matched`: coverage that grows with how much there was to be found.
 */
export function measurePassage(
  question: string,
  { title, headings = [], text }: ReadablePassage,
): Signals {
  const asked = readQuestion(question);
  const read = readText(text);
  const heading = readText([title, ...headings].join("\n")).terms;
  const coverage = coverageOf(asked, (term) => read.terms.has(term) || heading.has(term));
  let sentence = 0;
  let answering = 0;
  let before: ReadonlySet<string> = new Set();
  for (const each of read.sentences) {
    sentence = Math.max(
      sentence,
      coverageOf(asked, (term) => each.terms.has(term)),
    );
    const lent = coverageOf(asked, (term) => {
      if (each.terms.has(term)) return 1;
      if (heading.has(term)) return TITLE_LENDS;
      return before.has(term) ? NEIGHBOR_LENDS : 0;
    });
    answering = Math.max(answering, lent * (holdsExpected(asked, each) ? 1 : UNFIT));
    before = each.terms;
  }
  return {
    coverage,
    sentence,
    answering,
    title: titleNamed(asked, title),
    matched: coverage * (1 - Math.exp(-asked.mass / MATCHED_SCALE)),
  };
}

/** A number or a name that the question does not bring along, where it asks for one. */
function holdsExpected({ type, weights }: Asked, { numbers, names }: ReadSentence): boolean {
  if (type === "other") return true;
  const found = type === "number" || type === "date" ? numbers : names;
  return found.some((term) => !weights.has(term));
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
