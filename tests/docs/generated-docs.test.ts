import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { demoTexts, demoVectors } from "../../scripts/demo-vectors.js";
import { GENERATED } from "../../scripts/generated-docs.js";
import { keyOf } from "../../src/assembly/demo.js";

describe("documentation that is made from the code", () => {
  it.each(GENERATED.map(({ path, render }) => [path, render] as const))("%s is as the code says (npm run docs writes it)", async (path, render) => {
    const current = await readFile(path, "utf8");
    expect(await render(current)).toBe(current);
  });

  it("brings a vector for each passage of the demo (npm run docs makes them)", async () => {
    const { vectors } = await demoVectors();
    const missing = (await demoTexts()).filter((text) => !(keyOf(text) in vectors));
    expect(missing).toEqual([]);
  });
});
