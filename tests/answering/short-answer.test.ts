import { describe, expect, it } from "@jest/globals";
import { assembleWindow } from "../../src/answering/context-window.js";
import { candidatesOf } from "../../src/answering/quoting/answer-candidates.js";
import { questionFocus } from "../../src/answering/quoting/question-focus.js";
import { rankSentences } from "../../src/answering/quoting/rank-sentences.js";
import { shortAnswer, standsFirst } from "../../src/answering/quoting/short-answer/short-answer.js";
import { wholePassages } from "../../src/answering/strips.js";
import { passage } from "./passage.js";

async function shortest(question: string, text: string, title = "Text") {
  const evidence = [passage("text", title, text)];
  const focus = questionFocus(question);
  const window = await assembleWindow({ evidence, strips: wholePassages(evidence) });
  const short = shortAnswer(focus, rankSentences(candidatesOf(window, evidence), focus));
  return short === undefined ? undefined : { ...short, first: standsFirst(short, focus) };
}

describe("the short answer to a question", () => {
  it.each([
    [
      "Who built the first steam pump?",
      "The first steam pump was built by Thomas Savery in 1698.",
      "Thomas Savery",
    ],
    [
      "When was the first steam pump built?",
      "The first steam pump was built by Thomas Savery in 1698.",
      "1698",
    ],
    [
      "How many passengers did the ship carry?",
      "In 1912 the ship carried 2,224 passengers from Southampton.",
      "2,224",
    ],
    ["In what country is Normandy located?", "Normandy is a region located in France.", "France"],
    [
      "What is a term for the reversing of steam flow after each stroke?",
      "The reversing of steam flow after each stroke is called counterflow.",
      "counterflow",
    ],
  ])("%s", async (question, text, wanted) => {
    const short = await shortest(question, `${text} Birds sang in the trees.`);
    expect(short?.text).toBe(wanted);
    expect(short?.probability).toBeGreaterThan(0);
    expect(short?.probability).toBeLessThanOrEqual(1);
  });

  it("is a stretch of its sentence, at the offsets given", async () => {
    const short = await shortest(
      "Who built the first steam pump?",
      "Engines are old. The first steam pump was built by Thomas Savery.",
    );
    expect(short?.candidate.text.slice(short.start, short.end)).toBe(short?.text);
  });

  it("does not repeat the question", async () => {
    const short = await shortest(
      "Who followed Thomas Savery?",
      "Thomas Savery was followed by Thomas Newcomen.",
    );
    expect(short?.text).toBe("Thomas Newcomen");
  });

  it("cuts no identifier", async () => {
    const short = await shortest(
      "Which variable names the log?",
      "The variable `APP_LOG_PATH` names the log.",
    );
    expect(["`APP_LOG_PATH`", "APP_LOG_PATH", undefined]).toContain(short?.text);
  });

  it.each([
    "Why was the tower criticised?",
    "How do I start the server?",
    "What is a strip?",
    "When does the agent search again?",
    "Is the tower tall?",
    "Tell me about the tower.",
  ])("is not sought for “%s”, which wants a sentence", async (question) => {
    expect(
      await shortest(question, "The tower was tall in 1889 because Gustave Eiffel built it so."),
    ).toBeUndefined();
  });

  it("stands first more easily where the question names what it is about", async () => {
    const focus = {
      specific: questionFocus("Who built Notre Dame?"),
      general: questionFocus("Who looks at the text?"),
    };
    const short = await shortest(
      "Who built Notre Dame?",
      "Notre Dame was built by Maurice de Sully.",
    );
    expect(short).toBeDefined();
    if (short === undefined) return;
    expect(standsFirst({ ...short, probability: 0.17 }, focus.specific)).toBe(true);
    expect(standsFirst({ ...short, probability: 0.17 }, focus.general)).toBe(false);
  });
});
