/** Median and 95th percentile of durations, in milliseconds. */
export interface Latency {
  p50: number;
  p95: number;
}

/** By nearest rank, rounded to a hundredth of a millisecond. */
export function latencyOf(durationsInMs: readonly number[]): Latency {
  const sorted = [...durationsInMs].sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0) * 100) / 100;
  return { p50: at(0.5), p95: at(0.95) };
}
