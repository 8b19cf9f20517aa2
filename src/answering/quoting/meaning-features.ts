/**
 * Signs that a sentence only sounds like an answer: names that are others, a short answer that is of another kind, and words of the question that
 * stand in a neighbour or nowhere.
 */
import type { Candidate } from "./answer-candidates.js";
import type { QuestionFocus } from "./question-focus.js";
import { shareOf } from "./question-focus.js";
import type { ShortAnswer } from "./short-answer/short-answer.js";
import { askedWords, nearest, similarity, usedWord } from "./word-nearness.js";

export const MEANING_FEATURES = ["namesNear", "kindNear", "notElsewhere", "unheard"] as const;
export type MeaningFeatures = Record<(typeof MEANING_FEATURES)[number], number>;

/** What stands for a measure that a question gives no occasion for: near its mean, so that it speaks for nothing. */
const NONE = { namesNear: 0.8, kindNear: 0.25 } as const;
/** Words on either side of a short answer that tell its kind: "the river Epte", "Rollo, a Viking leader". */
const BESIDE = 4;

/** Measures the best sentence; `short`: the few words that answer, if any. Each value is near 0–1. Deterministic. */
export function measureMeaning(
  candidate: Candidate,
  focus: QuestionFocus,
  short: ShortAnswer | undefined,
): MeaningFeatures {
  const asked = askedWords(focus);
  const said = candidate.tokens.filter(({ stop }) => !stop).map(usedWord);
  const missing = asked.filter(({ term }) => !candidate.passageTerms.has(term));
  const names = asked.filter(
    (token) => token !== focus.form.tokens[0] && /^\p{Lu}/u.test(token.text),
  );
  const inPassage = shareOf(focus, (term) => candidate.passageTerms.has(term));
  const inSentence = shareOf(
    focus,
    (term) => candidate.terms.has(term) || candidate.titleTerms.has(term),
  );
  return {
    namesNear: mean(names.map((token) => nearest(usedWord(token), said))) ?? NONE.namesNear,
    kindNear: kindNear(focus, short) ?? NONE.kindNear,
    notElsewhere: 1 - Math.max(0, inPassage - inSentence),
    unheard: Math.min(1, missing.length / 3),
  };
}

/** How near the noun behind "which" or "what" comes to a word of the short answer or beside it; undefined without one of the two. */
function kindNear({ form }: QuestionFocus, short: ShortAnswer | undefined): number | undefined {
  const head = form.tokens.find(({ term }) => term === form.head);
  if (short === undefined || head === undefined) return undefined;
  const { tokens } = short.candidate;
  const inside = tokens.flatMap(({ start, end, stop }, index) =>
    start >= short.start && end <= short.end && !stop ? [index] : [],
  );
  const [first] = inside;
  if (first === undefined) return undefined;
  const beside = tokens
    .slice(Math.max(0, first - BESIDE), (inside.at(-1) ?? first) + BESIDE + 1)
    .filter(({ stop }) => !stop);
  const known = beside.flatMap((token) => similarity(usedWord(head), usedWord(token)) ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0
    ? undefined
    : values.reduce((sum, value) => sum + value, 0) / values.length;
}
