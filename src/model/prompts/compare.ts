import { z } from "zod";
import type { Prompt } from "./prompt.js";
import { jsonRule, prompt } from "./prompt.js";

export const COMPARE_NAME = "comparison";
export const COMPARE_SCHEMA = z.object({ agree: z.boolean(), difference: z.string().nullable() });

/** Do two answers to one question say the same? */
export function comparePrompt({
  question,
  answers,
}: {
  question: string;
  answers: readonly [string, string];
}): Prompt {
  return prompt(
    COMPARE_NAME,
    [
      "Two answers were given to one question. Do they agree on what was asked? Other wording, order or length is no disagreement;",
      "another number, name, date or verdict is. If they disagree say in one sentence on what.",
      jsonRule('{"agree": true, "difference": null}'),
    ],
    [`Question: ${question}`, `First answer: ${answers[0]}`, `Second answer: ${answers[1]}`],
  );
}
