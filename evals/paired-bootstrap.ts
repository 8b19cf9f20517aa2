/** A confidence interval for the difference between two systems on the same questions (Efron and Tibshirani 1993, percentile bootstrap). */

export interface Interval {
  estimate: number;
  low: number;
  high: number;
}

/** A small generator with a seed (mulberry32), so that an evaluation gives the same interval every time. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** 95 % interval of `statistic` over samples of `items` drawn with replacement; items carry the results of both systems, so pairs stay together. */
export function pairedBootstrap<Item>(
  items: readonly Item[],
  statistic: (sample: readonly Item[]) => number,
  { samples = 1000, seed = 1 }: { samples?: number; seed?: number } = {},
): Interval {
  const random = seededRandom(seed);
  const values: number[] = [];
  for (let round = 0; round < samples; round += 1) {
    const sample = items.map(() => items[Math.floor(random() * items.length)]).filter((item) => item !== undefined);
    const value = statistic(sample);
    if (Number.isFinite(value)) values.push(value);
  }
  values.sort((a, b) => a - b);
  const at = (share: number): number => values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? Number.NaN;
  return { estimate: statistic(items), low: at(0.025), high: at(0.975) };
}
