import { z } from "zod";
import type { Prompt, PromptInputs } from "./prompt.js";
import { DATA_RULE, jsonRule, prompt } from "./prompt.js";
import { formOf, type Asking } from "./structured-call.js";

const FORM = formOf("unsupported_claims", z.object({ unsupported: z.array(z.number()) }));

/** Which claims do the sources not support? Claims are numbered from 1 here. */
export function reviewPrompt({ question, claims, window }: PromptInputs["review"]): Prompt {
  return prompt(
    FORM.name,
    [
      "Check each claim against the sources. Give the numbers of the claims that no source states, and of those that a source contradicts: a wrong number, name, date, unit or negation is enough.",
      "What merely follows from the sources is supported. [] means that every claim is supported.",
      DATA_RULE,
      jsonRule('{"unsupported": [2]}'),
    ],
    [
      window.text,
      `Question: ${question}`,
      `Claims:\n${claims.map((claim, index) => `${index + 1}. ${claim}`).join("\n")}`,
    ],
  );
}

/** Indices of the claims without support, in order. */
export async function review(input: PromptInputs["review"], { ask }: Asking): Promise<number[]> {
  const { unsupported } = await ask({
    task: "review",
    name: "review",
    input,
    prompt: reviewPrompt(input),
    form: FORM,
  });
  return input.claims.flatMap((_claim, index) => (unsupported.includes(index + 1) ? [index] : []));
}
