/** Counts of the server, in the text format of Prometheus. */
const BUCKETS_IN_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, Infinity] as const;

type Kind = "counter" | "gauge" | "histogram";

export class Metrics {
  /** By name, and in each the values by name and label. */
  private readonly families = new Map<string, { kind: Kind; values: Map<string, number> }>();

  /** @example count("crag_runs_total", { status: "success" }) */
  count(name: string, label: Readonly<Record<string, string | number>>, by = 1): void {
    const pairs = Object.entries(label).map(([key, value]) => `${key}="${value}"`);
    this.add("counter", name, `${name}{${pairs.join(",")}}`, by);
  }

  /** Counts a duration into the buckets of a histogram. */
  observe(name: string, seconds: number): void {
    for (const most of BUCKETS_IN_SECONDS) {
      const label = most === Infinity ? "+Inf" : most;
      this.add("histogram", name, `${name}_bucket{le="${label}"}`, seconds <= most ? 1 : 0);
    }
    this.add("histogram", name, `${name}_sum`, seconds);
    this.add("histogram", name, `${name}_count`, 1);
  }

  set(name: string, value: number): void {
    this.families.set(name, { kind: "gauge", values: new Map([[name, value]]) });
  }

  text(): string {
    const lines = [...this.families].flatMap(([name, { kind, values }]) => [
      `# TYPE ${name} ${kind}`,
      ...[...values].map(([key, value]) => `${key} ${value}`),
    ]);
    return `${lines.join("\n")}\n`;
  }

  private add(kind: Kind, name: string, key: string, by: number): void {
    const family = this.families.get(name) ?? { kind, values: new Map<string, number>() };
    this.families.set(name, family);
    family.values.set(key, (family.values.get(key) ?? 0) + by);
  }
}
