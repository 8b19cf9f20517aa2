/** Measures of probabilities against labels. A figure that the data cannot give (one class only) is NaN. */

/** A judged case: the probability given, and whether it was so. */
export interface Judged {
  score: number;
  positive: boolean;
}

/** Area under the ROC curve: how often a positive case scores above a negative one, ties counting half (Mann–Whitney). */
export function auc(cases: readonly Judged[]): number {
  const sorted = [...cases].sort((a, b) => a.score - b.score);
  let positives = 0;
  let rankSum = 0;
  for (let i = 0; i < sorted.length;) {
    let j = i;
    while (j < sorted.length && sorted[j]?.score === sorted[i]?.score) j += 1;
    const rank = (i + j + 1) / 2;
    for (let k = i; k < j; k += 1) {
      if (sorted[k]?.positive !== true) continue;
      positives += 1;
      rankSum += rank;
    }
    i = j;
  }
  const negatives = sorted.length - positives;
  return positives === 0 || negatives === 0
    ? NaN
    : (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

export interface DecisionRates {
  accuracy: number;
  /** Mean of the share of positives found and the share of negatives left out. */
  balancedAccuracy: number;
  /** Share of the negatives that were called positive. */
  falsePositiveRate: number;
  /** Share of the positives that were not. */
  falseNegativeRate: number;
}

/** Rates of the decision "score ≥ threshold". */
export function ratesAt(cases: readonly Judged[], threshold: number): DecisionRates {
  let [tp, fp, tn, fn] = [0, 0, 0, 0];
  for (const { score, positive } of cases) {
    if (score >= threshold) {
      if (positive) tp += 1;
      else fp += 1;
    } else if (positive) fn += 1;
    else tn += 1;
  }
  const falsePositiveRate = fp / (fp + tn);
  const falseNegativeRate = fn / (fn + tp);
  const halves = [1 - falsePositiveRate, 1 - falseNegativeRate].filter(
    (rate) => !Number.isNaN(rate),
  );
  return {
    accuracy: (tp + tn) / cases.length,
    balancedAccuracy: halves.reduce((sum, rate) => sum + rate, 0) / halves.length,
    falsePositiveRate,
    falseNegativeRate,
  };
}

/** Mean of the F1 of both classes for the decision "score ≥ threshold"; a class that is neither there nor called counts 0. */
export function macroF1(cases: readonly Judged[], threshold: number): number {
  const f1 = (wanted: boolean): number => {
    const called = cases.filter(({ score }) => score >= threshold === wanted);
    const hits = called.filter(({ positive }) => positive === wanted).length;
    const actual = cases.filter(({ positive }) => positive === wanted).length;
    return called.length + actual === 0 ? 0 : (2 * hits) / (called.length + actual);
  };
  return (f1(true) + f1(false)) / 2;
}

/** Expected calibration error: the mean distance of probability and observed share over ten bins of equal width, weighed by their size (Naeini et al. 2015). */
export function calibrationError(cases: readonly Judged[], bins = 10): number {
  const groups = reliability(cases, bins);
  return groups.reduce(
    (sum, { count, meanScore, share }) =>
      sum + (count / cases.length) * Math.abs(meanScore - share),
    0,
  );
}

export interface ReliabilityBin {
  count: number;
  meanScore: number;
  /** Observed share of positives. */
  share: number;
}

/** The points of a reliability diagram; empty bins are left out. */
export function reliability(cases: readonly Judged[], bins = 10): ReliabilityBin[] {
  const groups = Array.from({ length: bins }, () => ({ count: 0, scores: 0, positives: 0 }));
  for (const { score, positive } of cases) {
    const group = groups[Math.min(bins - 1, Math.max(0, Math.floor(score * bins)))];
    if (group === undefined) continue;
    group.count += 1;
    group.scores += score;
    if (positive) group.positives += 1;
  }
  return groups
    .filter(({ count }) => count > 0)
    .map(({ count, scores, positives }) => ({
      count,
      meanScore: scores / count,
      share: positives / count,
    }));
}

/** Mean squared distance of probability and outcome (Brier 1950). */
export function brierScore(cases: readonly Judged[]): number {
  return (
    cases.reduce((sum, { score, positive }) => sum + (score - (positive ? 1 : 0)) ** 2, 0) /
    cases.length
  );
}

/** The pth quantile of values, p in 0–1, by linear interpolation; NaN of nothing. */
export function quantile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * p;
  const low = sorted[Math.floor(place)];
  const high = sorted[Math.ceil(place)];
  return low === undefined || high === undefined
    ? NaN
    : low + (high - low) * (place - Math.floor(place));
}

export interface Interval {
  value: number;
  low: number;
  high: number;
}

/**
 * A statistic with its 95 % percentile bootstrap interval. To compare two systems on the same cases, let the cases carry both scores and the
 * statistic be the difference: that is the paired interval. Samples come from a fixed sequence, so the same cases give the same interval.
 */
export function bootstrap<Case>(
  cases: readonly Case[],
  statistic: (sample: readonly Case[]) => number,
  samples = 1_000,
  seed = 20_261_121,
): Interval {
  const next = sequence(seed);
  const values: number[] = [];
  for (let i = 0; i < samples && cases.length > 0; i += 1) {
    const sample: Case[] = [];
    for (let k = 0; k < cases.length; k += 1) {
      const drawn = cases[Math.floor(next() * cases.length)];
      if (drawn !== undefined) sample.push(drawn);
    }
    const value = statistic(sample);
    if (Number.isFinite(value)) values.push(value);
  }
  return { value: statistic(cases), low: quantile(values, 0.025), high: quantile(values, 0.975) };
}

/** Numbers in [0, 1) that look random and are always the same (mulberry32). */
export function sequence(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
