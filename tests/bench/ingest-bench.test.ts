import { expect, it } from "@jest/globals";
import { runIngestBench } from "../../bench/ingest.js";

it("measures a folder, a watched folder and a source, and counts what is not in step", async () => {
  const { folder, watched, source } = await runIngestBench({ quick: true });
  expect(folder).toMatchObject([
    { added: 200, updated: 0, unchanged: 0, removed: 0 },
    { added: 0, updated: 0, unchanged: 200, removed: 0 },
    { added: 0, updated: 2, unchanged: 198, removed: 0 },
  ]);
  expect(watched).toMatchObject({ files: 10, changes: 50, differences: 0 });
  expect(source).toMatchObject({ documents: 100, runs: 20, mistakes: 0 });
}, 60_000);
