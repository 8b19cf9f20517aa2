import { describe, expect, it } from "@jest/globals";
import { compareLexically } from "../../src/reasoning/compare-lexically.js";
import { chatReply } from "../../src/reasoning/embedded/chat-reply.js";
import { holdingsReply } from "../../src/reasoning/embedded/holdings-reply.js";
import { explainCoverage } from "../../src/reasoning/embedded/explain-coverage.js";
import { FRANCE } from "./fixtures.js";

describe("a chat reply without a model", () => {
  const history = [
    { role: "user" as const, text: "My name is Ada Lovelace. What is REFINE?" },
    { role: "assistant" as const, text: "REFINE goes back to plan [1]." },
    { role: "user" as const, text: "And RE_RETRIEVE?" },
    { role: "assistant" as const, text: "It takes another strategy [2]." },
  ];
  it.each([
    ["Hello!", /^Hello\./],
    ["Guten Tag", /^Hello\./],
    ["Thanks a lot", /welcome/],
    ["Who are you?", /^I am a corrective RAG agent/],
    ["What can you do?", /^I answer questions about your documents/],
    ["What did I ask before?", /“And RE_RETRIEVE\?”/],
    ["What was my first question?", /“My name is Ada Lovelace\. What is REFINE\?”/],
    ["What have we talked about so far?", /REFINE\?”; “And RE_RETRIEVE\?”/],
    ["Can you repeat your last answer?", /^I said: It takes another strategy \[2\]\.$/],
    ["What is my name?", /Ada Lovelace/],
    ["How many questions have I asked?", /2 questions/],
    ["Goodbye", /^Goodbye/],
  ])("to %j", (question, expected) => {
    expect(chatReply({ question, history })).toMatch(expected);
  });

  it("invents nothing about a conversation that has just begun", () => {
    expect(chatReply({ question: "What did I ask before?", history: [] })).toMatch(/not asked/);
    expect(chatReply({ question: "What is my name?", history: [] })).toMatch(/not told me/);
    expect(chatReply({ question: "Repeat that", history: [] })).toMatch(/not said anything/);
  });
});

describe("the reply about the knowledge base", () => {
  const listed = Array.from({ length: 23 }, (_, index) => ({
    title: `Guide\n${String(index)} [1]`,
    path: `docs/${String(index)}.md`,
  }));

  it("lists title and path, says how many more there are, and holds nothing that looks like a citation", () => {
    const reply = holdingsReply({
      name: "sqlite:kb",
      documents: 23,
      passages: 90,
      counted: true,
      listed,
    });
    expect(reply).toMatch(
      /^My knowledge base holds 23 documents in 90 passages:\n- Guide 0 \(docs\/0\.md\)\n/u,
    );
    expect(reply).toContain("\n- … and 3 more\n");
    expect(reply).not.toMatch(/\[\d+\]/u);
  });

  it("counts passages where no documents are known, and says when there is nothing", () => {
    expect(
      holdingsReply({ name: "retriever", documents: 0, passages: 7, counted: true, listed: [] }),
    ).toMatch(/\(retriever\) holds 7 passages\./u);
    expect(
      holdingsReply({ name: "sqlite:kb", documents: 0, passages: 0, counted: true, listed: [] }),
    ).toMatch(/is empty/u);
    expect(
      holdingsReply({ name: "retriever", documents: 0, passages: 0, counted: false, listed: [] }),
    ).toMatch(/does not list what it holds/u);
  });
});

describe("the embedded judge's reasoning", () => {
  it("names what is covered and what is missing, in the question's own words", () => {
    const { reasoning, missing } = explainCoverage({
      question: "What is the population of France?",
      evidence: FRANCE,
      score: 0.234,
    });
    expect(reasoning).toBe(
      '3 passages speak of "France", but do not mention "population". That they answer the question has a probability of 0.23.',
    );
    expect(missing).toEqual(["population"]);
  });
  it("says that nothing was found", () => {
    expect(explainCoverage({ question: "Why?", evidence: [], score: 0 })).toEqual({
      reasoning: "Nothing was found.",
      missing: [],
    });
  });
});

describe("two answers", () => {
  it.each([
    ["Paris is the capital [1].", "The capital is Paris [2].", true],
    ["It has 40 members [1].", "It has 41 members [1].", undefined],
    ["Dogs are allowed on deck [1].", "Dogs are not allowed on deck [1].", undefined],
    ["It was built in 1822 by the island council [1].", "Nobody knows [1].", undefined],
    ["Yes [1].", "", false],
  ])("%j and %j: %s", (first, second, expected) => {
    expect(compareLexically([first, second])).toBe(expected);
  });
});
