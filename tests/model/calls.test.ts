import { expect, it } from "@jest/globals";
import { AIMessageChunk } from "@langchain/core/messages";
import { createModelReasoner } from "../../src/model/model-reasoner.js";
import { createTestScope } from "../support/test-scope.js";
import { fixedModels, gradeInput, STAND_IN } from "./fixtures.js";

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
  await reasoner.grade(gradeInput(), createTestScope());
  const calls = stack.split("\n").filter((line) => /\/src\/\w+\/[\w-]+\.ts/.test(line));
  expect(calls.at(-1)).toContain("model-reasoner.ts");
  expect(calls.length).toBeLessThanOrEqual(6);
});
