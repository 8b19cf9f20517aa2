/** How the words of sentences are used, compared with those of the question: in other words, a sentence may still speak of the same. */
import type { Candidate } from "./answer-candidates.js";
import type { QuestionFocus } from "./question-focus.js";
import { askedWords, cosineOf, directionOf, nearest, rarity, usedWord } from "./word-nearness.js";

export const USE_FEATURES = ["usedAlike", "usedNear", "telling"] as const;
export type UseFeatures = Record<(typeof USE_FEATURES)[number], number>;

/** Where no word is known: somewhat less than the mean. */
const UNKNOWN = 0.3;

/** Measures each of the candidates of one question. Each value is near 0–1. Deterministic. */
export function measureUse(candidates: readonly Candidate[], focus: QuestionFocus): UseFeatures[] {
  const asked = askedWords(focus).map(usedWord);
  const wanted = directionOf(asked);
  const told = asked.map(({ term }) => tells(term, candidates));
  const said = candidates.map(({ tokens }) => tokens.filter(({ stop }) => !stop).map(usedWord));
  const near = said.map((words) => asked.map((word) => nearest(word, words)));
  const places = new Map(candidates.map((candidate, place) => [candidate, place]));
  return candidates.map(({ previous }, place) => {
    const here = near[place] ?? [];
    const before = near[previous === undefined ? -1 : (places.get(previous) ?? -1)] ?? [];
    const direction = directionOf(said[place] ?? []);
    return {
      usedAlike:
        wanted === undefined || direction === undefined ? UNKNOWN : cosineOf(wanted, direction),
      // Squared: a word that is somewhat alike is hardly the same.
      usedNear: average(
        asked.map(({ term }, index) => ({
          weight: rarity(term),
          value: Math.max(here[index] ?? 0, before[index] ?? 0) ** 2,
        })),
      ),
      telling: average(
        asked.map((_, index) => ({ weight: told[index] ?? 0, value: here[index] ?? 0 })),
      ),
    };
  });
}

/** What a word tells of the candidates apart, at least 0: inverse document frequency among them. */
function tells(term: string, candidates: readonly Candidate[]): number {
  const holding = candidates.filter(({ terms }) => terms.has(term)).length;
  return Math.max(0, Math.log((candidates.length + 1) / (holding + 0.5)));
}

/** Weighted; 0 when nothing weighs. */
function average(values: readonly { weight: number; value: number }[]): number {
  const mass = values.reduce((sum, { weight }) => sum + weight, 0);
  return mass === 0 ? 0 : values.reduce((sum, { weight, value }) => sum + weight * value, 0) / mass;
}
