import { existsSync, readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { PROFILE_NAMES } from "../../src/settings/run-settings.js";

/** Requirements and scenarios of each design, as they were counted when the designs were read, and those of the last section. */
const DESIGNS = { A: 18, T: 25, H: 21, G: 33, P: 19, N: 20 } as const;

const page = readFileSync("docs/specification.md", "utf8");
const rows = [...page.matchAll(/^- ([A-Z]\d+) (.+?): (`.*`)$/gm)].map(([, number = "", requirement = "", shown = ""]) => ({
  number,
  requirement,
  /** As many as are named, whether or not they can be read. */
  named: shown.split(", `").length,
  /** Each is a file below tests/ and the beginning of a title in it. */
  tests: [...shown.matchAll(/(`{1,2}) ?(\S+?): (.+?) ?\1(?=, `|$)/g)].map(([, , file = "", title = ""]) => ({ file: `tests/${file}.test.ts`, title })),
}));

/** True where a file holds a test whose title begins so, as it stands in the source. */
function holds(file: string, title: string): boolean {
  const pattern = title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`\\(\\s*["'\`]${pattern}`).test(readFileSync(file, "utf8"));
}

describe("docs/specification.md", () => {
  it("has a row for every requirement and scenario of the five designs and of their use, numbered without a gap", () => {
    const expected = Object.entries(DESIGNS).flatMap(([design, count]) => Array.from({ length: count }, (_, index) => `${design}${index + 1}`));
    expect(rows.map(({ number }) => number)).toEqual(expected);
  });

  it("names the profile that each design became", () => {
    const profiles = [...page.matchAll(/^## [A-Z]\. .+ → profile `(\w+)`$/gm)].map(([, profile]) => profile);
    expect(profiles.sort()).toEqual([...PROFILE_NAMES].sort());
  });

  it.each(rows)("$number is shown by tests that exist: $requirement", ({ tests, named }) => {
    expect(tests).toHaveLength(named);
    expect(tests.filter(({ file }) => !existsSync(file))).toEqual([]);
    expect(tests.filter(({ file, title }) => !holds(file, title))).toEqual([]);
  });

  it("has a test with the number of each finding in its title", () => {
    const titles = readdirSync("tests", { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => readFileSync(`tests/${file}`, "utf8"))
      .join("\n");
    const numbers = rows.flatMap(({ number }) => (number.startsWith("N") ? [number] : []));
    expect(numbers.filter((number) => !new RegExp(`["'\`].*\\b${number}\\b`).test(titles))).toEqual([]);
  });

  it("names all fourteen scenarios of the adaptive loop", () => {
    const scenarios = [...readFileSync("tests/graph/adaptive-scenarios.test.ts", "utf8").matchAll(/it\("(Scenario: .+?)",/g)].map(([, title]) => title ?? "");
    const named = rows.flatMap(({ tests }) => tests.map(({ title }) => title));
    expect(scenarios).toHaveLength(14);
    expect(scenarios.filter((scenario) => !named.some((title) => scenario.startsWith(title)))).toEqual([]);
  });
});
