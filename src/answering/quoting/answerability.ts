/**
 * Does the best sentence really answer, or does it only sound like it? Questions without an answer are often made of an answering sentence with one
 * word changed; so this looks for what was denied, exchanged, left out or turned round. Each feature speaks for an answer.
 */
import type { Token } from "../../text/analyse.js";
import { hasNegation } from "../../text/entities.js";
import type { Candidate } from "./answer-candidates.js";
import { MEANING_FEATURES, measureMeaning } from "./meaning-features.js";
import { hasOpposite, hasSibling } from "./opposed-words.js";
import type { QuestionFocus } from "./question-focus.js";
import { hasPrefixedOpposite, rivalWords } from "./rival-words.js";
import type { MeasuredSentence } from "./sentence-features.js";
import { means } from "./sentence-features.js";
import type { ShortAnswer } from "./short-answer/short-answer.js";

/** Of the features of the sentence, those that say more about the answer than about the collection it comes from. */
const OF_THE_SENTENCE = [
  "titled",
  "soft",
  "softNear",
  "relation",
  "rarestNear",
  "density",
  "direct",
  "aligned",
  "functionWords",
  "surface",
  "matched",
] as const;
export const ANSWERABILITY_FEATURES = [
  ...OF_THE_SENTENCE,
  ...MEANING_FEATURES,
  "typeFound",
  "short",
  "terms",
  "names",
  "compact",
  "affirms",
  "denies",
  "roles",
  "numbers",
  "years",
  "noneLacking",
  "noneExchanged",
  "noOpposite",
  "noSibling",
  "noPrefix",
  "noneReplaced",
  "rarestMissing",
] as const;
export type AnswerabilityFeature = (typeof ANSWERABILITY_FEATURES)[number];
export type AnswerabilityFeatures = Record<AnswerabilityFeature, number>;

/** Rarity at which a missing word counts in full. */
const RARE = 12;
const YEAR = /^\d{3,4}$/u;

/** `best`: the likeliest sentence; `short`: the few words that answer, if any. */
export function measureAnswerability(
  question: string,
  focus: QuestionFocus,
  best: { measured: MeasuredSentence },
  short: ShortAnswer | undefined,
): AnswerabilityFeatures {
  const { candidate, features } = best.measured;
  const { terms } = candidate;
  const asked = wordsOf(focus.form.tokens);
  const said = wordsOf(candidate.tokens);
  const { lacking, exchanged } = rivalWords(asked, said);
  const [asksFor, holds] = [termsOf(focus.form.tokens), termsOf(candidate.tokens)];
  const unsaid = [...asksFor].filter(
    (term) => !holds.has(term) && !focus.expected.typeTerms.includes(term),
  );
  const unasked = new Set([...holds].filter((term) => !asksFor.has(term)));
  const missing = focus.terms.filter((term) => !means(term, terms));
  const [asksDenied, saysDenied] = [hasNegation(question), hasNegation(candidate.text)];
  const figures = focus.terms.filter((term) => /^\d/u.test(term));
  return {
    ...features,
    ...measureMeaning(candidate, focus, short),
    typeFound: 1 - features.typedMissing,
    short: short?.probability ?? 0,
    terms: Math.min(1, focus.terms.length / 10),
    names: Math.min(
      1,
      [...focus.subject].filter((term) => terms.has(term) && !/^\d/u.test(term)).length / 3,
    ),
    compact: 1 - spread(candidate, focus),
    affirms: flag(!(asksDenied && !saysDenied)),
    denies: flag(!(saysDenied && !asksDenied)),
    roles: flag(!isTurnedRound(candidate, focus)),
    numbers: flag(figures.every((term) => terms.has(term))),
    years: flag(
      figures.every((term) => !YEAR.test(term) || terms.has(term)) ||
        ![...terms].some((term) => YEAR.test(term)),
    ),
    noneLacking: 1 - Math.min(1, lacking / 2),
    noneExchanged: 1 - Math.min(1, exchanged / 2),
    noOpposite: flag(!unsaid.some((term) => hasOpposite(term, unasked))),
    noSibling: flag(!unsaid.some((term) => hasSibling(term, unasked))),
    noPrefix: flag(!hasPrefixedOpposite(asked, said)),
    noneReplaced: flag(!missing.some((term) => isReplaced(term, candidate, focus))),
    rarestMissing:
      1 - Math.min(1, Math.max(0, ...missing.map((term) => focus.weights.get(term) ?? 0)) / RARE),
  };
}

function flag(holds: boolean): number {
  return holds ? 1 : 0;
}

function wordsOf(tokens: readonly Token[]): Set<string> {
  return new Set(tokens.map(({ text }) => text.toLowerCase()));
}

/** Function words too. */
function termsOf(tokens: readonly Token[]): Set<string> {
  return new Set(tokens.map(({ term }) => term));
}

/** Words from the first to the last word of the question in the sentence, 1 from thirty on, and 1 when there is none. */
function spread({ tokens }: Candidate, { weights }: QuestionFocus): number {
  const hits = tokens.flatMap(({ term, stop }, index) =>
    !stop && weights.has(term) ? [index] : [],
  );
  const [first] = hits;
  return first === undefined ? 1 : Math.min(1, ((hits.at(-1) ?? first) - first + 1) / 30);
}

/** "Who replaced the Normans?" and "The Normans replaced the Saxons": all that stands behind the verb in the question stands before it in the sentence. */
function isTurnedRound(
  { tokens, terms }: Candidate,
  { verb, asksFor, form }: QuestionFocus,
): boolean {
  if (verb === undefined || asksFor !== "agent" || !terms.has(verb)) return false;
  const place = tokens.findIndex(({ term }) => term === verb);
  const passive = tokens.slice(place, place + 8).some(({ text }) => text.toLowerCase() === "by");
  const behind = form.tokens
    .slice(form.tokens.findIndex(({ term }) => term === verb) + 1)
    .filter(({ stop, term }) => !stop && terms.has(term))
    .map(({ term }) => tokens.findIndex((token) => token.term === term));
  return !passive && behind.length > 0 && behind.every((position) => position < place);
}

/** Both neighbours stand in the sentence, with one other word between them; or the word that it belongs to does, with another one before it. */
function isReplaced(
  term: string,
  { tokens }: Candidate,
  { form, all, expected }: QuestionFocus,
): boolean {
  if (expected.typeTerms.includes(term)) return false;
  const at = form.tokens.findIndex((token) => token.term === term);
  const [left, right] = [form.tokens[at - 1], form.tokens[at + 1]];
  if (right === undefined) return false;
  return tokens.some((token, index) => {
    const between = tokens[index - 1];
    if (token.term !== right.term || between === undefined || between.stop || all.has(between.term))
      return false;
    return !right.stop || (left !== undefined && tokens[index - 2]?.term === left.term);
  });
}
