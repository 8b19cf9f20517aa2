import { describe, expect, it } from "@jest/globals";
import { readWebSet, recordedKnowledgeBase, recordedWeb } from "../../evals/recorded-sources.js";
import { refusedUrl } from "../../src/web/safe-connector.js";

describe("recorded sources", () => {
  it("serve the passages that a knowledge base returned, titles apart", async () => {
    const knowledgeBase = recordedKnowledgeBase(
      "Bert Myers  Bert Myers was born in Frederick, Maryland.  He was a third baseman.",
    );
    const hits = await knowledgeBase.search("keyword", { query: "anything", limit: 5 });
    expect(hits.map(({ passage: { title, text } }) => [title, text])).toEqual([
      ["Bert Myers", "Bert Myers was born in Frederick, Maryland."],
      ["Bert Myers", "He was a third baseman."],
    ]);
    expect(
      await recordedKnowledgeBase("").search("keyword", { query: "anything", limit: 5 }),
    ).toEqual([]);
  });

  it("serve the results that a web search returned, one for each title, at addresses that nobody can fetch", async () => {
    const results = await recordedWeb("A: first text. ; A: second text. ; B: other text.").search({
      query: "q",
      limit: 3,
    });
    expect(results.map(({ title, text }) => [title, text])).toEqual([
      ["A", "first text.\nsecond text."],
      ["B", "other text."],
    ]);
    for (const { url } of results) expect(refusedUrl(new URL(url))).toBeDefined();
  });

  it("say which line of a file is wrong", () => {
    const line = JSON.stringify({ id: "1", question: "q", answers: ["a"], kb: "", web: "" });
    expect(readWebSet(`${line}\n\n`, "f")).toHaveLength(1);
    expect(() => readWebSet(`${line}\n{"id": 1}`, "set.jsonl")).toThrow("set.jsonl, line 2");
  });
});
