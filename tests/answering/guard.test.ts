import { describe, expect, it } from "@jest/globals";
import { guardAnswer } from "../../src/answering/guard.js";
import { wordListPolicy } from "../../src/answering/policy.js";
import { passage } from "./passage.js";

const tower = passage(
  "tower",
  "Eiffel Tower",
  "The Eiffel Tower is a wrought-iron lattice tower in Paris, France. It is named after the engineer Gustave Eiffel, whose company designed and built the tower from 1887 to 1889. " +
    "The tower is 330 metres tall. It was not popular with the artists of its time. In 2022 it had 5,889,000 visitors.",
);
const bridge = passage(
  "bridge",
  "Tower Bridge",
  "Tower Bridge is a bascule and suspension bridge in London, built between 1886 and 1894. It crosses the River Thames close to the Tower of London.",
);
const evidence = [tower, bridge];
const question = "How tall is the Eiffel Tower?";
const guard = (answer: string, more: Partial<Parameters<typeof guardAnswer>[0]> = {}) =>
  guardAnswer({ answer, evidence, question, mayRetry: false, ...more });

describe("an answer that the evidence carries", () => {
  it("passes untouched, each sentence tied to its exact span", () => {
    const answer =
      "The tower is 330 metres tall. [1] It is named after the engineer Gustave Eiffel. [1]";
    const result = guard(answer);
    expect(result).toMatchObject({ verdict: "pass", text: answer, withdrawn: [] });
    expect(result.citations).toHaveLength(2);
    for (const citation of result.citations)
      expect(tower.text.slice(citation.start, citation.end)).toBe(citation.quote);
    expect(result.citations[0]?.quote).toBe("The tower is 330 metres tall.");
    expect(result.sources).toEqual([
      expect.objectContaining({ marker: 1, label: "[SOURCE:tower.md]" }),
    ]);
  });

  it("may put one marker behind several sentences of a paragraph", () => {
    const answer =
      "The tower is 330 metres tall. It is named after the engineer Gustave Eiffel. [1]";
    expect(guard(answer)).toMatchObject({ verdict: "pass", text: answer });
  });

  it("accepts the same number written otherwise", () => {
    expect(guard("In 2022 it had 5889000 visitors. [1]").verdict).toBe("pass");
  });

  it("keeps list bullets, line breaks and headings where they stood", () => {
    const answer =
      "## The tower\n\n- The tower is 330 metres tall. [1]\n- It is named after the engineer Gustave Eiffel. [1]";
    expect(guard(answer).text).toBe(answer);
  });
});

describe("an answer that the evidence does not carry", () => {
  it("loses an invented number and gets the source's words in its place", () => {
    const result = guard("The Eiffel Tower is 350 metres tall. [1]");
    expect(result.verdict).toBe("revised");
    expect(result.withdrawn).toEqual(["The Eiffel Tower is 350 metres tall."]);
    expect(result.text).toBe("The tower is 330 metres tall. [1]");
    expect(result.warnings.join()).toContain("330");
    expect(result.text).not.toContain("350");
  });

  it("loses a number that stands nowhere", () => {
    const result = guard("The tower is 330 metres tall. [1] It weighs 10,100 tonnes. [1]");
    expect(result.text).toBe("The tower is 330 metres tall. [1]");
    expect(result.withdrawn).toEqual(["It weighs 10,100 tonnes."]);
  });

  it("loses a swapped name", () => {
    const result = guard(
      "It is named after the engineer Thomas Edison, whose company designed and built the tower. [1]",
    );
    expect(result.text).not.toContain("Edison");
    expect(result.warnings.join()).toContain("Edison");
  });

  it("notices a missing not", () => {
    const result = guard("It was popular with the artists of its time. [1]");
    expect(result.verification.sentences[0]?.status).toBe("contradicted");
    expect(result.text).not.toContain("It was popular");
  });

  it("notices an added not", () => {
    expect(
      guard("The Eiffel Tower is not a wrought-iron lattice tower in Paris, France. [1]")
        .verification.sentences[0]?.status,
    ).toBe("contradicted");
  });

  it("puts right a citation to the wrong source and says so", () => {
    const result = guard("The tower is 330 metres tall. [2]");
    expect(result).toMatchObject({
      verdict: "revised",
      text: "The tower is 330 metres tall. [1]",
      withdrawn: [],
    });
    expect(result.warnings.join()).toContain("wrong source: [2] does not carry this; [1] does");
  });

  it("puts right a citation to nothing", () => {
    const result = guard("The tower is 330 metres tall. [7]");
    expect(result.text).toBe("The tower is 330 metres tall. [1]");
    expect(result.warnings.join()).toContain("[7] names no source");
  });

  it("adds citations where there are none at all", () => {
    const result = guard(
      "The tower is 330 metres tall. It crosses the River Thames close to the Tower of London.",
    );
    expect(result.text).toBe(
      "The tower is 330 metres tall. [1] It crosses the River Thames close to the Tower of London. [2]",
    );
    expect(result.citations.map(({ marker }) => marker)).toEqual([1, 2]);
  });

  it("only says that the answer is in another language, but still catches its invented numbers", () => {
    const german =
      "Der Eiffelturm ist ein Turm in Paris und er ist 330 Meter hoch. [1] Die Firma von Gustave Eiffel baute den Turm in den Jahren von 1887 bis 1889. [1]";
    const result = guard(german);
    expect(result).toMatchObject({ verdict: "pass", text: german });
    expect(result.warnings.join()).toContain("the answer is in German, the evidence in English");
    expect(guard(german.replace("330", "987")).text).not.toContain("987");
  });

  it("is sent back when too much is unsupported and a round is left, and saved as far as possible when none is", () => {
    const answer =
      "Bananas are rich in potassium. [1] Cats sleep a lot in winter. [2] The tower is 330 metres tall. [1]";
    expect(guard(answer, { mayRetry: true }).verdict).toBe("retry");
    expect(guard(answer)).toMatchObject({
      verdict: "revised",
      text: "The tower is 330 metres tall. [1]",
    });
  });

  it("becomes an abstention with leads when nothing is left", () => {
    const result = guard("Bananas are rich in potassium. [1]");
    expect(result.verdict).toBe("abstain");
    expect(result.citations).toEqual([]);
    expect(result.text).toContain("[SOURCE:tower.md]");
    expect(guard("").verdict).toBe("abstain");
  });
});

describe("quotations", () => {
  it("tells a fabricated quote, a stitched one and one from the wrong source apart", () => {
    const problems = (answer: string): string =>
      guard(answer)
        .verification.sentences.flatMap((sentence) => sentence.problems)
        .join("; ");
    expect(
      problems('The text says "the tower is a monument to the vanity of engineers". [1]'),
    ).toContain("fabricated quote");
    expect(
      problems(
        'The text says "a wrought-iron lattice tower in Paris close to the Tower of London". [1]',
      ),
    ).toContain("stitched quote");
    expect(problems('The text says "a bascule and suspension bridge in London". [1]')).toContain(
      "wrong source: quote stands in [2]",
    );
    expect(
      problems('The text says "a bascule and suspension bridge in London". [2]'),
    ).not.toContain("quote");
  });
});

it("knows what a passage is about from its title and headings: a table does not repeat the machine's name", () => {
  const source = {
    kind: "file",
    path: "handbook.md",
    startLine: 7,
    heading: "Specifications",
  } as const;
  const table =
    "| Property | Value |\n|---|---|\n| Power | 1450 W |\n| Water tank | 1.8 litres |\n| Weight | 9.2 kg |";
  const check = (answer: string) =>
    guardAnswer({
      answer,
      evidence: [passage("t", "Aurora One Coffee Machine – Product Handbook", table, { source })],
      question: "How much water does the tank of the Aurora One hold?",
      mayRetry: false,
    });
  expect(check("The tank of the Aurora One holds 1.8 litres. [1]")).toMatchObject({
    verdict: "pass",
    withdrawn: [],
  });
  expect(check("The tank of the Aurora One holds 2.8 litres. [1]").text).not.toContain("2.8");
});

describe("the policy filter", () => {
  it("withdraws sentences with blocked words, and the whole answer when nothing else is left", () => {
    const policy = wordListPolicy(["named after", " ", "c++"]);
    const partly = guard(
      "The tower is 330 metres tall. [1] It is named after the engineer Gustave Eiffel. [1]",
      { policy },
    );
    expect(partly).toMatchObject({
      text: "The tower is 330 metres tall. [1]",
      blockedByPolicy: false,
    });
    expect(guard("It is named after the engineer Gustave Eiffel. [1]", { policy })).toMatchObject({
      verdict: "abstain",
      blockedByPolicy: true,
    });
  });
});

it("withdraws what a second opinion doubts", () => {
  const result = guard(
    "The tower is 330 metres tall. [1] It is named after the engineer Gustave Eiffel. [1]",
    {
      doubted: ["The tower is 330 metres tall."],
    },
  );
  expect(result.withdrawn).toEqual(["The tower is 330 metres tall."]);
});

it("lets remarks about the evidence stand without support", () => {
  const answer = "The tower is 330 metres tall. [1] The documents do not say how much it weighs.";
  expect(guard(answer)).toMatchObject({ verdict: "pass", text: answer });
});

describe("what claims nothing but is quoted", () => {
  it("keeps its number tied to where it stands: a lead-in, a block of code", () => {
    const howTo = passage(
      "howto",
      "How to",
      "Run the server with the start command:\n\n```sh\nnpm start -- --port 8080\n```\n\nMore follows.",
    );
    const answer =
      "Run the server with the start command: [1]\n\n```sh\nnpm start -- --port 8080\n```\n[1]";
    const { text, citations, sources } = guardAnswer({
      answer,
      evidence: [howTo],
      question: "How do I start it?",
      mayRetry: false,
    });
    expect(text).toBe(answer);
    expect(citations.map(({ quote, status }) => [quote, status])).toEqual([
      ["Run the server with the start command:", "supported"],
      ["```sh\nnpm start -- --port 8080\n```", "supported"],
    ]);
    expect(sources.map(({ marker }) => marker)).toEqual([1]);
  });

  it("does not tie an invented block of code to anything", () => {
    const answer = "```sh\nrm -rf everything\n```\n[1]";
    expect(
      guardAnswer({
        answer,
        evidence: [passage("a", "A", "Nothing of the kind.")],
        question: "How?",
        mayRetry: false,
      }).citations,
    ).toEqual([]);
  });
});
