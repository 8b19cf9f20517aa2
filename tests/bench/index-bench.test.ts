import { expect, it } from "@jest/globals";
import { runIndexBench } from "../../bench/index.js";

it("measures each mode beside the bare engine, for each size", async () => {
  const { rows } = await runIndexBench({ sizes: [200], queries: 10, dimensions: 16 });
  expect(rows.map(({ size, mode }) => [size, mode])).toEqual([
    [200, "keyword"],
    [200, "expanded"],
    [200, "vector"],
    [200, "hybrid"],
  ]);
  for (const row of rows) {
    expect(row.p95).toBeGreaterThanOrEqual(row.p50);
    for (const value of [row.bare, row.p50, row.disk_mb, row.memory_mb, row.ingest_per_second]) expect(value).toBeGreaterThan(0);
  }
});
