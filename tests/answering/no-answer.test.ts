import { expect, it } from "@jest/globals";
import { isNoAnswer } from "../../src/answering/no-answer.js";

it.each([
  '<tool_call>{"name": "search", "arguments": {}}</tool_call> [1]',
  '{"answer": "The tower is tall."}',
  "<|channel|>analysis<|message|>The user asks about the tower.",
  '[TOOL_CALLS] [{"name": "search"}]',
])("takes %j for no answer (N17)", (text) => {
  expect(isNoAnswer(text)).toBe(true);
});

it.each([
  "The tower is tall [1].",
  "[1] The tower is tall.",
  'Send `{"answer": 1}` to the server [1].',
  "The token `<|im_end|>` ends a turn [1].",
])("takes %j for an answer", (text) => {
  expect(isNoAnswer(text)).toBe(false);
});
