export interface Took {
  wallInMs: number;
  /** Of all threads, those that collect garbage and write files included. */
  cpuInMs: number;
}

/** Wall and processor time of a piece of work. */
export async function timed(work: () => Promise<unknown>): Promise<Took> {
  const started = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wallInMs: performance.now() - started, cpuInMs: (user + system) / 1000 };
}
