import { z } from "zod";
import type { Prompt } from "./prompt.js";
import { jsonRule, prompt } from "./prompt.js";

export const HYPOTHESISE_NAME = "hypothetical_answers";
export const HYPOTHESISE_SCHEMA = z.object({ answers: z.array(z.string()) });

/** Hypothetical documents for retrieval (HyDE: Gao et al., 2022, "Precise Zero-Shot Dense Retrieval without Relevance Labels"). */
export function hypothesisePrompt({
  question,
  count,
}: {
  question: string;
  count: number;
}): Prompt {
  return prompt(
    HYPOTHESISE_NAME,
    [
      `Write ${count} short passages (2 or 3 sentences each) as they might stand in a document that answers the question, each from another angle.`,
      "They are used to search only, so they may be wrong; use the words that such a document would use.",
      jsonRule('{"answers": ["…"]}'),
    ],
    [`Question: ${question}`],
  );
}
