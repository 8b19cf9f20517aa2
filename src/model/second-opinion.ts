/**
 * A second look at an answer: do two answers agree, and which claims do the sources not support?
 */
import { z } from "zod";
import { DATA_RULE, jsonRule, prompt, type Prompt, type PromptInputs } from "./prompt.js";
import { formOf, type Asking } from "./structured-call.js";

const COMPARISON = formOf(
  "comparison",
  z.object({ agree: z.boolean(), difference: z.string().nullable().default(null) }),
);

export function comparePrompt({ question, answers }: PromptInputs["compare"]): Prompt {
  return prompt(
    COMPARISON.name,
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
  const verb = { name: "compare", prompt: comparePrompt, form: COMPARISON } as const;
  const { agree, difference } = await ask(verb, input);
  return { agree, ...(!agree && difference !== null && { difference }) };
}

const UNSUPPORTED = formOf("unsupported_claims", z.object({ unsupported: z.array(z.number()) }));

/** Claims are numbered from 1 here. */
export function reviewPrompt({ question, claims, window }: PromptInputs["review"]): Prompt {
  return prompt(
    UNSUPPORTED.name,
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
  const verb = { name: "review", prompt: reviewPrompt, form: UNSUPPORTED } as const;
  const { unsupported } = await ask(verb, input);
  return input.claims.flatMap((_claim, index) => (unsupported.includes(index + 1) ? [index] : []));
}
