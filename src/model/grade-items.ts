/** The judges of single items: many passages in one call, or one call each. */
import { z } from "zod";
import type { Prompt, PromptInputs } from "./prompt.js";
import { DATA_RULE, jsonRule, passages, prompt } from "./prompt.js";
import { readScores } from "./read-scores.js";
import type { Asking, Form } from "./structured-call.js";

type GradePrompt = PromptInputs["grade"];

/** An object round the array, because JSON-schema endpoints want an object at the top. */
const BATCH_SCHEMA = z.object({ scores: z.array(z.number()) });
const DOCUMENT_SCHEMA = z.object({ score: z.number() });

/** N passages in, N scores out, in order. */
export function gradeBatchPrompt(input: GradePrompt): Prompt {
  const { length } = input.evidence;
  return prompt(
    "relevance_scores",
    [
      `How far does each of the ${length} sources, by itself, help to answer the question? One number from 0.0 to 1.0 each, in order.`,
      ...anchors(input),
      DATA_RULE,
      jsonRule(`{"scores": [0.0, …]} with exactly ${length} number${length === 1 ? "" : "s"}`),
    ],
    [`Today is ${input.today}.`, `Question: ${input.question}`, passages(input.evidence)],
  );
}

/** One passage, one score. */
export function gradeDocumentPrompt(input: GradePrompt): Prompt {
  return prompt(
    "relevance_score",
    [
      "How far does the source help to answer the question? One number from 0.0 to 1.0.",
      ...anchors(input),
      DATA_RULE,
      jsonRule('{"score": 0.0}'),
    ],
    [`Today is ${input.today}.`, `Question: ${input.question}`, passages(input.evidence)],
  );
}

/** One anchor for each range that a threshold cuts: above `correct` it may be answered from, below `keep` it is thrown away. */
function anchors({ thresholds: { keep, correct } }: GradePrompt): string[] {
  return [
    `Above ${correct}: states the answer, or a part of it that is needed.`,
    `${keep} to ${correct}: does not state it, but limits it, explains it or leads to it.`,
    `Below ${keep}: no help. Shared words or the same subject alone are no help.`,
  ];
}

export async function gradeBatch(input: GradePrompt, { ask }: Asking): Promise<number[]> {
  const form = scoresForm("relevance_scores", BATCH_SCHEMA, input.evidence.length);
  return ask({ task: "grade", name: "grade", input, prompt: gradeBatchPrompt(input), form });
}

export async function gradeDocument(input: GradePrompt, { ask }: Asking): Promise<number> {
  const form = scoresForm("relevance_score", DOCUMENT_SCHEMA, 1);
  const prompt = gradeDocumentPrompt(input);
  const [score = 0] = await ask({ task: "grade", name: "grade", input, prompt, form });
  return score;
}

function scoresForm(name: string, schema: z.ZodType, count: number): Form<number[]> {
  return { name, schema, parse: (output) => readScores(output, count) };
}
