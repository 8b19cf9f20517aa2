/** The judges of the whole set: one verdict on its relevance, or on its adequacy. */
import { z } from "zod";
import { unitScore, type Judgement } from "../grading/judgement.js";
import type { Prompt, PromptInputs } from "./prompt.js";
import { DATA_RULE, jsonRule, passages, prompt } from "./prompt.js";
import { formOf, type Asking } from "./structured-call.js";

type GradePrompt = PromptInputs["grade"];

/** What need not be read for a verdict is nothing where it cannot be. */
const reasoning = z.string().catch("");

const SET_FORM = formOf(
  "relevance_verdict",
  z.object({
    relevance_score: z.number(),
    relevance_label: z.enum(["relevant", "ambiguous", "irrelevant"]).nullable().catch(null),
    confidence: z.number().nullable().catch(null),
    reasoning,
  }),
);

const ADEQUACY_FORM = formOf(
  "adequacy_verdict",
  z.object({
    score: z.number(),
    tool_needed: z.string().nullable().catch(null),
    hints: z.array(z.string()).catch([]),
    reasoning,
  }),
);

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

type Verdict = NonNullable<Judgement["set"]>;

export async function gradeSet(input: GradePrompt, { ask }: Asking): Promise<Verdict> {
  const question = { task: "grade", name: "grade" as const, input };
  if (input.judge === "set") {
    const said = await ask({ ...question, prompt: gradeSetPrompt(input), form: SET_FORM });
    return {
      score: unitScore(said.relevance_score),
      ...(said.relevance_label !== null && { statedLabel: said.relevance_label }),
      ...(said.confidence !== null && { confidence: unitScore(said.confidence) }),
      ...(said.reasoning !== "" && { reasoning: said.reasoning.slice(0, MAX_REASONING) }),
    };
  }
  const said = await ask({ ...question, prompt: gradeAdequacyPrompt(input), form: ADEQUACY_FORM });
  const tool = said.tool_needed?.trim() ?? "";
  const hints = said.hints.map((hint) => hint.trim().slice(0, MAX_HINT)).filter(Boolean);
  return {
    score: unitScore(said.score),
    ...(!NO_TOOL.test(tool) && { toolNeeded: tool.toLowerCase() === "true" ? "any" : tool }),
    ...(hints.length > 0 && { hints: hints.slice(0, MAX_HINTS) }),
    ...(said.reasoning !== "" && { reasoning: said.reasoning.slice(0, MAX_REASONING) }),
  };
}

const MAX_REASONING = 1_000;
const MAX_HINTS = 8;
const MAX_HINT = 200;
const NO_TOOL = /^(?:no|none|null|nil|false|n\/a|not needed|nothing|-)?$/i;
