import { expect, it } from "@jest/globals";
import { asksYesOrNo } from "../../src/reasoning/embedded/queries.js";

it.each([
  "Is the password encrypted with basic authentication?",
  "If I enable a service, does it start right away?",
  "can I change a bug report later if I got something wrong",
  "Doesn’t it need a restart?",
])("takes %s for a question to be answered by yes or no", (question) =>
  expect(asksYesOrNo(question)).toBe(true),
);

it.each([
  "What is the default?",
  "When it rains, what does the tent do?",
  "Can you say when it opens?",
  "the name of the isolated file",
  "",
])("takes %s for another question", (question) => expect(asksYesOrNo(question)).toBe(false));
