import { z } from "zod";
import type { Prompt, PromptInputs } from "./prompt.js";
import { jsonRule, prompt } from "./prompt.js";
import { formOf, type Asking } from "./structured-call.js";

const FORM = formOf(
  "comparison",
  z.object({ agree: z.boolean(), difference: z.string().nullable().default(null) }),
);

/** Do two answers to one question say the same? */
export function comparePrompt({ question, answers }: PromptInputs["compare"]): Prompt {
  return prompt(
    FORM.name,
    [
      "Two answers were given to one question. Do they agree on what was asked? Other wording, order or length is no disagreement;",
      "another number, name, date or verdict is. If they disagree say in one sentence on what.",
      jsonRule('{"agree": true, "difference": null}'),
    ],
    [`Question: ${question}`, `First answer: ${answers[0]}`, `Second answer: ${answers[1]}`],
  );
}

export async function compare(
  input: PromptInputs["compare"],
  { ask }: Asking,
): Promise<{ agree: boolean; difference?: string }> {
  const { agree, difference } = await ask({
    task: "compare",
    name: "compare",
    input,
    prompt: comparePrompt(input),
    form: FORM,
  });
  return { agree, ...(agree || difference === null ? {} : { difference }) };
}
