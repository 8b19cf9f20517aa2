import { describe, expect, it } from "@jest/globals";
import { askedKinds } from "../../src/answering/quoting/kinds/asked-kind.js";
import { assembleWindow } from "../../src/answering/context-window.js";
import { extractAnswer } from "../../src/answering/quoting/extract-answer.js";
import { quantitiesIn } from "../../src/answering/quoting/kinds/quantities.js";
import type { QuantityKind } from "../../src/answering/quoting/kinds/quantity-units.js";
import { wholePassages } from "../../src/answering/strips.js";
import { passage } from "./passage.js";

describe("the kind that a question asks for", () => {
  it.each([
    ["How much does the bell weigh?", ["mass"]],
    ["What is the net weight of the drill?", ["mass"]],
    ["How often is the filter changed?", ["frequency"]],
    ["How old is the oak?", ["age"]],
    ["How much does a ticket cost?", ["money"]],
    ["What percentage of the guests smoke?", ["percent"]],
    ["How tall is the mast?", ["length"]],
    ["How long does it take?", ["length", "duration"]],
    ["How far is it to the station?", ["length"]],
    ["How many rooms are there?", ["number"]],
    ["Who keeps the key?", ["person"]],
    ["Wie schwer ist der Anker?", ["mass"]],
    ["Wie oft fährt der Bus?", ["frequency"]],
    ["Was kostet der Eintritt?", ["money"]],
    ["Quel âge a la tour ?", ["age"]],
    ["¿Cuánto cuesta la entrada?", ["money"]],
    ["门票多少钱?", ["money"]],
  ])("%s", (question, kinds) => expect(askedKinds(question)).toEqual(kinds));

  it.each([
    "In what area of the city is it?",
    "How do I weigh an anchor?",
    "When did it close?",
    "How much did the price of oil rise?",
  ])("is no clear measure in %j", (question) =>
    expect(askedKinds(question).filter((kind) => kind !== "number")).toEqual([]),
  );
});

describe("quantities", () => {
  const all: QuantityKind[] = [
    "length",
    "area",
    "mass",
    "temperature",
    "speed",
    "duration",
    "frequency",
    "percent",
    "money",
  ];
  it.each([
    ["It weighs 9.4 kg and is 28 × 36 cm wide.", ["mass 9.4 kg", "length 28 × 36 cm"]],
    [
      "Trains run every two hours and take 3 hours.",
      ["frequency every two hours", "duration 3 hours"],
    ],
    ["It fell from 90% in 2004 to 60% in 2005.", ["percent 90%", "percent 60%"]],
    ["It covers 9 square metres.", ["area 9 square metres"]],
    ["The ferry makes 24 kilometres per hour.", ["speed 24 kilometres per hour"]],
    ["Between 23 and 29 °C, a third of the year.", ["temperature 23 and 29 °C", "percent a third"]],
    [
      "It brought in 36 billion dollars; a ticket was 4,80 Euro, later 6 million Lira.",
      ["money 36 billion dollars", "money 4,80 Euro", "money 6 million Lira"],
    ],
    ["Das Training findet dreimal pro Woche statt.", ["frequency dreimal pro Woche"]],
    ["这把剑长55.7厘米,重875克", ["length 55.7厘米", "mass 875克"]],
  ])("%s", (text, expected) =>
    expect(
      quantitiesIn(text, all).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`),
    ).toEqual(expected),
  );
});

describe("an answer of the kind that is asked for", () => {
  const guide = passage(
    "guide",
    "The ferry Aurora",
    "The ferry Aurora is 120 metres long and carries 600 passengers. The ferry Aurora crosses the sound twice a day. The hull of the ferry Aurora is cleaned with 300 litres of water.\n\n" +
      "| Property | Value |\n|---|---|\n| Gross weight | 5,200 tonnes |\n| Height of the mast | 31 m |\n",
  );
  const ask = async (question: string, evidence = [guide]) => {
    const window = await assembleWindow({ evidence, strips: wholePassages(evidence) });
    return extractAnswer({ question, window, evidence, evidenceScore: 0.6, abstainBelow: 0.22 });
  };

  it("gives the whole quantity, not a word of it", async () => {
    expect((await ask("How often does the ferry Aurora cross the sound?")).text).toMatch(
      /^\*\*twice a day\*\* — /u,
    );
  });

  it("takes a labelled value under a title that names what is asked about", async () => {
    expect((await ask("How much does the ferry Aurora weigh?")).text).toMatch(
      /^\*\*5,200 tonnes\*\* — Gross weight: 5,200 tonnes\. \[1\]/u,
    );
  });

  it("takes a number of what happens for how often it does", async () => {
    const text = "The pump is tested by hand. It makes at most three restarts before it stops.";
    expect(
      (await ask("How often is the pump restarted?", [passage("pump", "The pump", text)])).text,
    ).toContain("three restarts");
  });

  it("says that there is none rather than answer with another measure", async () => {
    for (const question of [
      "How old is the ferry Aurora?",
      "How deep is the ferry Aurora?",
      "How often is the hull of the ferry Aurora cleaned?",
    ]) {
      const answer = await ask(question);
      expect(answer).toMatchObject({ unanswerable: true, text: "" });
    }
    expect((await ask("How old is the ferry Aurora?")).reason).toBe(
      "no sentence of the evidence holds what the question asks for",
    );
  });

  it("gives the one quantity of the sentence first in other languages too", async () => {
    const text = "Der Anker der Fähre wiegt 900 kg. Die Fähre wird jeden Monat gewartet.";
    expect(
      (await ask("Wie schwer ist der Anker der Fähre?", [passage("faehre", "Die Fähre", text)]))
        .text,
    ).toMatch(/^\*\*900 kg\*\* — /u);
  });
});

describe("a Chinese question", () => {
  const notes = passage(
    "notes",
    "东湖公园笔记",
    "东湖公园建于1953年,由王国强设计。公园面积约为120亩。门票每人30元,儿童免票。",
  );
  const ask = async (question: string) => {
    const window = await assembleWindow({ evidence: [notes], strips: wholePassages([notes]) });
    return extractAnswer({
      question,
      window,
      evidence: [notes],
      evidenceScore: 0.6,
      abstainBelow: 0.22,
    });
  };

  it.each([
    ["门票多少钱?", "30元"],
    ["东湖公园的面积是多少?", "120亩"],
    ["东湖公园是谁设计的?", "王国强"],
  ])("%s", async (question, expected) => expect((await ask(question)).text).toContain(expected));

  it.each(["东湖公园的电话号码是多少?", "东湖公园有停车场吗?", "王国强是哪一年出生的?"])(
    "is not answered with a sentence that speaks of something else: %s",
    async (question) => expect(await ask(question)).toMatchObject({ unanswerable: true, text: "" }),
  );
});
