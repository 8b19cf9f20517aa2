/** Counts of the server, in the text format of Prometheus. */
const BUCKETS_IN_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

type Labels = Readonly<Record<string, string | number>>;

export class Metrics {
  private readonly counts = new Map<string, number>();
  private readonly gauges = new Map<string, () => number>();

  /** Adds a value that is read when the metrics are. */
  gauge(name: string, read: () => number): void {
    this.gauges.set(name, read);
  }

  count(name: string, labels: Labels = {}, by = 1): void {
    const key = `${name}${written(labels)}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }

  /** Counts a duration into the buckets of a histogram. */
  observe(name: string, seconds: number): void {
    for (const le of [...BUCKETS_IN_SECONDS, "+Inf"] as const)
      this.count(`${name}_bucket`, { le }, le === "+Inf" || seconds <= le ? 1 : 0);
    this.count(`${name}_sum`, {}, seconds);
    this.count(`${name}_count`);
  }

  text(): string {
    const lines: string[] = [];
    const typed = new Set<string>();
    const type = (name: string, kind: string): void => {
      if (!typed.has(name)) lines.push(`# TYPE ${name} ${kind}`);
      typed.add(name);
    };
    for (const [name, read] of this.gauges) {
      type(name, "gauge");
      lines.push(`${name} ${read()}`);
    }
    for (const [key, value] of [...this.counts].sort(([a], [b]) => byName(a, b))) {
      const name = key.replace(/\{.*$/, "");
      const histogram = /^(.*_seconds)_(?:bucket|sum|count)$/.exec(name)?.[1];
      type(histogram ?? name, histogram === undefined ? "counter" : "histogram");
      lines.push(`${key} ${value}`);
    }
    return `${lines.join("\n")}\n`;
  }
}

/** By name only, because the buckets of a histogram are in order. */
function byName(a: string, b: string): number {
  const [first = "", second = ""] = [a, b].map((key) => key.replace(/\{.*$/, ""));
  return first < second ? -1 : first > second ? 1 : 0;
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}=${JSON.stringify(`${value}`)}`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
