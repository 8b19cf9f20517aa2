import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { GENERATED } from "../../scripts/generated-docs.js";

describe("documentation that is made from the code", () => {
  it.each(GENERATED.map(({ path, render }) => [path, render] as const))("%s is as the code says (npm run docs writes it)", async (path, render) => {
    const current = await readFile(path, "utf8");
    expect(await render(current)).toBe(current);
  });
});
