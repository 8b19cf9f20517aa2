import { describe, expect, it } from "@jest/globals";
import { candidatesOf } from "../../src/answering/quoting/answer-candidates.js";
import { assembleWindow } from "../../src/answering/context-window.js";
import {
  measureMeaning,
  type MeaningFeatures,
} from "../../src/answering/quoting/meaning-features.js";
import { questionFocus } from "../../src/answering/quoting/question-focus.js";
import type { ShortAnswer } from "../../src/answering/quoting/short-answer/short-answer.js";
import { wholePassages } from "../../src/answering/strips.js";
import { passage } from "./passage.js";

/** Of the first sentence of a passage; `short`: its words that are taken for the short answer. */
async function measured(question: string, text: string, short?: string): Promise<MeaningFeatures> {
  const evidence = [passage("text", "", text)];
  const [candidate] = candidatesOf(
    await assembleWindow({ evidence, strips: wholePassages(evidence) }),
    evidence,
  );
  if (candidate === undefined) throw new Error("a passage without a sentence");
  const start = short === undefined ? -1 : candidate.text.indexOf(short);
  const answer: ShortAnswer | undefined =
    short === undefined
      ? undefined
      : { candidate, text: short, start, end: start + short.length, probability: 1 };
  return measureMeaning(candidate, questionFocus(question), answer);
}

describe("signs that a sentence only sounds like an answer", () => {
  it("trusts the names of the question more than others", async () => {
    const question = "When did the duke of Normandy land in England?";
    const same = await measured(question, "He left Normandy and landed in England in 1066.");
    const other = await measured(question, "He left Normandy and landed in Paraguay in 1066.");
    expect(same.namesNear).toBe(1);
    expect(other.namesNear).toBeLessThan(same.namesNear);
  });

  it("knows the kind of a short answer by the words in it and beside it", async () => {
    const question = "Which river did the army cross?";
    const text =
      "In 911 the army crossed the stream Epte, while the bishop of Rouen stayed behind with all of his many servants.";
    const river = await measured(question, text, "Epte");
    const place = await measured(question, text, "Rouen");
    expect(river.kindNear).toBeGreaterThan(place.kindNear);
  });

  it("say nothing where the question gives no occasion or no word is known", async () => {
    const { namesNear, kindNear } = await measured("who xyzzyq?", "Xyzzyq plughq.");
    expect({ namesNear, kindNear }).toEqual({ namesNear: 0.8, kindNear: 0.25 });
  });
});

describe("words of the question that the sentence lacks", () => {
  const question = "What did the indicator measure in the engine?";
  it("count against it when another sentence of the passage has them", async () => {
    const here = await measured(
      question,
      "The indicator measured the pressure in the engine. It was new.",
    );
    const there = await measured(
      question,
      "The indicator measured the pressure. The engine was new.",
    );
    expect(here.notElsewhere).toBe(1);
    expect(there.notElsewhere).toBeLessThan(1);
    expect(there.unheard).toBe(0);
  });
  it("are counted apart when no sentence of the passage has them", async () => {
    const { unheard, notElsewhere } = await measured(
      question,
      "The indicator measured the pressure. The machine was new.",
    );
    expect(unheard).toBeCloseTo(1 / 3);
    expect(notElsewhere).toBe(1);
  });
});
