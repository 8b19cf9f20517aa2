import { describe, expect, it } from "@jest/globals";
import { fastPath } from "../../src/grading/grade-evidence.js";
import { PROFILES } from "../../src/grading/profiles.js";
import type { Score } from "../../src/state/evidence.js";
import type { ToolHistoryEntry } from "../../src/state/run-record.js";
import { item } from "./evidence.js";

const thresholds = PROFILES.adaptive.defaults;
const three = [item("a"), item("b"), item("c")];

function call(tool: string, over: Partial<ToolHistoryEntry> = {}): ToolHistoryEntry {
  return {
    tool,
    args: {},
    round: 0,
    status: "ok",
    scores: [],
    evidence_ids: [],
    output: "",
    duration_ms: 1,
    ...over,
  };
}

function vectorCall(
  tool: string,
  cosines: Readonly<Record<string, number>>,
  round = 0,
): ToolHistoryEntry {
  const scores = Object.values(cosines).map((value): Score[] => [
    { value: 0.03, scale: "fusion", by: "rrf" },
    { value, scale: "cosine", by: "vec" },
  ]);
  return call(tool, { evidence_ids: Object.keys(cosines), scores, round });
}

const rule = (history: ToolHistoryEntry[], context = three, round = 0) =>
  fastPath({ context, history, round, thresholds });

describe("read_file", () => {
  it("approves when every call of this round read a file", () => {
    expect(
      fastPath({
        context: three,
        history: [call("read_file"), call("read_file")],
        round: 0,
        thresholds,
      }),
    ).toBe("read_file");
  });

  it("does not when one call was another tool, or failed, or was of another round", () => {
    expect(rule([call("read_file"), call("keyword_search")])).toBeUndefined();
    expect(rule([call("read_file"), call("read_file", { status: "error" })])).toBeUndefined();
    expect(rule([call("read_file")], three, 1)).toBeUndefined();
    expect(rule([])).toBeUndefined();
  });
});

describe("few_context", () => {
  it("approves from 1 to the number that the settings allow", () => {
    expect(rule([], three.slice(0, 1))).toBe("few_context");
    expect(rule([], three.slice(0, 2))).toBe("few_context");
    expect(rule([], three)).toBeUndefined();
    expect(
      fastPath({
        context: three,
        history: [],
        round: 0,
        thresholds: { ...thresholds, autoApproveMaxItems: 3 },
      }),
    ).toBe("few_context");
    expect(
      fastPath({
        context: three.slice(0, 1),
        history: [],
        round: 0,
        thresholds: { ...thresholds, autoApproveMaxItems: 0 },
      }),
    ).toBeUndefined();
  });

  it("never approves an empty context", () =>
    expect(rule([call("read_file")], [])).toBeUndefined());
});

describe("high_vector_score", () => {
  it("approves when all items came from vector search with a cosine at or above the threshold", () => {
    expect(rule([vectorCall("vector_search", { a: 0.8, b: 0.9, c: 1 })])).toBe("high_vector_score");
    expect(rule([vectorCall("vector_search", { a: 0.7999, b: 0.9, c: 1 })])).toBeUndefined();
  });

  it("counts the vector leg of a hybrid search, and no other score of it", () => {
    expect(rule([vectorCall("hybrid_search", { a: 0.85, b: 0.9, c: 0.95 })])).toBe(
      "high_vector_score",
    );
    const keywordLegOnly = call("hybrid_search", {
      evidence_ids: ["c"],
      scores: [[{ value: 20, scale: "bm25", by: "fts5" }]],
    });
    expect(
      rule([vectorCall("hybrid_search", { a: 0.85, b: 0.9 }), keywordLegOnly]),
    ).toBeUndefined();
  });

  it("reads the scores of this round's history only", () => {
    expect(
      rule([vectorCall("vector_search", { a: 0.9, b: 0.9, c: 0.9 }, 0)], three, 1),
    ).toBeUndefined();
  });
});

describe("all rules", () => {
  it("fire only while nothing was graded or approved yet", () => {
    const graded = item("a", { scores: [{ value: 0.1, scale: "relevance", by: "judge:batch" }] });
    const approved = item("a", {
      scores: [{ value: 1, scale: "relevance", by: "rule:few_context" }],
    });
    expect(rule([call("read_file")], [graded, item("b")])).toBeUndefined();
    expect(rule([call("read_file")], [approved, item("b")])).toBeUndefined();
  });
});
