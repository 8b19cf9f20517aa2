/** Measures of probabilities against labels; NaN if the data are of one class only. */

export interface Judged {
  score: number;
  positive: boolean;
}

/** Area under the ROC curve, ties counting half (Mann–Whitney). */
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

interface DecisionRates {
  accuracy: number;
  /** Mean of sensitivity and specificity. */
  balancedAccuracy: number;
  falsePositiveRate: number;
  falseNegativeRate: number;
}

/** Rates of the decision "score ≥ threshold". */
export function ratesAt(cases: readonly Judged[], threshold: number): DecisionRates {
  const wrong = (positive: boolean): number => {
    const own = cases.filter((each) => each.positive === positive);
    return own.filter(({ score }) => score >= threshold !== positive).length / own.length;
  };
  const falsePositiveRate = wrong(false);
  const falseNegativeRate = wrong(true);
  const known = [falsePositiveRate, falseNegativeRate].filter((rate) => !Number.isNaN(rate));
  const right = cases.filter(({ score, positive }) => score >= threshold === positive);
  return {
    accuracy: right.length / cases.length,
    balancedAccuracy: 1 - known.reduce((sum, rate) => sum + rate, 0) / known.length,
    falsePositiveRate,
    falseNegativeRate,
  };
}

/** Expected calibration error over bins of equal width (Naeini et al. 2015). */
export function calibrationError(cases: readonly Judged[], bins = 10): number {
  const groups = reliability(cases, bins);
  return groups.reduce(
    (sum, { count, meanScore, share }) =>
      sum + (count / cases.length) * Math.abs(meanScore - share),
    0,
  );
}

interface ReliabilityBin {
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

/** Mean squared error of a probability (Brier 1950). */
export function brierScore(cases: readonly Judged[]): number {
  return (
    cases.reduce((sum, { score, positive }) => sum + (score - (positive ? 1 : 0)) ** 2, 0) /
    cases.length
  );
}
