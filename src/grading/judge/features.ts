import type { PassageInput } from "./passage.js";
import { analyseQuestion } from "./question.js";
import { readPassage } from "./reading.js";
import type { Reading } from "./reading.js";
import { readVocabulary } from "./vocabulary.js";
import type { SetVocabulary } from "./vocabulary.js";

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
export const SET_FEATURES = [
  "coverage",
  "answeringInContext",
  "proximity",
  "agreement",
  "entitled",
  "rarity",
] as const;
export type SetFeature = (typeof SET_FEATURES)[number];

export interface Measurements {
  passages: Record<PassageFeature, number>[];
  set: Record<SetFeature, number>;
}

/** Measures a question against passages. Neither the order in which they are given nor their number nor their length is a feature. */
export function measure(question: string, passages: readonly PassageInput[]): Measurements {
  const asked = analyseQuestion(question);
  const readings = passages.map((passage) => readPassage(asked, passage));
  const { agreement, overlap } = compare(readings, asked.own);
  const ahead = leads(readings);
  const measured = readings.map(
    ({ coverage, matched, answering, answeringInContext, proximity, numbers, entitled }, i) => ({
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
    }),
  );
  const best = (name: PassageFeature): number =>
    measured.reduce((value, passage) => Math.max(value, passage[name]), 0);
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

/** What passages have in common, apart from the words of the question: a passage alone has nothing to agree or overlap with. */
function compare(
  readings: readonly Reading[],
  asked: ReadonlySet<string>,
): { agreement: readonly number[]; overlap: readonly number[] } {
  if (readings.length < 2) return { agreement: [], overlap: [] };
  const vocabulary = readVocabulary(
    readings.map(({ passage }) => passage),
    asked,
  );
  return { agreement: agreements(readings, vocabulary), overlap: overlaps(vocabulary) };
}

/** How far each passage's best sentence is ahead of the best of all others, or behind it, −1 to 1. A passage alone is neither. */
function leads(readings: readonly Reading[]): number[] {
  if (readings.length < 2) return readings.map(() => 0);
  const [first = 0, second = 0] = readings
    .map(({ answeringInContext }) => answeringInContext)
    .sort((a, b) => b - a);
  return readings.map(
    ({ answeringInContext }) =>
      answeringInContext - (answeringInContext === first ? second : first),
  );
}

/** For each passage, the strongest candidate answer that it shares with another, 0–1: the same rare word, put forward by well-matching sentences of both. */
function agreements(readings: readonly Reading[], { numbers, rarities }: SetVocabulary): number[] {
  // By word, the two greatest weights that any passages put it forward with.
  const first = new Float64Array(rarities.length);
  const second = new Float64Array(rarities.length);
  for (const { candidates } of readings) {
    for (const [term, weight] of candidates) {
      const word = numbers.get(term);
      if (word === undefined) continue;
      const most = first[word] ?? 0;
      if (weight > most) {
        first[word] = weight;
        second[word] = most;
      } else if (weight > (second[word] ?? 0)) second[word] = weight;
    }
  }
  return readings.map(({ candidates }) => {
    let best = 0;
    for (const [term, weight] of candidates) {
      const word = numbers.get(term);
      if (word === undefined || second[word] === 0) continue;
      const other = (weight === first[word] ? second[word] : first[word]) ?? 0;
      best = Math.max(best, weight * other * (rarities[word] ?? 0));
    }
    return best;
  });
}

/** For each passage, the greatest rarity-weighted share of words, those of the question apart, that it has in common with another, 0–1 (cosine of sets). */
function overlaps(vocabulary: SetVocabulary): number[] {
  const { passages, rarities } = vocabulary;
  const n = passages.length;
  const common = commonRarity(vocabulary);
  const mass = passages.map((words) => words.reduce((sum, word) => sum + (rarities[word] ?? 0), 0));
  const greatest = new Array<number>(n).fill(0);
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) {
      const size = Math.sqrt((mass[i] ?? 0) * (mass[j] ?? 0));
      const share = size === 0 ? 0 : (common[i * n + j] ?? 0) / size;
      greatest[i] = Math.max(greatest[i] ?? 0, share);
      greatest[j] = Math.max(greatest[j] ?? 0, share);
    }
  }
  return greatest;
}

/** Summed rarity of the words that two passages have in common, at `i * n + j` for passage i before passage j. Word by word, as few words are shared. */
function commonRarity({ passages, rarities }: SetVocabulary): Float64Array {
  const n = passages.length;
  // The passages that hold a word are a chain from the last of them to the first; lists would be made for hundreds of words that stand only once.
  const entries = passages.reduce((sum, words) => sum + words.length, 0);
  const last = new Int32Array(rarities.length).fill(-1);
  const holder = new Int32Array(entries);
  const before = new Int32Array(entries);
  let entry = 0;
  passages.forEach((words, passage) => {
    for (const word of words) {
      holder[entry] = passage;
      before[entry] = last[word] ?? -1;
      last[word] = entry;
      entry += 1;
    }
  });
  const common = new Float64Array(n * n);
  last.forEach((end, word) => {
    for (let later = end; later >= 0; later = before[later] ?? -1) {
      for (let earlier = before[later] ?? -1; earlier >= 0; earlier = before[earlier] ?? -1) {
        const pair = (holder[earlier] ?? 0) * n + (holder[later] ?? 0);
        common[pair] = (common[pair] ?? 0) + (rarities[word] ?? 0);
      }
    }
  });
  return common;
}
