import { expect, it } from "@jest/globals";
import { isOneEditApart, nearestName, respell } from "../../src/text/spelling.js";

const TEXTS = [
  "Notice period. Either side may terminate with three months' notice.",
  "Receipts are submitted within 30 days. Receipts on paper are kept.",
  "Empty edges are cropped. Debian packages are signed. That is all.",
];

it.each([
  ["how much notise do I have to give", "how much notice do I have to give"],
  ["reciepts deadline", "receipts deadline"],
  ["Reciepts?", "Receipts?"],
  ["How do I sign packages for Debain?", "How do I sign packages for Debian?"],
  ["How do I cut the epty edges and the reciept?", "How do I cut the empty edges and the reciept?"],
])("%s is understood as %s", (question, spelled) => {
  expect(respell(question, TEXTS)).toBe(spelled);
});

it.each([
  ["a word that the documents have", "Are receipts kept?"],
  ["a common word near another", "Are there notices of the month?"],
  ["a name, for which only a word is near", "Who is Notise?"],
  ["a word near nothing", "What is a zygote?"],
  ["a word near a function word", "Can I chat?"],
  ["identifiers and numbers", "What is rec_eipts in v2notice?"],
  ["another language", "Wie lang ist die Frist für eine Notise und die Empti?"],
])("%s stays: %s", (_, question) => {
  expect(respell(question, TEXTS)).toBe(question);
});

it("takes the most frequent of several near words", () => {
  const texts = ["The plaster dried.", "A planter and another planter.", "The planter again."];
  expect(respell("Where is the plamter?", texts)).toBe("Where is the planter?");
});

it("reads only the first twenty unusual words, so that pasted text holds nothing up", () => {
  const words = "zygote ".repeat(20);
  expect(respell(`${words}reciepts`, TEXTS)).toBe(`${words}reciepts`);
});

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
  ["notice", "notice", false],
  ["notise", "noise", true],
  ["recieptss", "receipts", false],
  ["ab", "ba", true],
  ["", "a", true],
  ["abc", "cba", false],
])("%s and %s are one edit apart: %s", (one, other, isApart) => {
  expect(isOneEditApart(one, other)).toBe(isApart);
  expect(isOneEditApart(other, one)).toBe(isApart);
});
