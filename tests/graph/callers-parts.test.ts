/** A caller's own parts that fail or never answer. No timer ends before a test says so. */
import { expect, it, jest } from "@jest/globals";
import type { Reader } from "../../src/reader/reader.js";

const waiting: (() => void)[] = [];
jest.unstable_mockModule("node:timers/promises", () => ({
  setTimeout: () => new Promise<void>((end) => waiting.push(end)),
  setImmediate: () => Promise.resolve(),
}));
const { createCorrectiveRag } = await import("../../src/corrective-rag.js");
const { PROFILES } = await import("../../src/grading/profiles.js");
const { createReader } = await import("../../src/reader/create-reader.js");
const { passageBase } = await import("../../evals/live/passage-base.js");
const { sureReader } = await import("../support/sure-reader.js");

const fish = {
  knowledgeBase: passageBase([{ path: "fish.md", title: "Fish", text: "Cod is a fish." }]),
  settings: { auditLog: "off", reader: "lexical" },
} as const;

it.each([
  ["throws", () => Promise.reject(new Error("no judge"))],
  ["returns something else", async () => JSON.parse('"yes"')],
])("a judge that %s is replaced by the reader", async (_, judge) => {
  const profile = { ...PROFILES.adaptive, judge };
  const agent = createCorrectiveRag({ ...fish, reader: sureReader(), profile });
  const { answer, outcome, warnings, details } = await agent.ask("What is cod?");
  expect(outcome.status).toBe("success");
  expect(answer).toContain("Cod is a fish.");
  expect(warnings.join()).toMatch(/own judge failed, so the reader judges: /);
  expect(details?.rounds[0]?.judge).toBe("embedded");
  await agent.close();
});

it("a reader that never answers ends the run in one line once its time is over", async () => {
  let begin = (): void => undefined;
  const asked = new Promise<void>((resolve) => (begin = resolve));
  const reader: Reader = {
    ...createReader({ model: "lexical" }),
    relevance: () => {
      begin();
      return new Promise(() => undefined);
    },
  };
  const agent = createCorrectiveRag({ ...fish, reader });
  const running = agent.ask("What is cod?");
  await asked;
  for (const end of waiting) end();
  const { answer, outcome } = await running;
  expect(answer).toMatch(/^I could not answer: no answer within \d+.* \(in tools\)$/);
  expect(outcome).toEqual({ status: "failed", causes: ["budget_exhausted"] });
  await agent.close();
});
