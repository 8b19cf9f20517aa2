import { describe, expect, it } from "@jest/globals";
import { isTimeSensitive } from "../../src/reasoning/embedded/rewrite-and-route.js";
import { webQuery as webQueryByRules } from "../../src/reasoning/embedded/queries.js";

describe("a question as a web query", () => {
  it.each([
    ["What is Edward Corser's occupation?", "Edward Corser's occupation"],
    ["Who wrote Lord of the Rings?", "wrote Lord of the Rings"],
    ["When did The Who play at Woodstock?", "The Who play at Woodstock"],
    ['Who said "to be or not to be" first?', 'said "to be or not to be" first'],
    ["How many moons does Jupiter have?", "moons does Jupiter have"],
    ["Can you search the web for Node.js 22.4?", "search the web for Node.js 22.4"],
    ["Which city is not in Europe?", "city is not in Europe"],
    ["Is C++ faster than C#?", "C++ faster than C#"],
    ["Is GPT-4o used by AT&T?", "GPT-4o used by AT&T"],
    ["東京の人口は何人ですか？", "東京の人口は何人ですか"],
    ["What is it?", "What is it"],
  ])("%s → %s", (question, query) => {
    expect(webQueryByRules(question, "first")).toBe(query);
  });

  it("uses the question's full words for a later search", () => {
    expect(webQueryByRules("Who wrote Lord of the Rings?", "guard")).toBe(
      "Who wrote Lord of the Rings",
    );
  });

  it("is made of the question's own words, in their order, and is never empty or long", () => {
    const question = `${"Somebody told me a long story about a ship in the fog. ".repeat(30)}What was the name of the captain?`;
    for (const purpose of ["first", "refine", "re_retrieve", "guard"] as const) {
      const query = webQueryByRules(question, purpose);
      expect(query.length).toBeGreaterThan(0);
      expect(query.length).toBeLessThanOrEqual(300);
      expect(query.split(" ").every((word) => question.includes(word))).toBe(true);
    }
  });
});

describe("questions whose answer changes from day to day", () => {
  it.each([
    "What is the weather in New Delhi today?",
    "What is the latest version of Node.js?",
    "Who is the current president of France?",
    "What happened this week in Berlin?",
    "Bitcoin price right now",
  ])("%s", (question) => {
    expect(isTimeSensitive(question)).toBe(true);
  });

  it.each([
    "What is Edward Corser's occupation?",
    "Who was the president of France in 1995?",
    "How does a current source work?",
    "What is the actual cost of a rewrite?",
    "How do I restart the indexer?",
    "Who wrote the Todayland chronicles?",
  ])("not: %s", (question) => {
    expect(isTimeSensitive(question)).toBe(false);
  });
});
