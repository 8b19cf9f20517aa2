/** Reads the kept evidence and the label; writes the draft, its sources and its window. */
import { describe, expect, it } from "@jest/globals";
import { synthesizeNode } from "../../src/nodes/synthesize.js";
import type { AnswerInput, DraftAnswer } from "../../src/reasoning/reasoner.js";
import { item } from "../grading/evidence.js";
import { passage } from "../support/scripted-base.js";
import { nodeRunner } from "../support/run-node.js";

const { run } = nodeRunner(synthesizeNode);
const kept = (id: string, value: number) =>
  item(id, {
    text: passage(id).text,
    status: "kept",
    scores: [{ value, scale: "relevance", by: "judge:batch" }],
  });
const STATE = {
  question: "And what did it count?",
  standalone_question: "What did the keeper count?",
  context: [kept("alpha", 0.5), kept("beta", 0.9), kept("gamma", 0.31)],
};
function answering(draft: Partial<DraftAnswer>) {
  const asked: AnswerInput[] = [];
  const answer = async (input: AnswerInput): Promise<DraftAnswer> => {
    asked.push(input);
    return { text: "", unanswerable: false, by: "model", ...draft };
  };
  return { asked, reasoner: { kind: "model" as const, answer } };
}

describe("synthesize", () => {
  it("shows every kept passage, best first (N4), and writes the draft with its sources", async () => {
    const { asked, reasoner } = answering({ text: "It counted eight [1]." });
    const { writes, state } = await run(STATE, { reasoner });
    expect(writes).toEqual(["answer", "run", "sources"]);
    expect(state.answer).toBe("It counted eight [1].");
    expect(state.sources.map(({ evidence_id }) => evidence_id)).toEqual(["beta", "alpha", "gamma"]);
    for (const { text } of STATE.context) expect(asked[0]?.window.text).toContain(text);
    expect(state.run).toMatchObject({ drafted_by: "model", window_text: asked[0]?.window.text });
  });

  it("asks nobody without evidence, nor about evidence in which no answer was found", async () => {
    const { asked, reasoner } = answering({});
    const empty = await run({ ...STATE, context: [] }, { reasoner });
    expect(empty.state).toMatchObject({ answer: "", run: { drafted_by: null } });
    const unanswered = ["alpha", "beta", "gamma"];
    const known = { ...STATE, run: { unanswered, abstain_reason: "no number is named" } };
    expect((await run(known, { reasoner })).state.run.abstain_reason).toBe("no number is named");
    expect(asked).toEqual([]);
  });

  it("writes no answer where the model finds none, but its reason", async () => {
    const draft = { text: "UNANSWERABLE", unanswerable: true, reason: "no number is named" };
    const { state } = await run(STATE, answering(draft));
    expect(state).toMatchObject({ answer: "", run: { abstain_reason: "no number is named" } });
  });

  it("writes twice for self-consistency, and notes a disagreement", async () => {
    const { asked, reasoner } = answering({ text: "Eight [1]." });
    const compare = async () => ({ agree: false, difference: "eight or nine" });
    const { state } = await run(STATE, {
      reasoner: { ...reasoner, compare },
      context: { self_consistency: true },
    });
    expect(asked.map(({ temperature }) => temperature)).toEqual([undefined, 0.7]);
    expect(state.run.disagreement).toBe("eight or nine");
  });

  it("answers small talk without a window", async () => {
    const { asked, reasoner } = answering({ text: "Hello!" });
    const { state } = await run({ ...STATE, mode: "chat" }, { reasoner });
    expect(asked[0]?.window.text).toBe("");
    expect(state).toMatchObject({ answer: "Hello!", sources: [] });
  });
});
