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
 * `matched` rises with the length of the question, and how far that tells answerable questions from others differs from one kind of question
 * to the next: it is held back, so that it helps where families agree and does little harm where they do not.
 */
const PENALTY_ON_LENGTH = 1_500;
const SET_PENALTIES: Readonly<Record<SetFeature, number>> = {
  coverage: PENALTY,
  matched: PENALTY_ON_LENGTH,
  answeringInContext: PENALTY,
  proximity: PENALTY,
  agreement: PENALTY,
};
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
  return { name: family.name, sets, forSets: oneSided ? given.flatMap(withAndWithout).map(measureSet) : sets };
}

function measureSet(set: LabelledSet): MeasuredSet {
  return { set, measured: measure(set.question, set.passages) };
}

/** Two sets of like size out of one: some relevant passages among noise, and noise alone. */
function withAndWithout(set: LabelledSet): LabelledSet[] {
  const relevant = set.passages.filter((passage) => passage.relevant);
  const noise = set.passages.filter((passage) => !passage.relevant);
  if (noise.length === 0 || relevant.length === 0) return [];
  return [
    { ...set, id: `${set.id}-with`, passages: [...relevant.slice(0, 2), ...noise.slice(0, 3)] },
    { ...set, id: `${set.id}-without`, answerable: false, passages: noise.slice(0, 5) },
  ];
}

/** Fits both models on families that count alike. */
export function fitModels(families: readonly MeasuredFamily[]): { passage: LogisticModel; set: LogisticModel } {
  const passages = families.flatMap(({ sets }) =>
    balanced(
      sets.flatMap(({ set, measured }) => set.passages.map(({ relevant }, i) => ({ features: measured.passages[i], positive: relevant }))),
    ),
  );
  const sets = families.flatMap(({ forSets }) =>
    balanced(forSets.map(({ set, measured }) => ({ features: measured.set, positive: set.answerable }))),
  );
  return {
    passage: fitNonNegative<PassageFeature>(passages, PASSAGE_FEATURES, PENALTY),
    set: fitNonNegative<SetFeature>(sets, SET_FEATURES, SET_PENALTIES),
  };
}

function balanced<Name extends string>(
  cases: readonly { features: Record<Name, number> | undefined; positive: boolean }[],
): Example<Name>[] {
  const positives = cases.filter(({ positive }) => positive).length;
  const share = (positive: boolean): number => FAMILY_WEIGHT / 2 / Math.max(1, positive ? positives : cases.length - positives);
  return cases.flatMap(({ features, positive }) => (features === undefined ? [] : [{ features, positive, weight: share(positive) }]));
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
export function fitShippedThresholds(families: readonly MeasuredFamily[], set: LogisticModel): JudgeThresholds {
  const cut = (answerable: boolean, p: number): number => {
    const perFamily = families.map(({ forSets }) =>
      forSets.filter((item) => item.set.answerable === answerable).map(({ measured }) => probability(measured.set, set)),
    );
    // The same cut for all: found on the pooled quantile where each family weighs alike.
    let [low, high] = [0, 1];
    for (let i = 0; i < 40; i += 1) {
      const middle = (low + high) / 2;
      const shares = perFamily
        .filter((scores) => scores.length > 0)
        .map((scores) => scores.filter((score) => score < middle).length / scores.length);
      if (shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length) < p) low = middle;
      else high = middle;
    }
    return Number(high.toFixed(2));
  };
  const incorrect = cut(true, AIMS.falseIncorrect);
  return { correct: Math.max(incorrect, cut(false, 1 - AIMS.falseCorrect)), incorrect, abstainBelow: cut(true, AIMS.falseAbstain) };
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
          { sets: sets.length, setsForTheSetModel: forSets.length, passages: sets.reduce((sum, { set }) => sum + set.passages.length, 0) },
        ]),
      ),
      penalty: PENALTY,
      aims: AIMS,
      medianLength: quantile(
        measured.flatMap(({ sets }) => sets.flatMap(({ set }) => set.passages.map(({ text }) => text.length))),
        0.5,
      ),
    },
  };
}
