import { z } from "zod";
import type { Evidence } from "../../state/evidence.js";
import { passages } from "./passages.js";
import type { Prompt } from "./prompt.js";
import { DATA_RULE, jsonRule, prompt } from "./prompt.js";

export const GRADE_SET_NAME = "relevance_verdict";
export const GRADE_SET_SCHEMA = z.object({
  relevance_score: z.number(),
  relevance_label: z.enum(["relevant", "ambiguous", "irrelevant"]),
  confidence: z.number(),
  reasoning: z.string(),
});

/** One verdict on all passages together. */
export function gradeSetPrompt({
  question,
  evidence,
}: {
  question: string;
  evidence: readonly Evidence[];
}): Prompt {
  return prompt(
    GRADE_SET_NAME,
    [
      "Judge whether the sources, taken together, are enough to answer the question.",
      "relevance_score from 0.0 to 1.0; relevance_label: relevant (they answer it), ambiguous (they answer part, or disagree), irrelevant (they do not).",
      "confidence from 0.0 to 1.0 in your own judgement; reasoning in one or two sentences: what is there, what is missing.",
      DATA_RULE,
      jsonRule(
        '{"relevance_score": 0.0, "relevance_label": "relevant", "confidence": 0.0, "reasoning": "…"}',
      ),
    ],
    [`Question: ${question}`, passages(evidence)],
  );
}
