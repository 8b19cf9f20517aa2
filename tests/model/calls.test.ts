import { expect, it } from "@jest/globals";
import { AIMessageChunk } from "@langchain/core/messages";
import { createModelReasoner } from "../../src/model/model-reasoner.js";
import { gradeEvidenceNode } from "../../src/nodes/grade-evidence.js";
import { item } from "../grading/evidence.js";
import { nodeRunner } from "../support/run-node.js";
import { createTestScope } from "../support/test-scope.js";
import { answerInput, fixedModels, gradeInput, STAND_IN } from "./fixtures.js";

it("takes a judgement from the node to the model in at most six calls", async () => {
  let stack = "";
  const model = {
    async invoke(): Promise<AIMessageChunk> {
      const { stackTraceLimit } = Error;
      Error.stackTraceLimit = 50;
      stack = new Error("here").stack ?? "";
      Error.stackTraceLimit = stackTraceLimit;
      return new AIMessageChunk('{"scores": [0.9, 0.2, 0.1]}');
    },
    stream: () => Promise.reject(new Error("nothing is streamed")),
  };
  const source = fixedModels({ answer: model, grade: model });
  const reasoner = createModelReasoner({ source, embedded: STAND_IN });
  const { run } = nodeRunner(gradeEvidenceNode);
  const context = [item("a"), item("b"), item("c")];
  await run(
    { standalone_question: "At how many degrees does water boil?", context },
    { reasoner, context: { profile: "holistic" } },
  );
  const calls = stack.split("\n").filter((line) => /\/src\/\w+\/[\w-]+\.ts/.test(line));
  // The last one is the node itself.
  expect(calls.at(-1)).toContain("grade-evidence.ts");
  expect(calls.length - 1).toBeLessThanOrEqual(6);
});

it("streams the next run's answer from a model that this run's judge kept from being asked", async () => {
  let streams = 0;
  const refusal = Object.assign(new Error("no such thing"), { status: 400 });
  const grade = {
    invoke: () => Promise.reject(refusal),
    stream: () => Promise.reject(new Error("no judge streams")),
  };
  const answer = {
    invoke: async () => new AIMessageChunk("Paris [1]."),
    stream: async () => {
      streams += 1;
      return (async function* () {
        yield new AIMessageChunk("Paris [1].");
      })();
    },
  };
  const reasoner = createModelReasoner({
    source: fixedModels({ answer, grade }),
    embedded: STAND_IN,
  });
  const scope = createTestScope();
  for (const _ of [1, 2]) await reasoner.grade(gradeInput(), scope);
  expect(await reasoner.answer(answerInput(), scope)).toMatchObject({ by: "embedded" });
  const next = { ...createTestScope(), runId: "next" };
  expect(await reasoner.answer(answerInput(), next)).toMatchObject({ by: "model" });
  expect(streams).toBe(1);
});
