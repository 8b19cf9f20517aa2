/** Risk against coverage: how many answers are wrong if only the surest share of the questions is answered (El-Yaniv and Wiener 2010). */

/** One question that a system answered or could have answered. */
export interface Attempt {
  /** The higher, the surer; any scale. `-Infinity` for a question that was not answered. */
  confidence: number;
  wrong: boolean;
}

export interface RiskPoint {
  /** Share of all questions answered, 0–1. */
  coverage: number;
  /** Share of the answered that are wrong, 0–1. */
  risk: number;
}

/** The curve from the surest answer to the last one given. Equal confidence counts as one step, so that the order of a file says nothing. */
export function riskCurve(attempts: readonly Attempt[]): RiskPoint[] {
  const answered = attempts
    .filter(({ confidence }) => confidence !== -Infinity)
    .sort((a, b) => b.confidence - a.confidence);
  const points: RiskPoint[] = [];
  let wrong = 0;
  for (const [index, attempt] of answered.entries()) {
    wrong += Number(attempt.wrong);
    if (answered[index + 1]?.confidence !== attempt.confidence)
      points.push({ coverage: (index + 1) / attempts.length, risk: wrong / (index + 1) });
  }
  return points;
}

/** Risk when `coverage` of the questions is answered, between two steps by the straight line of wrong answers; NaN beyond what was answered. */
export function riskAt(attempts: readonly Attempt[], coverage: number): number {
  const curve = riskCurve(attempts);
  const after = curve.findIndex((point) => point.coverage >= coverage - 1e-9);
  const to = curve[after];
  if (to === undefined || coverage <= 0) return Number.NaN;
  const from = curve[after - 1] ?? { coverage: 0, risk: 0 };
  const wrong = (point: RiskPoint): number => point.coverage * point.risk;
  const share = (coverage - from.coverage) / (to.coverage - from.coverage);
  return (wrong(from) + share * (wrong(to) - wrong(from))) / coverage;
}
