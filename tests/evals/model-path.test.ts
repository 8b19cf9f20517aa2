import { describe, expect, it } from "@jest/globals";
// Loaded here, because Jest trips over modules that several imports wait for at once.
import "../../src/model/model-reasoner.js";
import { modelPathPage, runModelPath, STYLES } from "../../evals/model-path.js";

describe("the path with a language model", () => {
  it("is right for each style of model in the default profile", async () => {
    const rows = await runModelPath({ profiles: ["adaptive"] });
    expect(rows).toHaveLength(3 * Object.keys(STYLES).length);
    expect(rows.filter(({ right }) => !right)).toEqual([]);
  });

  it("is right in each profile for a model that thinks beyond the limit", async () => {
    const rows = await runModelPath({ styles: ["thinks beyond the limit"] });
    expect(rows.filter(({ right, profile }) => !right && profile !== "signals")).toEqual([]);
    expect(modelPathPage(rows)).toMatch(/\| thinks beyond the limit \| \d+\/\d+\/\d+ \|/);
  });
});
