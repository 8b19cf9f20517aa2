/** Statistics of evaluations: quantiles, bootstrap intervals, F1. */
import type { Judged } from "./metrics.js";

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
