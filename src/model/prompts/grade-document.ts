import { z } from "zod";
import type { Evidence } from "../../state/evidence.js";
import { passages } from "./passages.js";
import type { Prompt } from "./prompt.js";
import { DATA_RULE, jsonRule, prompt } from "./prompt.js";

export const GRADE_DOCUMENT_NAME = "relevance_score";
export const GRADE_DOCUMENT_SCHEMA = z.object({ score: z.number() });

/** One passage, one score. */
export function gradeDocumentPrompt({
  question,
  item,
}: {
  question: string;
  item: Evidence;
}): Prompt {
  return prompt(
    GRADE_DOCUMENT_NAME,
    [
      "Grade how far the source helps to answer the question, from 0.0 (nothing to do with it) over 0.5 (part of it) to 1.0 (states the answer).",
      DATA_RULE,
      jsonRule('{"score": 0.0}'),
    ],
    [`Question: ${question}`, passages([item])],
  );
}
