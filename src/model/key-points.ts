import { z } from "zod";
import type { KeyPoint } from "../reasoning/reasoner.js";
import type { Prompt, PromptInputs } from "./prompt.js";
import { DATA_RULE, jsonRule, passages, prompt } from "./prompt.js";
import { formOf, type Asking } from "./structured-call.js";

const FORM = formOf(
  "key_points",
  z.object({ points: z.array(z.object({ text: z.string(), source: z.number() })) }),
);

/** What web pages say on the question, point by point, each with the number of its source. */
export function keyPointsPrompt({ question, evidence }: PromptInputs["keyPoints"]): Prompt {
  return prompt(
    FORM.name,
    [
      "Take from the sources the points that bear on the question: at most 8, one sentence each, in the source's own words, numbers and names unchanged.",
      "Give the number of the source with each. Leave out what does not bear on the question. Add nothing.",
      DATA_RULE,
      jsonRule('{"points": [{"text": "…", "source": 1}]}'),
    ],
    [`Question: ${question}`, passages(evidence)],
  );
}

/** A point without a source that exists cannot be checked, so it is dropped. */
export async function keyPoints(
  input: PromptInputs["keyPoints"],
  { ask }: Asking,
): Promise<KeyPoint[]> {
  const { points } = await ask({
    name: "keyPoints",
    input,
    prompt: keyPointsPrompt(input),
    form: FORM,
  });
  return points.flatMap(({ text, source }) => {
    const evidence = input.evidence[source - 1];
    return evidence === undefined || text.trim() === ""
      ? []
      : [{ text: text.trim(), evidenceId: evidence.id }];
  });
}
