import { expect, it } from "@jest/globals";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runIndexBench } from "../../bench/index.js";

it("measures each mode beside the bare engine, for each size", async () => {
  const { rows } = await runIndexBench({ sizes: [200], queries: 10, dimensions: 16 });
  expect(rows.map(({ size, mode }) => [size, mode])).toEqual([
    [200, "keyword"],
    [200, "vector"],
    [200, "hybrid"],
  ]);
  for (const row of rows) {
    expect(row.p95).toBeGreaterThanOrEqual(row.p50);
    for (const value of [row.bare, row.p50, row.disk_mb, row.memory_mb, row.ingest_per_second])
      expect(value).toBeGreaterThan(0);
  }
});

it("keeps its indexes in the folder that it was given, and uses them again", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "index-bench-"));
  const options = { sizes: [100], queries: 2, dimensions: 0, directory };
  const first = await runIndexBench(options);
  const kept = path.join(directory, "100-0", "kb.sqlite");
  const { mtimeMs } = await stat(kept);
  const said: string[] = [];
  const second = await runIndexBench({ ...options, onProgress: (message) => said.push(message) });
  expect((await stat(kept)).mtimeMs).toBe(mtimeMs);
  expect(second.rows.map((row) => row.ingest_per_second)).toEqual(
    first.rows.map((row) => row.ingest_per_second),
  );
  expect(said).toEqual(["100: keyword"]);
  await rm(directory, { recursive: true });
});
