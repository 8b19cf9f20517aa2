import { z } from "zod";
import type { Evidence } from "../../state/evidence.js";
import { passages } from "./passages.js";
import type { Prompt } from "./prompt.js";
import { DATA_RULE, jsonRule, prompt } from "./prompt.js";

export const GRADE_BATCH_NAME = "relevance_scores";
/** An object round the array, because JSON-schema endpoints want an object at the top. */
export const GRADE_BATCH_SCHEMA = z.object({ scores: z.array(z.number()) });

/** N passages in, N scores out, in order. */
export function gradeBatchPrompt({
  question,
  evidence,
}: {
  question: string;
  evidence: readonly Evidence[];
}): Prompt {
  return prompt(
    GRADE_BATCH_NAME,
    [
      `Grade how far each of the ${evidence.length} sources helps to answer the question: one number from 0.0 to 1.0 each, in their order.`,
      "1.0: states the answer. 0.7: states most of it. 0.5: on the matter, but only part of it. 0.3: touches the subject. 0.0: nothing to do with it.",
      "Shared words are not relevance: a source on the same subject that does not bear on the question is below 0.3.",
      DATA_RULE,
      jsonRule(`{"scores": [0.0, …]} with exactly ${evidence.length} numbers`),
    ],
    [`Question: ${question}`, passages(evidence)],
  );
}
