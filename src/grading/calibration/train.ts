import { logit } from "../judge/model.js";
import type { JudgeModel, JudgeThresholds } from "../judge/model.js";
import { measure, PASSAGE_FEATURES, SET_FEATURES } from "../judge/features.js";
import type { Measurements, PassageFeature, SetFeature } from "../judge/features.js";
import { probability } from "../logistic.js";
import type { LogisticModel } from "../logistic.js";
import type { Family, LabelledSet } from "./evidence-set.js";
import { fitNonNegative } from "./fit.js";
import type { Example } from "./fit.js";
import { quantile } from "./metrics.js";

/** Penalty of the ridge: worth this many examples per standard deviation of weight, out of `FAMILY_WEIGHT` for each family. */
const PENALTY = 30;
/**
 * Held back, so that they help where families agree and do little harm where they do not: to be ahead says little where several passages of
 * one article are relevant, and a title says much of a question about one named thing and nothing where all have the right title.
 */
const PASSAGE_PENALTIES: Readonly<Record<PassageFeature, number>> = {
  coverage: PENALTY,
  matched: PENALTY,
  answering: PENALTY,
  answeringInContext: PENALTY,
  proximity: PENALTY,
  agreement: PENALTY,
  overlap: PENALTY,
  numbers: PENALTY,
  ahead: 300,
  entitled: 1_000,
};
/** The features of the passages; `rarity` of the question is not fitted to labels. */
const FITTED_OF_THE_SET = SET_FEATURES.filter((name) => name !== "rarity");
/**
 * How much of the difference between short and long questions is evened out. All of it is best for questions about a named subject and
 * takes the gain from real searchers', whose short questions are answered more often.
 */
const EVENED_OUT = 0.75;
/** Sets that one question with relevant passages and noise is made into, of each kind. */
const DRAWS = 5;
/** Every family counts the same however many sets it has, and in each the relevant count as much as the rest. */
const FAMILY_WEIGHT = 1_000;

export interface MeasuredSet {
  set: LabelledSet;
  measured: Measurements;
}
export interface MeasuredFamily {
  name: string;
  /** As given. */
  sets: readonly MeasuredSet[];
  /** What the set model learns from: as given, or, where every set is answerable, with sets of irrelevant passages beside them. */
  forSets: readonly MeasuredSet[];
}

/** Measures a family once, for all the fits that follow. Sets without passages teach nothing and are left out. */
export function measureFamily(family: Family): MeasuredFamily {
  const given = family.sets.filter(({ passages }) => passages.length > 0);
  const sets = given.map(measureSet);
  const oneSided = given.every(({ answerable }) => answerable);
  return {
    name: family.name,
    sets,
    forSets: oneSided ? given.flatMap(withAndWithout).map(measureSet) : sets,
  };
}

function measureSet(set: LabelledSet): MeasuredSet {
  return { set, measured: measure(set.question, set.passages) };
}

/** Sets of four out of one of many: one relevant passage or two among noise, and noise alone, by turns through both. */
function withAndWithout(set: LabelledSet): LabelledSet[] {
  const relevant = set.passages.filter((passage) => passage.relevant);
  const noise = set.passages.filter((passage) => !passage.relevant);
  if (noise.length === 0 || relevant.length === 0) return [];
  return Array.from({ length: Math.min(DRAWS, noise.length) }, (_, turn) => {
    const found = 2 - (turn % 2);
    return [
      {
        ...set,
        id: `${set.id}-with-${turn}`,
        passages: [...inTurn(relevant, turn, found), ...inTurn(noise, turn, 4 - found)],
      },
      {
        ...set,
        id: `${set.id}-without-${turn}`,
        answerable: false,
        passages: inTurn(noise, turn, 4),
      },
    ];
  }).flat();
}

/** At most so many of a list, from a place on and round its end. */
function inTurn<Item>(list: readonly Item[], from: number, count: number): Item[] {
  const begin = from % list.length;
  return [...list.slice(begin), ...list.slice(0, begin)].slice(0, count);
}

/** Fits both models on families that count alike. */
export function fitModels(families: readonly MeasuredFamily[]): {
  passage: LogisticModel;
  set: LogisticModel;
} {
  const passages = families.flatMap(({ sets }) =>
    balanced(
      sets.flatMap(({ set, measured }) =>
        set.passages.map(({ relevant }, i) => ({
          features: measured.passages[i],
          positive: relevant,
        })),
      ),
    ),
  );
  const sets = families.flatMap(({ forSets }) =>
    balanced(
      forSets.map(({ set, measured }) => ({ features: measured.set, positive: set.answerable })),
    ),
  );
  return {
    passage: fitNonNegative<PassageFeature>(passages, PASSAGE_FEATURES, PASSAGE_PENALTIES),
    set: evenedOut(fitNonNegative<SetFeature>(sets, FITTED_OF_THE_SET, PENALTY), families),
  };
}

/**
 * Adds the weight of `rarity`. A set that answers nothing covers a short question more easily than a long one, so that one cut-off would let
 * short ones pass; the weight takes off `EVENED_OUT` of that. It is read off the sets that answer nothing, within each family: what
 * share of short questions has an answer plays no part, which would be a prior and no judgement.
 */
function evenedOut(set: LogisticModel, families: readonly MeasuredFamily[]): LogisticModel {
  let covariance = 0;
  let variance = 0;
  let middle = 0;
  for (const { forSets } of families) {
    middle += mean(forSets.map(({ measured }) => measured.set.rarity)) / families.length;
    const nothing = forSets
      .filter((item) => !item.set.answerable)
      .map(({ measured }) => measured.set);
    if (nothing.length === 0) continue;
    const scores = nothing.map((features) => logit(probability(features, set)));
    const rarities = nothing.map(({ rarity }) => rarity);
    const [score, rarity] = [mean(scores), mean(rarities)];
    covariance += mean(scores.map((value, i) => (value - score) * ((rarities[i] ?? 0) - rarity)));
    variance += mean(rarities.map((value) => (value - rarity) ** 2));
  }
  const weight = variance === 0 ? 0 : Math.max(0, (-EVENED_OUT * covariance) / variance);
  if (weight === 0) return set;
  const rarity = {
    mean: Number(middle.toPrecision(6)),
    scale: 1,
    weight: Number(weight.toPrecision(6)),
  };
  return { ...set, features: { ...set.features, rarity } };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function balanced<Name extends string>(
  cases: readonly { features: Record<Name, number> | undefined; positive: boolean }[],
): Example<Name>[] {
  const positives = cases.filter(({ positive }) => positive).length;
  const share = (positive: boolean): number =>
    FAMILY_WEIGHT / 2 / Math.max(1, positive ? positives : cases.length - positives);
  return cases.flatMap(({ features, positive }) =>
    features === undefined ? [] : [{ features, positive, weight: share(positive) }],
  );
}

/** What the cut-offs of the shipped judge aim at, as means over the families. */
export const AIMS = {
  /** Of the sets that answer nothing, this share may be called CORRECT. */
  falseCorrect: 0.25,
  /** Of the sets that answer, this share may be called INCORRECT. */
  falseIncorrect: 0.03,
  /** Of the sets that answer, this share may be abstained from before a sentence was looked at; the answer has a check of its own. */
  falseAbstain: 0.02,
};

/** Cut-offs that reach the aims on average over the families, to two figures. */
export function fitShippedThresholds(
  families: readonly MeasuredFamily[],
  set: LogisticModel,
): JudgeThresholds {
  const cut = (answerable: boolean, p: number): number => {
    const perFamily = families.map(({ forSets }) =>
      forSets
        .filter((item) => item.set.answerable === answerable)
        .map(({ measured }) => probability(measured.set, set)),
    );
    // The same cut for all: found on the pooled quantile where each family weighs alike.
    let [low, high] = [0, 1];
    for (let i = 0; i < 40; i += 1) {
      const middle = (low + high) / 2;
      const shares = perFamily
        .filter((scores) => scores.length > 0)
        .map((scores) => scores.filter((score) => score < middle).length / scores.length);
      if (shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length) < p)
        low = middle;
      else high = middle;
    }
    return Number(high.toFixed(2));
  };
  const incorrect = cut(true, AIMS.falseIncorrect);
  return {
    correct: Math.max(incorrect, cut(false, 1 - AIMS.falseCorrect)),
    incorrect,
    abstainBelow: cut(true, AIMS.falseAbstain),
  };
}

/** Fits a judge from labelled families: how the shipped file is made. The same families give the same file. */
export function trainJudge(families: readonly Family[]): JudgeModel {
  const measured = families.map(measureFamily);
  const models = fitModels(measured);
  return {
    version: 1,
    ...models,
    thresholds: fitShippedThresholds(measured, models.set),
    report: {
      families: Object.fromEntries(
        measured.map(({ name, sets, forSets }) => [
          name,
          {
            sets: sets.length,
            setsForTheSetModel: forSets.length,
            passages: sets.reduce((sum, { set }) => sum + set.passages.length, 0),
          },
        ]),
      ),
      penalty: PENALTY,
      aims: AIMS,
      medianLength: quantile(
        measured.flatMap(({ sets }) =>
          sets.flatMap(({ set }) => set.passages.map(({ text }) => text.length)),
        ),
        0.5,
      ),
    },
  };
}
