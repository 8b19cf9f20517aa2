import { z } from "zod";
import type { Evidence } from "../../state/evidence.js";
import { passages } from "./passages.js";
import type { Prompt } from "./prompt.js";
import { DATA_RULE, jsonRule, prompt } from "./prompt.js";

export const KEY_POINTS_NAME = "key_points";
export const KEY_POINTS_SCHEMA = z.object({
  points: z.array(z.object({ text: z.string(), source: z.number() })),
});

/** What web pages say on the question, point by point, each with the number of its source. */
export function keyPointsPrompt({
  question,
  evidence,
}: {
  question: string;
  evidence: readonly Evidence[];
}): Prompt {
  return prompt(
    KEY_POINTS_NAME,
    [
      "Take from the sources the points that bear on the question: at most 8, one sentence each, in the source's own words, numbers and names unchanged.",
      "Give the number of the source with each. Leave out what does not bear on the question. Add nothing.",
      DATA_RULE,
      jsonRule('{"points": [{"text": "…", "source": 1}]}'),
    ],
    [`Question: ${question}`, passages(evidence)],
  );
}
