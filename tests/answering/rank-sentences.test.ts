import { describe, expect, it } from "@jest/globals";
import { candidatesOf, type Candidate } from "../../src/answering/quoting/answer-candidates.js";
import { assembleWindow } from "../../src/answering/context-window.js";
import { questionFocus } from "../../src/answering/quoting/question-focus.js";
import { rankSentences } from "../../src/answering/quoting/rank-sentences.js";
import { measureUse } from "../../src/answering/quoting/sentence-use.js";
import { wholePassages } from "../../src/answering/strips.js";
import { passage } from "./passage.js";

async function candidates(...texts: string[]): Promise<Candidate[]> {
  const evidence = texts.map((text, index) => passage(`text-${String(index)}`, "", text));
  return candidatesOf(
    await assembleWindow({ evidence, strips: wholePassages(evidence) }),
    evidence,
  );
}

describe("the likeliest sentence", () => {
  const question = "Who built the first steam engine in Cornwall?";
  const answer = "Newcomen built the first steam engine in Cornwall.";

  it("is chosen among all: together they are no likelier than certain, and one that answers as well takes its share", async () => {
    const focus = questionFocus(question);
    const alone = rankSentences(await candidates(answer, "Cornwall has many mines."), focus);
    const twice = rankSentences(
      await candidates(
        answer,
        "The first steam engine in Cornwall was built by Savery.",
        "Cornwall has many mines.",
      ),
      focus,
    );
    expect(alone[0]?.measured.candidate.text).toBe(answer);
    expect(alone.reduce((sum, { probability }) => sum + probability, 0)).toBeLessThan(1);
    expect(twice[0]?.probability).toBeLessThan(alone[0]?.probability ?? 0);
  });

  it("need not answer: where nothing bears on the question it is unlikely, even alone", async () => {
    const [only] = rankSentences(
      await candidates("The parliament was dissolved in spring."),
      questionFocus(question),
    );
    expect(only?.probability).toBeLessThan(0.2);
  });
});

describe("sentences in other words than the question", () => {
  it("are nearer the more alike their words are used", async () => {
    const [near, far] = measureUse(
      await candidates(
        "The wounded queen was cured by a physician.",
        "The parliament was dissolved by a majority.",
      ),
      questionFocus("Which doctor treated the injured king?"),
    );
    expect(near?.usedAlike).toBeGreaterThan(far?.usedAlike ?? 1);
    expect(near?.usedNear).toBeGreaterThan(far?.usedNear ?? 1);
  });

  it("are told apart by the words that few of them have", async () => {
    const [rare, common] = measureUse(
      await candidates(
        "The engine of the mill was sold.",
        "The engine was sold in Cornwall.",
        "The engine was sold in Cornwall again.",
      ),
      questionFocus("When was the mill in Cornwall sold?"),
    );
    expect(rare?.telling).toBeGreaterThan(common?.telling ?? 1);
  });

  it("borrow from the sentence before", async () => {
    const [, behind] = measureUse(
      await candidates("The mill stood in Cornwall. It was sold in 1811."),
      questionFocus("When was the mill sold?"),
    );
    const [alone] = measureUse(
      await candidates("It was sold in 1811."),
      questionFocus("When was the mill sold?"),
    );
    expect(behind?.usedNear).toBeGreaterThan(alone?.usedNear ?? 1);
  });
});
