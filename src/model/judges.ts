/**
 * The judges of evidence (passages in one call or one by one, or the whole set) and of answers (do
 * two agree, and which claims have no support?).
 */
import { z } from "zod";
import { UNREADABLE_SCORE, unitScore, type Judgement } from "../grading/judgement.js";
import { counted } from "../text/words.js";
import {
  DATA_RULE,
  firstSentence,
  jsonRule,
  passages,
  prompt,
  type Prompt,
  type PromptInputs,
} from "./prompt.js";
import { readScores, unitScores } from "./read-json.js";
import { formOf, type Asking, type Form } from "./structured-call.js";

type GradePrompt = PromptInputs["grade"];

/** Endpoints want an object at the top of a schema. */
const SCORES_SCHEMA = z.object({ scores: z.array(z.number()) });
const SCORE_SCHEMA = z.object({ score: z.number() });

/** N passages in, N scores out, in order; one of each for `per_document`. */
export function gradeItemsPrompt(input: GradePrompt): Prompt {
  const { judge, evidence } = input;
  const isOne = judge === "per_document";
  return prompt(
    isOne ? "relevance_score" : "relevance_scores",
    [
      isOne
        ? "How far does the source help to answer? A score from 0.0 to 1.0."
        : "How far does each source by itself help to answer? " +
          `${counted(evidence.length, "score")} from 0.0 to 1.0, in order.`,
      ...anchors(input),
      DATA_RULE,
      jsonRule(isOne ? '{"score": 0.0}' : '{"scores": [0.0, …]}'),
    ],
    matter(input),
  );
}

function matter({ today, question, evidence }: GradePrompt): string[] {
  return [`Today is ${today}.`, `Question: ${question}`, passages(evidence)];
}

/** One anchor for each range that a threshold cuts: used from `correct`, discarded below `keep`. */
function anchors({ thresholds: { keep, correct } }: GradePrompt): string[] {
  return [
    `Above ${correct}: states the answer or a needed part.`,
    `${keep} to ${correct}: does not state it, but limits or explains it.`,
    `Below ${keep}: no help. Shared words or the same subject are none.`,
  ];
}

export async function gradeItems(input: GradePrompt, { ask }: Asking): Promise<number[]> {
  const isOne = input.judge === "per_document";
  const form: Form<number[]> = {
    name: isOne ? "relevance_score" : "relevance_scores",
    schema: isOne ? SCORE_SCHEMA : SCORES_SCHEMA,
    parse: (output) => readScores(output, input.evidence.length),
  };
  return ask({ name: "grade", prompt: gradeItemsPrompt, form }, input);
}

/** Not needed for a verdict, so an unreadable one does no harm. */
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
      "Judge whether the sources, taken together, are enough to answer the question. " +
        "relevance_score and relevance_label agree:",
      `${correct} to 1.0, relevant: they state the answer; further sources beside those ` +
        "that state it do not lower the score.",
      `${incorrect} to ${correct}, ambiguous: they state a part of it, or contradict each other.`,
      `Below ${incorrect}, irrelevant: they do not state it. Shared words or the same ` +
        "subject are not enough.",
      "confidence: how sure you are, from 0.0 to 1.0. reasoning: in one or two sentences " +
        "what is there and what is missing.",
      DATA_RULE,
      jsonRule(
        `{"relevance_score": ${correct}, "relevance_label": "relevant", "confidence": 0.8, ` +
          `"reasoning": "…"}`,
      ),
    ],
    matter(input),
  );
}

/** Asks whether the evidence is enough, which tool is needed first, and what to search for next. */
export function gradeAdequacyPrompt(input: GradePrompt): Prompt {
  const { correct } = input.thresholds;
  const half = Math.round(correct * 50) / 100;
  return prompt(
    "adequacy_verdict",
    [
      "Judge whether the sources are adequate for a full answer to the question.",
      `score: ${correct} to 1.0: nothing important is missing. ${half} to ${correct}: a ` +
        `part is missing. Below ${half}: they do not answer it; shared words are not enough.`,
      ...(input.tools.length === 0
        ? ["tool_needed: null."]
        : [
            "tool_needed: null, or the name of the one tool without which no answer is possible:",
            ...input.tools.map(
              ({ name, description }) => `- ${name}: ${firstSentence(description).slice(0, 200)}`,
            ),
          ]),
      "hints: up to 3 short search queries for what is missing, never names of tools; [] " +
        "when nothing is. reasoning: one or two sentences.",
      DATA_RULE,
      jsonRule(`{"score": ${half}, "tool_needed": null, "hints": ["…"], "reasoning": "…"}`),
    ],
    matter(input),
  );
}

const MAX_REASONING = 1_000;
const MAX_HINTS = 8;
const MAX_HINT = 200;
const NO_TOOL = new Set([..."no none null nil false n/a nothing -".split(" "), "not needed", ""]);

export type Verdict = NonNullable<Judgement["set"]>;

export async function gradeSet(input: GradePrompt, { ask }: Asking): Promise<Verdict> {
  const because = (reasoning: string): Pick<Verdict, "reasoning"> =>
    reasoning === "" ? {} : { reasoning: reasoning.slice(0, MAX_REASONING) };
  if (input.judge === "set") {
    const verb = { name: "grade", prompt: gradeSetPrompt, form: SET_FORM } as const;
    const { relevance_score, relevance_label, confidence, reasoning } = await ask(verb, input);
    return {
      score: unitScores([relevance_score])[0] ?? UNREADABLE_SCORE,
      ...(relevance_label !== null && { statedLabel: relevance_label }),
      ...(confidence !== null && { confidence: unitScore(confidence) }),
      ...because(reasoning),
    };
  }
  const verb = { name: "grade", prompt: gradeAdequacyPrompt, form: ADEQUACY_FORM } as const;
  const { score, tool_needed, hints: said, reasoning } = await ask(verb, input);
  const tool = tool_needed?.trim() ?? "";
  const hints = said.flatMap((hint) => hint.trim().slice(0, MAX_HINT) || []).slice(0, MAX_HINTS);
  return {
    score: unitScores([score])[0] ?? UNREADABLE_SCORE,
    ...(!NO_TOOL.has(tool.toLowerCase()) && {
      toolNeeded: tool.toLowerCase() === "true" ? "any" : tool,
    }),
    ...(hints.length > 0 && { hints }),
    ...because(reasoning),
  };
}

const COMPARISON = formOf(
  "comparison",
  z.object({ agree: z.boolean(), difference: z.string().nullable().default(null) }),
);

export function comparePrompt({ question, answers }: PromptInputs["compare"]): Prompt {
  return prompt(
    COMPARISON.name,
    [
      "Two answers were given to one question. Do they agree on what was asked? Other " +
        "wording, order or length is no disagreement;",
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

const UNSUPPORTED = formOf(
  "unsupported_claims",
  z.object({ unsupported: z.array(z.number()).catch([]) }),
);

export function reviewPrompt({ question, claims, window }: PromptInputs["review"]): Prompt {
  return prompt(
    UNSUPPORTED.name,
    [
      "Check each claim against the sources. Give the numbers of the claims that no source " +
        "states, and of those that a source contradicts: a wrong number, name, date, unit or " +
        "negation is enough.",
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

/** Returns the indices of the claims without support, in order. */
export async function review(input: PromptInputs["review"], { ask }: Asking): Promise<number[]> {
  const verb = { name: "review", prompt: reviewPrompt, form: UNSUPPORTED } as const;
  const { unsupported } = await ask(verb, input);
  return input.claims.flatMap((_claim, index) => (unsupported.includes(index + 1) ? [index] : []));
}
