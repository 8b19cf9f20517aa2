/** Fits all of a reader's models and cut-offs to labeled families. Deterministic. */
import { type LabeledSet, AIMS, fitPlatt, type Example, type Measured } from "./recalibrate.js";
import type { Reader } from "../src/reader/reader.js";
import { measureSet } from "../src/reader/signals.js";
import {
  probability,
  type LogisticModel,
  type ReaderModels,
  type ReaderWeights,
  type FittedThresholds,
} from "../src/reader/weights.js";
import { isEnglish } from "../src/text/languages.js";
import { fitLogistic, type Sign } from "./fit-logistic.js";
import type { LabeledClaim } from "./labeled-claims.js";

/** What comes from one source: what is fitted on several must hold on one that was left out. */
export interface Family {
  readonly name: string;
  readonly sets: readonly LabeledSet[];
  readonly claims: readonly LabeledClaim[];
}

export interface MeasuredInFamily extends Measured {
  readonly family: string;
}

interface MeasuredFamily {
  readonly name: string;
  /** Its passages are single sentences. */
  readonly ofSentences: boolean;
  /** Of a language that the encoder does not know. */
  readonly foreign: boolean;
  readonly sets: readonly MeasuredInFamily[];
  readonly passages: readonly MeasuredInFamily[];
  readonly claims: readonly MeasuredInFamily[];
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
  const measured: Record<"sets" | "passages" | "claims", MeasuredInFamily[]> = {
    sets: [],
    passages: [],
    claims: [],
  };
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
  lexical: { matched: "for", sentence: "for" },
};
const SUPPORT_SIGNS: Readonly<Record<string, Sign>> = {
  window: "for",
  rarest: "against",
  numberAbsent: "against",
};

/** Of the sets that answer nothing, this share may be called CORRECT, in the mean of the families. */
const FALSE_CORRECT = 0.25;

/** Fits everything. Families weigh alike, and so do both classes within a family. */
export function fitWeights(
  families: readonly MeasuredFamily[],
  { joint }: Pick<ReaderWeights, "joint">,
): ReaderWeights {
  const lexical = { ...fitModels(families, "lexical"), support: fitSupport(families) };
  return {
    version: 3,
    joint,
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
      aims: { falseCorrect: FALSE_CORRECT, ...AIMS },
    },
  };
}

function fitSupport(families: readonly MeasuredFamily[]): LogisticModel {
  return fitLogistic(balance(families.flatMap(({ claims }) => claims)), SUPPORT_SIGNS);
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
  return {
    passage: fitLogistic(passages(false), relevance),
    sentence: fitLogistic(passages(true), relevance),
    set,
    thresholds: fitThresholds(sets, set),
  };
}

/** Weighs families alike, and within each the classes; a family of one class only says nothing. */
export function balance(cases: readonly MeasuredInFamily[]): Example[] {
  const sizes = new Map<string, number>();
  const key = ({ family, positive }: MeasuredInFamily, other = false): string =>
    `${family} ${String(positive !== other)}`;
  for (const each of cases) sizes.set(key(each), (sizes.get(key(each)) ?? 0) + 1);
  return cases.flatMap((each) =>
    sizes.has(key(each, true)) ? [{ ...each, weight: 1 / (sizes.get(key(each)) ?? 1) }] : [],
  );
}

export function fitThresholds(
  sets: readonly Example[],
  model: LogisticModel,
  falseCorrect = FALSE_CORRECT,
): FittedThresholds {
  const judged = sets.map((each) => ({ ...each, value: probability(each.signals, model) }));
  const quantileOf = (positive: boolean, share: number): number =>
    weightedQuantile(
      judged.filter((each) => each.positive === positive),
      share,
    );
  const incorrect = quantileOf(true, AIMS.falseIncorrect);
  return {
    correct: Math.max(incorrect, quantileOf(false, 1 - falseCorrect)),
    incorrect,
    keep: 0.1,
    abstainBelow: quantileOf(true, AIMS.falseAbstain),
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
