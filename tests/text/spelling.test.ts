import { expect, it } from "@jest/globals";
import { nearestName } from "../../src/text/spelling.js";

it.each([
  ["profil", "profile"],
  ["QUALITY", "quality"],
  ["hallo", undefined],
])("finds for %s: %s", (given, name) => {
  expect(nearestName(given, ["profile", "quality"])).toBe(name);
});

it("skips names of another length: a megabyte would take seconds", () => {
  let compared = 0;
  const name = Object.assign(Object("profile"), { toLowerCase: () => `${(compared += 1)}` });
  expect(nearestName("x".repeat(1_000_000), [name])).toBeUndefined();
  expect(compared).toBe(0);
});

it.each([
  ["notise", "notice", true],
  ["epty", "empty", true],
  ["reciepts", "receipts", true],
  ["templaate", "template", true],
  ["notise", "noise", true],
  ["recieptss", "receipts", false],
  ["ab", "ba", true],
  ["", "a", true],
  ["abc", "cba", false],
])("%s and %s are one edit apart: %s", (one, other, isApart) => {
  expect(nearestName(one, [other]) !== undefined).toBe(isApart);
  expect(nearestName(other, [one]) !== undefined).toBe(isApart);
});
