import { z } from "zod";
import type { Prompt } from "./prompt.js";
import { DATA_RULE, jsonRule, prompt } from "./prompt.js";

export const REVIEW_NAME = "unsupported_claims";
export const REVIEW_SCHEMA = z.object({ unsupported: z.array(z.number()) });

/** Which claims do the sources not support? Claims are numbered from 1 here. */
export function reviewPrompt({
  question,
  claims,
  sources,
}: {
  question: string;
  claims: readonly string[];
  sources: string;
}): Prompt {
  return prompt(
    REVIEW_NAME,
    [
      "Check each claim against the sources. Name the numbers of those that the sources do not state or contradict: a wrong number, name, date,",
      "unit or negation is enough. What merely follows from the sources is supported.",
      DATA_RULE,
      jsonRule('{"unsupported": [2]}'),
    ],
    [
      sources,
      `Question: ${question}`,
      `Claims:\n${claims.map((claim, index) => `${index + 1}. ${claim}`).join("\n")}`,
    ],
  );
}
