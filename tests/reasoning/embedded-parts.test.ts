import { describe, expect, it } from "@jest/globals";
import { describeHoldings, type Holdings } from "../../src/reasoning/reasoner.js";

describe("the reply about the knowledge base", () => {
  const listed = Array.from({ length: 23 }, (_, index) => ({
    title: `Guide\n${String(index)} [1]`,
    path: `docs/${String(index)}.md`,
  }));
  const held = (holdings: Partial<Holdings>): string =>
    describeHoldings({
      name: "sqlite:kb",
      documents: 0,
      passages: 0,
      counted: true,
      listed: [],
      ...holdings,
    });

  it("lists titles and paths, counts the rest, and contains nothing like a citation", () => {
    const reply = held({ documents: 23, passages: 90, listed });
    expect(reply).toMatch(
      /^The knowledge base \(sqlite:kb\) holds 23 documents in 90 passages:\n- Guide 0 \(docs\/0\.md\)\n/u,
    );
    expect(reply).toContain("\n- … and 3 more");
    expect(reply).not.toMatch(/\[\d+\]/u);
  });

  it("counts passages if documents are unknown, and reports an empty base", () => {
    expect(held({ name: "retriever", passages: 7 })).toMatch(/\(retriever\) holds 7 passages\./u);
    expect(held({})).toMatch(/is empty/u);
    expect(held({ counted: false })).toMatch(/does not list what it holds/u);
  });
});
