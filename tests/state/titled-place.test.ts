import { expect, it } from "@jest/globals";
import { titledPlace } from "../../src/state/evidence.js";

it.each([
  ["Dunmore", "Dunmore.md", "Dunmore.md"],
  ["a.md", "a.md", "a.md"],
  ["", "a.md", "a.md"],
  ["docs", "docs/web.md", "docs — docs/web.md"],
  ["The web", "web.md", "The web — web.md"],
])("prints the title %j of %s as %j", (title, path, expected) => {
  expect(titledPlace(title, { kind: "file", path })).toBe(expected);
});
