/** The judges of the whole set: one verdict on its relevance, or on its adequacy. */
import { z } from "zod";
import type { Prompt, PromptInputs } from "./prompt.js";
import { DATA_RULE, jsonRule, passages, prompt } from "./prompt.js";
import { readVerdict, type Verdict } from "./read-verdict.js";
import type { Asking, Form } from "./structured-call.js";

type GradePrompt = PromptInputs["grade"];

const SET_SCHEMA = z.object({
  relevance_score: z.number(),
  relevance_label: z.enum(["relevant", "ambiguous", "irrelevant"]),
  confidence: z.number(),
  reasoning: z.string(),
});

const ADEQUACY_SCHEMA = z.object({
  score: z.number(),
  tool_needed: z.string().nullable(),
  hints: z.array(z.string()),
  reasoning: z.string(),
});

/** One verdict on all passages together. */
export function gradeSetPrompt(input: GradePrompt): Prompt {
  const { correct, incorrect } = input.thresholds;
  return prompt(
    "relevance_verdict",
    [
      "Judge whether the sources, taken together, are enough to answer the question. relevance_score and relevance_label agree:",
      `${correct} to 1.0, relevant: they state the answer; further sources beside those that state it do not lower the score.`,
      `${incorrect} to ${correct}, ambiguous: they state a part of it, or contradict each other.`,
      `Below ${incorrect}, irrelevant: they do not state it. Shared words or the same subject are not enough.`,
      "confidence: how sure you are, from 0.0 to 1.0. reasoning: in one or two sentences what is there and what is missing.",
      DATA_RULE,
      jsonRule(
        `{"relevance_score": ${correct}, "relevance_label": "relevant", "confidence": 0.8, "reasoning": "…"}`,
      ),
    ],
    [`Today is ${input.today}.`, `Question: ${input.question}`, passages(input.evidence)],
  );
}

/** Is the evidence enough, is a tool needed first, what should the next search look for? */
export function gradeAdequacyPrompt(input: GradePrompt): Prompt {
  const { correct } = input.thresholds;
  const half = Math.round(correct * 50) / 100;
  return prompt(
    "adequacy_verdict",
    [
      "Judge whether the sources are adequate for a full answer to the question.",
      `score: ${correct} to 1.0: nothing important is missing. ${half} to ${correct}: a part is missing. Below ${half}: they do not answer it; shared words are not enough.`,
      ...(input.tools.length === 0
        ? ["tool_needed: null."]
        : [
            "tool_needed: null, or the name of the one tool without which no answer is possible:",
            ...input.tools.map(
              ({ name, description }) => `- ${name}: ${firstSentence(description)}`,
            ),
          ]),
      "hints: up to 3 short search queries for what is missing, never names of tools; [] when nothing is. reasoning: one or two sentences.",
      DATA_RULE,
      jsonRule(`{"score": ${half}, "tool_needed": null, "hints": ["…"], "reasoning": "…"}`),
    ],
    [`Today is ${input.today}.`, `Question: ${input.question}`, passages(input.evidence)],
  );
}

function firstSentence(text: string): string {
  return (text.split(/(?<=[.!?])\s/, 1)[0] ?? "").slice(0, 200);
}

const SET_FORM: Form<Verdict> = {
  name: "relevance_verdict",
  schema: SET_SCHEMA,
  parse: readVerdict,
};
const ADEQUACY_FORM: Form<Verdict> = {
  name: "adequacy_verdict",
  schema: ADEQUACY_SCHEMA,
  parse: readVerdict,
};

export async function gradeSet(input: GradePrompt, { ask }: Asking): Promise<Verdict> {
  const [prompt, form] =
    input.judge === "set"
      ? [gradeSetPrompt(input), SET_FORM]
      : [gradeAdequacyPrompt(input), ADEQUACY_FORM];
  const verdict = await ask({ task: "grade", name: "grade", input, prompt, form });
  if (input.judge === "set") return verdict;
  const { toolNeeded, hints = [], ...rest } = verdict;
  const tool = input.tools.find(({ name }) => name === toolNeeded);
  // A hint is searched for: the name of a tool finds nothing but documents about tools.
  const queries = hints.filter((hint) => !input.tools.some(({ name }) => name === hint.trim()));
  return { ...rest, ...(tool && { toolNeeded: tool.name }), hints: queries };
}
