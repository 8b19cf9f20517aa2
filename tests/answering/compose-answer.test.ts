import { describe, expect, it } from "@jest/globals";
import { assembleWindow } from "../../src/answering/context-window.js";
import { extractAnswer } from "../../src/answering/quoting/extract-answer.js";
import { guardAnswer } from "../../src/answering/guard.js";
import { wholePassages } from "../../src/answering/strips.js";
import { cellsOf, rowSentence } from "../../src/answering/table-row.js";
import type { Evidence } from "../../src/state/evidence.js";
import { passage } from "./passage.js";

async function ask(question: string, evidence: Evidence[]): Promise<string> {
  const window = await assembleWindow({ evidence, strips: wholePassages(evidence) });
  const { text } = extractAnswer({
    question,
    window,
    evidence,
    evidenceScore: 0.9,
    confidentFrom: 0,
  });
  // Whatever is composed must stand before the guard.
  expect(guardAnswer({ answer: text, evidence, question, mayRetry: true })).toMatchObject({
    text,
    withdrawn: [],
  });
  return text;
}

const faq = passage(
  "faq",
  "Oven manual",
  "Hold both buttons for five seconds. The lamp then blinks twice. Doors stay locked meanwhile.",
  {
    source: {
      kind: "file",
      path: "faq.md",
      startLine: 3,
      heading: "Use > How do I reset the oven?",
    },
  },
);
const lamp = passage(
  "lamp",
  "Lamps",
  "The lamp of an oven is replaced by a technician. An oven can also be cleaned.",
);

describe("a heading that is the question", () => {
  it("is answered with its paragraph, and with nothing from elsewhere", async () => {
    expect(await ask("How can I reset the oven?", [faq, lamp])).toBe(
      "Hold both buttons for five seconds. [1] The lamp then blinks twice. [1] Doors stay locked meanwhile. [1]",
    );
  });

  it("is answered also where the paragraph begins with a few words of its own", async () => {
    const text = "Not by default. A fan of its own can be added.";
    const fan = passage("fan", "Oven manual", text, {
      source: { kind: "file", path: "fan.md", heading: "Is the oven cooled?" },
    });
    expect(await ask("Is the oven cooled?", [fan])).toBe(
      "Not by default. A fan of its own can be added. [1]",
    );
  });

  it("does not answer a question of another kind about the same thing", async () => {
    expect(
      await ask("When was the oven reset?", [
        faq,
        passage("log", "Log", "The oven was reset on 4 May 2021."),
      ]),
    ).toMatch(/^\*\*4 May 2021\*\*/u);
  });

  it("may be a few words before the text", async () => {
    const words = passage(
      "words",
      "Words",
      "- Broiler: heat from above alone.\n- Grill: heat from a coil, with the fan at rest.\n- Strip. A part of the coil.",
    );
    expect(await ask("What is a grill?", [words])).toBe(
      "Grill: heat from a coil, with the fan at rest. [1]",
    );
    expect(await ask("What does strip mean?", [words])).toContain("A part of the coil. [1]");
  });
});

describe("what is quoted", () => {
  it("is no longer in scripts without blanks than in others", async () => {
    const text =
      "长城的城墙经过许多山岭和草原，一代又一代的工匠用砖石修筑了它，并且在每一座山口建起关城与烽火台，守军日夜巡逻，直到那个王朝的末年才渐渐荒废。" +
      "长城的城墙经过戈壁滩上的绿洲，商队带着丝绸和茶叶从这里出发，骆驼的铃声在夜里传得很远，客栈里住满了来自波斯以及印度的旅人，他们互相交换货物。" +
      "长城的城墙经过海边的渔村，孩子们夏天喜欢爬上去看日出，附近的餐馆供应新鲜鱼虾，每逢周末都有大批游客坐火车前来，门票收入用来维修石阶和护栏。";
    const wall = passage("wall", "长城", text);
    const answer = await ask("长城的城墙经过哪里？", [wall]);
    expect(answer.match(/\[1\]/gu)).toHaveLength(1);
  });

  it("keeps the few words before a sentence that is cut at its end", async () => {
    const text = `Not at all. The oven is not cooled by water, ${"nor by anything else that one could think of, ".repeat(5)}and never was.`;
    expect(await ask("Is the oven cooled by water?", [passage("water", "Oven", text)])).toMatch(
      /^Not at all\. The oven is not cooled.* …/u,
    );
  });

  it("makes no list of the sentences of one item", async () => {
    const text =
      "- When the door is open. The oven refuses to heat then. A lamp blinks.\n- At night. Nothing is different.";
    expect(
      await ask("When does the oven refuse to heat?", [passage("when", "Oven", text)]),
    ).not.toContain("- ");
  });

  it("brings the list that a lead-in announces, also for a question after facts", async () => {
    const rules = passage(
      "rules",
      "Rules",
      "Three rules are tried first:\n\n- `few`: there are one or two items;\n- `read`: a file was read;\n- `close`: all are near.\n",
    );
    expect(await ask("Which rules are tried?", [rules])).toBe(
      "Three rules are tried first: [1]\n- `few`: there are one or two items [1]\n- `read`: a file was read [1]\n- `close`: all are near. [1]",
    );
  });

  it("does not begin with a word that ties it to what is not quoted", async () => {
    const text = "Ovens differ.\n\nSo the fan runs whenever the door is shut.";
    expect(await ask("When does the fan run?", [passage("fan", "Fan", text)])).toMatch(
      /^The fan runs whenever the door is shut\. \[1\]/u,
    );
  });

  it("has the sentence before one that begins with a pronoun", async () => {
    const text =
      "Snow fell.\n\nThe thermostat sits behind the panel. It measures the warmth of the air.";
    expect(await ask("What measures warmth of the air?", [passage("part", "Parts", text)])).toMatch(
      /^The thermostat sits behind the panel\. \[1\] It measures/u,
    );
  });

  it("reads as a sentence where it is an item or a row", async () => {
    const text =
      "- the fan cools the motor;\n\n| Setting | Default | Meaning |\n|---|---|---|\n| `HEAT_LEVEL` | `5` | Warmth of the plate while cooking |\n";
    const parts = passage("parts", "Parts", text);
    expect(await ask("What cools the motor?", [parts])).toMatch(
      /^The fan cools the motor\. \[1\]/u,
    );
    expect(await ask("What does HEAT_LEVEL mean?", [parts])).toBe(
      "`HEAT_LEVEL` (Default: `5`): Warmth of the plate while cooking. [1]",
    );
  });

  it("takes no part of an identifier for a name", async () => {
    const text = "With `OVEN_FETCH=on` the pages of the recipes are fetched.";
    expect(
      await ask("Where are the pages of recipes fetched?", [passage("env", "Settings", text)]),
    ).not.toContain("**");
  });

  it("is never a line that only points elsewhere", async () => {
    const text = "More in the oven manual.\n\nThe oven has three trays.";
    expect(
      await ask("What is in the oven manual?", [passage("see", "Kitchen", text)]),
    ).not.toContain("More in");
  });
});

describe("a table row", () => {
  it("keeps bars in code and escaped bars inside their cell", () => {
    expect(cellsOf("| a | `x|y` | b \\| c |")).toEqual(["a", "`x|y`", "b | c"]);
  });

  it("names every cell of a wide table, and leaves out empty ones", () => {
    expect(
      rowSentence(["name", "born", "died", "lived in"], ["Bach", "1685", "–", "Leipzig"]),
    ).toBe("Bach: born – 1685; lived in – Leipzig");
    expect(rowSentence(["code", "meaning"], ["2", "wrong usage"])).toBe("2: wrong usage");
    expect(rowSentence([], ["a", "b"])).toBe("a: b");
  });
});
