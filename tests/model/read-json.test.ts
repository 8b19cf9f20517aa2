import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { parseWith } from "../../src/model/read-json.js";

describe("JSON in prose with braces", () => {
  it.each([
    [
      "in and outside of its strings",
      'The template {name} matters. {"relevance_score":0.2,"reasoning":"mentions {name} only"}',
      { relevance_score: 0.2, reasoning: "mentions {name} only" },
    ],
    [
      "of a draft",
      'Draft: {"relevance_score":1,"reasoning":"a"} Final: {"relevance_score":0,"reasoning":"A says {id}"}',
      { relevance_score: 0, reasoning: "A says {id}" },
    ],
  ])("%s is read", (_what, output, value) => {
    const schema = z.object({ relevance_score: z.number(), reasoning: z.string() });
    expect(parseWith(schema, output)).toEqual({ success: true, value });
  });
});

it("what holds no JSON is called so", () => {
  expect(parseWith(z.object({ agree: z.boolean() }), "I agree.")).toEqual({
    success: false,
    error: "there is no JSON in it",
  });
});
