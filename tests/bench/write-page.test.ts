import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { between } from "../../scripts/between.js";
import { PAGES, RENDER } from "../../bench/write-page.js";

describe("the figures of a benchmark", () => {
  it.each(Object.entries(PAGES))("of %s have a place in %s", (name, path) => {
    const page = readFileSync(path, "utf8");
    expect(between(page, name, "figures")).toContain("\n\nfigures\n\n");
  });

  it("are tables of Markdown", () => {
    const latency = { p50: 1, p95: 2 };
    const text = RENDER.graph({
      n: 1,
      ours: latency,
      textbook: latency,
      ratio: 1,
      ours_cpu: latency,
      textbook_cpu: latency,
      cpu_ratio: 1,
      with_corrections: latency,
    });
    expect(text).toContain("| clock | 1 | 2 | 1 | 2 | 1 |");
  });
});
