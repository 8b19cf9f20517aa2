/** Fits all of a reader's models and cut-offs to labeled families. Deterministic. */
import { isEnglish } from "../../text/languages.js";
import {
  logOdds,
  probability,
  type LogisticModel,
  type Signals,
  type Platt,
  type ReaderModels,
  type ReaderWeights,
  type Thresholds,
} from "../weights.js";
import { measureSet } from "../signals.js";
import type { Reader } from "../reader.js";
import { fitLogistic, type Example, type Sign } from "./fit.js";
import type { Family } from "./labels.js";

/** One labeled thing, measured. */
export interface Measured {
  readonly family: string;
  readonly signals: Signals;
  readonly positive: boolean;
}

interface MeasuredFamily {
  readonly name: string;
  /** Its passages are single sentences. */
  readonly ofSentences: boolean;
  /** Of a language that the encoder does not know. */
  readonly foreign: boolean;
  readonly sets: readonly Measured[];
  readonly passages: readonly Measured[];
  readonly claims: readonly Measured[];
}

/** Passages of this many characters in the median are sentences. */
const SENTENCE_LENGTH = 300;

/** Measures a family through the reader's port: what it reports as signals is what is fitted. */
export async function measureFamily(
  { name, sets, claims }: Family,
  reader: Reader,
): Promise<MeasuredFamily> {
  const lengths = sets.flatMap(({ passages }) => passages.map(({ text }) => text.length));
  lengths.sort((a, b) => a - b);
  const measured = { sets: [] as Measured[], passages: [] as Measured[], claims: [] as Measured[] };
  for (const { question, answerable, passages } of sets) {
    if (passages.length === 0) continue;
    const read = await reader.relevance({ question, passages });
    const signals = read.passages.map((passage) => passage.signals);
    measured.sets.push({ family: name, signals: measureSet(signals), positive: answerable });
    for (const [index, { relevant }] of passages.entries())
      if (relevant !== null)
        measured.passages.push({ family: name, signals: signals[index] ?? {}, positive: relevant });
  }
  for (const { question, claim, evidence, supported } of claims) {
    const [read] = await reader.support({ claims: [claim], evidence, question });
    measured.claims.push({ family: name, signals: read?.signals ?? {}, positive: supported });
  }
  return {
    name,
    ofSentences: (lengths[Math.floor(lengths.length / 2)] ?? Infinity) < SENTENCE_LENGTH,
    foreign: sets.filter(({ question }) => !isEnglish(question)).length > sets.length / 2,
    ...measured,
  };
}

/** Chosen by leaving one family out at a time: each gains on three families or more. */
const RELEVANCE_SIGNS: Readonly<Record<"trained" | "lexical", Readonly<Record<string, Sign>>>> = {
  trained: { cosine: "for", matched: "for", sentence: "for" },
  lexical: { matched: "for", sentence: "for", title: "for" },
};
const SUPPORT_SIGNS: Readonly<Record<string, Sign>> = {
  window: "for",
  together: "for",
  rarest: "against",
  numberAbsent: "against",
};

/** What the cut-offs aim at, as means over the families. */
export const AIMS = {
  /** Of the sets that answer nothing, this share may be called CORRECT. */
  falseCorrect: 0.25,
  /** Of the sets that answer, this share may be called INCORRECT. */
  falseIncorrect: 0.03,
  /** Of the sets that answer, this share may be abstained from unread. */
  falseAbstain: 0.02,
};

/** Fits everything. Families weigh alike, and so do both classes within a family. */
export function fitWeights(families: readonly MeasuredFamily[]): ReaderWeights {
  const lexical = fitModels(families, "lexical");
  return {
    version: 1,
    trained: fitModels(families, "trained"),
    lexical,
    otherLanguages: fitPlatt(
      balance(families.filter(({ foreign }) => foreign).flatMap(({ sets }) => sets)),
      lexical.set,
    ),
    report: {
      families: Object.fromEntries(
        families.map(({ name, sets, passages, claims }) => [
          name,
          { sets: sets.length, passages: passages.length, claims: claims.length },
        ]),
      ),
      aims: AIMS,
    },
  };
}

function fitModels(all: readonly MeasuredFamily[], kind: "trained" | "lexical"): ReaderModels {
  const families = all.filter(({ foreign }) => !foreign);
  const relevance = RELEVANCE_SIGNS[kind];
  const sets = balance(families.flatMap((family) => family.sets));
  const passages = (ofSentences: boolean): Example[] =>
    balance(
      families.filter((each) => each.ofSentences === ofSentences).flatMap((each) => each.passages),
    );
  const set = fitLogistic(sets, relevance);
  const support = fitLogistic(balance(families.flatMap(({ claims }) => claims)), SUPPORT_SIGNS);
  return {
    passage: fitLogistic(passages(false), relevance),
    sentence: fitLogistic(passages(true), relevance),
    set,
    support,
    thresholds: fitThresholds(sets, set),
  };
}

/** Weighs families alike, and within each the classes; a family of one class only says nothing. */
function balance(cases: readonly Measured[]): Example[] {
  const sizes = new Map<string, number>();
  const key = ({ family, positive }: Measured, other = false): string =>
    `${family} ${String(positive !== other)}`;
  for (const each of cases) sizes.set(key(each), (sizes.get(key(each)) ?? 0) + 1);
  return cases.flatMap((each) =>
    sizes.has(key(each, true)) ? [{ ...each, weight: 1 / (sizes.get(key(each)) ?? 1) }] : [],
  );
}

function fitThresholds(sets: readonly Example[], model: LogisticModel): Thresholds {
  const judged = sets.map((each) => ({ ...each, value: probability(each.signals, model) }));
  const quantileOf = (positive: boolean, share: number): number =>
    weightedQuantile(
      judged.filter((each) => each.positive === positive),
      share,
    );
  const incorrect = quantileOf(true, AIMS.falseIncorrect);
  return {
    correct: Math.max(incorrect, quantileOf(false, 1 - AIMS.falseCorrect)),
    incorrect,
    abstainBelow: quantileOf(true, AIMS.falseAbstain),
    supported: 0.5,
    partial: 0.3,
  };
}

function weightedQuantile(
  cases: readonly { readonly value: number; readonly weight: number }[],
  share: number,
): number {
  const sorted = [...cases].sort((a, b) => a.value - b.value);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
  let passed = 0;
  for (const { value, weight } of sorted) {
    passed += weight;
    if (passed >= share * total) return Number(value.toFixed(3));
  }
  return 0;
}

/** Fits slope and offset of a model's log-odds to labels; the slope never turns the order round. */
export function fitPlatt(cases: readonly Example[], model: LogisticModel): Platt {
  if (cases.length === 0) return { slope: 1, offset: 0 };
  const examples = cases.map((each) => ({ ...each, signals: { x: logOdds(each.signals, model) } }));
  const { bias, signals } = fitLogistic(examples, { x: "for" });
  const { mean, scale, weight } = signals["x"] ?? { mean: 0, scale: 1, weight: 0 };
  const slope = weight / scale;
  return {
    slope: Number(slope.toPrecision(6)),
    offset: Number((bias - slope * mean).toPrecision(6)),
  };
}
