/** A confidence interval for the difference between two systems on the same questions (Efron and Tibshirani 1993, percentile bootstrap). */
import { bootstrap } from "./statistics.js";

export interface Interval {
  estimate: number;
  low: number;
  high: number;
}

/** 95 % interval of `statistic` over samples of `items` drawn with replacement; items carry the results of both systems, so pairs stay together. */
export function pairedBootstrap<Item>(
  items: readonly Item[],
  statistic: (sample: readonly Item[]) => number,
): Interval {
  const { value, low, high } = bootstrap(items, statistic, 1_000, 1);
  return { estimate: value, low, high };
}
