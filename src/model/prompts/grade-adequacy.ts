import { z } from "zod";
import type { Evidence } from "../../state/evidence.js";
import { passages } from "./passages.js";
import type { Prompt } from "./prompt.js";
import { DATA_RULE, jsonRule, prompt } from "./prompt.js";

export const GRADE_ADEQUACY_NAME = "adequacy_verdict";
export const GRADE_ADEQUACY_SCHEMA = z.object({
  score: z.number(),
  adequate: z.boolean(),
  tool_needed: z.string().nullable(),
  hints: z.array(z.string()),
  reasoning: z.string(),
});

/** Is the evidence enough, is a tool needed first, what should the next search look for? */
export function gradeAdequacyPrompt(input: {
  question: string;
  evidence: readonly Evidence[];
  tools: readonly string[];
}): Prompt {
  return prompt(
    GRADE_ADEQUACY_NAME,
    [
      "Judge whether the sources are adequate for a full answer to the question.",
      "score from 0.0 to 1.0; adequate: true when nothing important is missing.",
      `tool_needed: null, or the one tool without which no answer is possible, out of: ${input.tools.join(", ") || "none"}.`,
      "hints: up to 3 short search queries for what is missing; empty when nothing is. reasoning: one or two sentences.",
      DATA_RULE,
      jsonRule(
        '{"score": 0.0, "adequate": false, "tool_needed": null, "hints": ["…"], "reasoning": "…"}',
      ),
    ],
    [`Question: ${input.question}`, passages(input.evidence)],
  );
}
