import { z } from "zod";
import type { Prompt, PromptInputs } from "./prompt.js";
import { jsonRule, prompt } from "./prompt.js";
import { formOf, type Asking } from "./structured-call.js";

const FORM = formOf("hypothetical_answers", z.object({ answers: z.array(z.string()) }));

/** Hypothetical documents for retrieval (HyDE: Gao et al., 2022, "Precise Zero-Shot Dense Retrieval without Relevance Labels"). */
export function hypothesizePrompt({ question, count }: PromptInputs["hypothesize"]): Prompt {
  return prompt(
    FORM.name,
    [
      `Write ${count} short passages (2 or 3 sentences each) as they might stand in a document that answers the question, each from another angle.`,
      "They are used to search only, so they may be wrong; use the words that such a document would use, in the language of the question.",
      jsonRule('{"answers": ["…"]}'),
    ],
    [`Question: ${question}`],
  );
}

export async function hypothesize(
  input: PromptInputs["hypothesize"],
  { ask }: Asking,
): Promise<string[]> {
  const { answers } = await ask({
    task: "hypothesize",
    name: "hypothesize",
    input,
    prompt: hypothesizePrompt(input),
    form: FORM,
  });
  return answers
    .map((answer) => answer.trim())
    .filter((answer) => answer !== "")
    .slice(0, input.count);
}
