import { analyseQuestion } from "./question.js";
import { readPassage } from "./reading.js";
import type { Reading } from "./reading.js";

export interface PassageInput {
  title: string;
  text: string;
}

/** What the passage model sees of a passage. Every feature can only speak for the passage: no weight may be negative. */
export const PASSAGE_FEATURES = [
  "coverage",
  "matched",
  "answering",
  "answeringInContext",
  "proximity",
  "agreement",
  "overlap",
  "numbers",
] as const;
export type PassageFeature = (typeof PASSAGE_FEATURES)[number];

/** What the set model sees of a set: the best value that any passage reaches. */
export const SET_FEATURES = ["coverage", "matched", "answeringInContext", "proximity", "agreement"] as const;
export type SetFeature = (typeof SET_FEATURES)[number];

export interface Measurements {
  passages: Record<PassageFeature, number>[];
  set: Record<SetFeature, number>;
}

/** Measures a question against passages. Neither the order in which they are given nor their number nor their length is a feature. */
export function measure(question: string, passages: readonly PassageInput[]): Measurements {
  const asked = analyseQuestion(question);
  const readings = passages.map((passage) => readPassage(asked, passage));
  const agreement = readings.map(() => 0);
  const overlap = readings.map(() => 0);
  readings.forEach((a, i) => {
    for (let j = i + 1; j < readings.length; j += 1) {
      const b = readings[j];
      if (b === undefined) continue;
      const agreed = agreementOf(a, b);
      const shared = overlapOf(a, b);
      agreement[i] = Math.max(agreement[i] ?? 0, agreed);
      agreement[j] = Math.max(agreement[j] ?? 0, agreed);
      overlap[i] = Math.max(overlap[i] ?? 0, shared);
      overlap[j] = Math.max(overlap[j] ?? 0, shared);
    }
  });
  const measured = readings.map(({ coverage, matched, answering, answeringInContext, proximity, numbers }, i) => ({
    coverage,
    matched,
    answering,
    answeringInContext,
    proximity,
    numbers,
    agreement: agreement[i] ?? 0,
    overlap: overlap[i] ?? 0,
  }));
  const best = (name: SetFeature): number => measured.reduce((value, passage) => Math.max(value, passage[name]), 0);
  return {
    passages: measured,
    set: {
      coverage: best("coverage"),
      matched: best("matched"),
      answeringInContext: best("answeringInContext"),
      proximity: best("proximity"),
      agreement: best("agreement"),
    },
  };
}

/** The strongest candidate answer that two passages share, 0–1: the same rare word, put forward by well-matching sentences of both. */
function agreementOf(a: Reading, b: Reading): number {
  const [few, many] = a.candidates.size <= b.candidates.size ? [a, b] : [b, a];
  let best = 0;
  for (const [term, weight] of few.candidates) {
    const other = many.candidates.get(term);
    if (other !== undefined) best = Math.max(best, weight * other * (few.rarities.get(term) ?? 0));
  }
  return best;
}

/** Rarity-weighted share of words, those of the question apart, that two passages have in common, 0–1 (cosine of sets). */
function overlapOf(a: Reading, b: Reading): number {
  const [few, many] = a.rarities.size <= b.rarities.size ? [a, b] : [b, a];
  let common = 0;
  for (const [term, rarity] of few.rarities) if (many.rarities.has(term)) common += rarity;
  const size = Math.sqrt(a.mass * b.mass);
  return size === 0 ? 0 : common / size;
}
