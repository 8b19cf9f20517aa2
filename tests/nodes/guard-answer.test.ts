/** Reads the draft and its sources; ends the run with an answer, or sends it back once. */
import { describe, expect, it } from "@jest/globals";
import { guardAnswerNode } from "../../src/nodes/guard-answer.js";
import { sourceReference } from "../../src/state/answer.js";
import { item } from "../grading/evidence.js";
import { nodeRunner } from "../support/run-node.js";

const { run } = nodeRunner(guardAnswerNode);
const TOWER = item("tower", {
  title: "Tower",
  text: "The tower of Quellin is 41 metres high. It was built in 1872.",
  status: "kept",
  scores: [{ value: 0.9, scale: "relevance", by: "judge:batch" }],
});
const drafted = (answer: string) => ({
  question: "How high is the tower of Quellin?",
  standalone_question: "How high is the tower of Quellin?",
  answer,
  context: [TOWER],
  sources: [sourceReference(1, TOWER)],
  run: { drafted_by: "model" as const, message_id: "answer-1" },
});
const RESULT = [
  "answer",
  "citations",
  "context",
  "details",
  "discarded",
  "messages",
  "passages",
  "run",
  "sources",
];

describe("guard_answer", () => {
  it("ends the run with the answer, its citations, details and message", async () => {
    const { writes, state, of } = await run(drafted("The tower is 41 metres high [1]."));
    expect(writes).toEqual(RESULT);
    expect(state).toMatchObject({
      answer: "The tower is 41 metres high [1].",
      outcome: { status: "success", causes: [] },
      citations: [{ marker: 1, evidence_id: "tower", status: "supported" }],
      run: { retry: null, window_text: "" },
    });
    expect(state.messages.at(-1)).toMatchObject({ id: "answer-1", content: state.answer });
    expect(of("graph_outcome")).toMatchObject([{ status: "success" }]);
  });

  it("ends a run whose time is no whole number of milliseconds", async () => {
    const context = { budget: { seconds: 50.1234567 } };
    const { state } = await run(drafted("The tower is 41 metres high [1]."), { context });
    expect(state.outcome).toMatchObject({ status: "success" });
  });

  it("sends a refusal back to retrieval while a strategy is left", async () => {
    const { writes, state } = await run({
      ...drafted("The sources do not say how high it is [1]."),
      routing_plan: {
        strategies: [],
        tried: [],
        available: ["keyword"],
        time_sensitive: false,
        reason: "",
      },
    });
    expect(writes).toEqual(["answer", "grader_action", "iteration", "run"]);
    expect(state).toMatchObject({
      answer: "",
      iteration: 1,
      grader_action: "RE_RETRIEVE",
      run: { retry: "analyze_and_route", purpose: "re_retrieve", unanswered: ["tower"] },
    });
    expect(state.run.message_id).not.toBe("answer-1");
  });

  it("shows the closest passages where nothing is left to try", async () => {
    const { state } = await run(drafted("UNANSWERABLE"), { context: { max_iterations: 0 } });
    expect(state.outcome.status).toBe("closest_passages");
    expect(state.passages).toMatchObject([{ evidence_id: "tower" }]);
    expect(state.citations).toEqual([]);
  });

  it.each(["Hello! How can I help you?", "No source gives the height [1]."])(
    "asks no model about a draft of which nothing rests on a source: %s",
    async (draft) => {
      const compare = () => Promise.reject(new Error("it was asked"));
      const reasoner = { kind: "model" as const, compare };
      const { state } = await run(drafted(draft), { reasoner, context: { max_iterations: 0 } });
      expect(state.outcome.status).toBe("closest_passages");
      expect(state.warnings).toEqual([]);
    },
  );

  it("withholds what the policy names, and shows no passage in its place", async () => {
    const policy = (text: string) => (text.includes("41") ? "a height" : undefined);
    const { state } = await run(drafted("The tower is 41 metres high [1]."), {
      policy,
      context: { max_iterations: 0 },
    });
    expect(state.answer).not.toContain("41");
    expect(state).toMatchObject({
      passages: [],
      outcome: { status: "abstained", causes: expect.arrayContaining(["policy_blocked"]) },
    });
  });

  it("turns an error of an earlier node into the answer of a failed run", async () => {
    const { state } = await run({ run: { error: "the register is closed" } });
    expect(state.answer).toBe("I could not answer: the register is closed");
    expect(state.outcome.status).toBe("failed");
  });

  it("checks no claims in chat, but takes links and numbers out", async () => {
    const said = "Hi there [1], see ![x](https://evil.example/p.png).";
    const { state } = await run({ ...drafted(said), mode: "chat" });
    expect(state.answer).not.toMatch(/evil|\[1\]/);
    expect(state.citations).toEqual([]);
  });
});
