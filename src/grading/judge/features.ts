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
  "ahead",
  "entitled",
] as const;
export type PassageFeature = (typeof PASSAGE_FEATURES)[number];

/** What the set model sees of a set: the best value that any passage reaches; and of the question, how much it gives to be found by. */
export const SET_FEATURES = ["coverage", "answeringInContext", "proximity", "agreement", "entitled", "rarity"] as const;
export type SetFeature = (typeof SET_FEATURES)[number];

export interface Measurements {
  passages: Record<PassageFeature, number>[];
  set: Record<SetFeature, number>;
}

/** Measures a question against passages. Neither the order in which they are given nor their number nor their length is a feature. */
export function measure(question: string, passages: readonly PassageInput[]): Measurements {
  const asked = analyseQuestion(question);
  const readings = passages.map((passage) => readPassage(asked, passage));
  const agreement = agreements(readings);
  const overlap = overlaps(readings);
  const ahead = leads(readings);
  const measured = readings.map(({ coverage, matched, answering, answeringInContext, proximity, numbers, entitled }, i) => ({
    coverage,
    matched,
    answering,
    answeringInContext,
    proximity,
    numbers,
    agreement: agreement[i] ?? 0,
    overlap: overlap[i] ?? 0,
    ahead: ahead[i] ?? 0,
    entitled,
  }));
  const best = (name: PassageFeature): number => measured.reduce((value, passage) => Math.max(value, passage[name]), 0);
  return {
    passages: measured,
    set: {
      coverage: best("coverage"),
      answeringInContext: best("answeringInContext"),
      proximity: best("proximity"),
      agreement: best("agreement"),
      entitled: best("entitled"),
      rarity: asked.rarity,
    },
  };
}

/** How far each passage's best sentence is ahead of the best of all others, or behind it, −1 to 1. A passage alone is neither. */
function leads(readings: readonly Reading[]): number[] {
  if (readings.length < 2) return readings.map(() => 0);
  const [first = 0, second = 0] = readings.map(({ answeringInContext }) => answeringInContext).sort((a, b) => b - a);
  return readings.map(({ answeringInContext }) => answeringInContext - (answeringInContext === first ? second : first));
}

/** For each passage, the strongest candidate answer that it shares with another, 0–1: the same rare word, put forward by well-matching sentences of both. */
function agreements(readings: readonly Reading[]): number[] {
  const strongest = new Map<string, { first: number; second: number }>();
  for (const { candidates } of readings) {
    for (const [term, weight] of candidates) {
      const two = strongest.get(term);
      if (two === undefined) strongest.set(term, { first: weight, second: 0 });
      else if (weight > two.first) [two.first, two.second] = [weight, two.first];
      else if (weight > two.second) two.second = weight;
    }
  }
  return readings.map(({ candidates, rarities }) => {
    let best = 0;
    for (const [term, weight] of candidates) {
      const two = strongest.get(term);
      if (two === undefined || two.second === 0) continue;
      const other = weight === two.first ? two.second : two.first;
      best = Math.max(best, weight * other * (rarities.get(term) ?? 0));
    }
    return best;
  });
}

/** For each passage, the greatest rarity-weighted share of words, those of the question apart, that it has in common with another, 0–1 (cosine of sets). */
function overlaps(readings: readonly Reading[]): number[] {
  const n = readings.length;
  const holders = new Map<string, number[]>();
  readings.forEach(({ rarities }, i) => {
    for (const term of rarities.keys()) {
      const list = holders.get(term);
      if (list === undefined) holders.set(term, [i]);
      else list.push(i);
    }
  });
  const common = new Float64Array(n * n);
  for (const [term, list] of holders) {
    if (list.length < 2) continue;
    const rarity = readings[list[0] ?? 0]?.rarities.get(term) ?? 0;
    for (let x = 0; x < list.length; x += 1) {
      const row = (list[x] ?? 0) * n;
      for (let y = x + 1; y < list.length; y += 1) common[row + (list[y] ?? 0)] = (common[row + (list[y] ?? 0)] ?? 0) + rarity;
    }
  }
  const greatest = new Array<number>(n).fill(0);
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) {
      const size = Math.sqrt((readings[i]?.mass ?? 0) * (readings[j]?.mass ?? 0));
      const share = size === 0 ? 0 : (common[i * n + j] ?? 0) / size;
      greatest[i] = Math.max(greatest[i] ?? 0, share);
      greatest[j] = Math.max(greatest[j] ?? 0, share);
    }
  }
  return greatest;
}
