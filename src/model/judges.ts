/** Grading by a model: passages in one call or one by one, or the whole set. */
import { z } from "zod";
import { escapeLabel } from "../answering/fence.js";
import { UNREADABLE_SCORE, unitScore, type Judgement } from "../grading/judgement.js";
import type { GradeInput } from "../reasoning/reasoner.js";
import type { Evidence } from "../state/evidence.js";
import { counted } from "../text/words.js";
import { isModelError } from "./model-error.js";
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
import { formOf, type Asking } from "./structured-call.js";

type GradePrompt = PromptInputs["grade"];

/** Endpoints want an object at the top of a schema. */
const SCORES = { name: "relevance_scores", schema: z.object({ scores: z.array(z.number()) }) };
const SCORE = { name: "relevance_score", schema: z.object({ score: z.number() }) };

/** N passages in, N scores out, in order; one of each for `per_document`. */
export function gradeItemsPrompt(input: GradePrompt): Prompt {
  const { judge, evidence } = input;
  const isOne = judge === "per_document";
  return prompt(
    (isOne ? SCORE : SCORES).name,
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

export async function gradeItems(
  input: GradePrompt,
  { ask }: Pick<Asking, "ask">,
): Promise<number[]> {
  const parse = (output: string) => readScores(output, input.evidence.length);
  const form = input.judge === "per_document" ? SCORE : SCORES;
  return ask("grade", { ...form, parse }, gradeItemsPrompt, input);
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
              ({ name, description }) => `- ${name}: ${escapeLabel(firstSentence(description))}`,
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

type SetVerdict = NonNullable<Judgement["set"]>;

async function gradeSet(input: GradePrompt, { ask }: Asking): Promise<SetVerdict> {
  const said = await ask("grade", SET_FORM, gradeSetPrompt, input);
  return {
    score: statedScore(said.relevance_score),
    ...(said.relevance_label !== null && { statedLabel: said.relevance_label }),
    ...(said.confidence !== null && { confidence: unitScore(said.confidence) }),
    reasoning: said.reasoning.slice(0, MAX_REASONING),
  };
}

async function gradeAdequacy(input: GradePrompt, { ask }: Asking): Promise<SetVerdict> {
  const said = await ask("grade", ADEQUACY_FORM, gradeAdequacyPrompt, input);
  const tool = said.tool_needed?.trim() ?? "";
  const hints = said.hints.flatMap((hint) => hint.trim().slice(0, MAX_HINT) || []);
  return {
    score: statedScore(said.score),
    ...(!NO_TOOL.has(tool.toLowerCase()) && {
      toolNeeded: tool.toLowerCase() === "true" ? "any" : tool,
    }),
    hints: hints.slice(0, MAX_HINTS),
    reasoning: said.reasoning.slice(0, MAX_REASONING),
  };
}

function statedScore(said: number): number {
  return unitScores([said])[0] ?? UNREADABLE_SCORE;
}

/** After this many unreadable gradings of a run the embedded judge takes over. */
const MAX_UNREADABLE = 2;

/**
 * Grades as the profile's judge does. A reply that cannot be read counts as 0.5.
 * @param health counts the unreadable replies of the run
 * @returns undefined once there were two of them
 */
export async function grade(
  input: GradeInput,
  asking: Asking,
  health: { gradeFailures: number },
): Promise<Judgement | undefined> {
  const { scope, today } = asking;
  const { judge, evidence } = input;
  const isUnreadable = () => health.gradeFailures >= MAX_UNREADABLE;
  if (isUnreadable()) return undefined;
  /** Asks about some of the evidence; returns undefined if the reply cannot be read. */
  const read = async <T>(
    items: readonly Evidence[],
    by: GradeInput["judge"],
    ask: (asked: GradePrompt, asking: Asking) => Promise<T>,
  ): Promise<T | undefined> => {
    const excerpts = items.map((item) => ({
      ...item,
      text: input.excerpts?.get(item.id) || item.text,
    }));
    const { thresholds } = scope.settings;
    try {
      return await ask({ ...input, judge: by, evidence: excerpts, thresholds, today }, asking);
    } catch (error) {
      if (!isModelError(error) || !["nonsense", "no_room"].includes(error.kind)) throw error;
      health.gradeFailures += 1;
      scope.emit({
        type: "grade_parse_failure",
        judge: by,
        expected: items.length,
        output: error.details.output ?? "",
        failures: health.gradeFailures,
      });
      const those = items.length === 1 ? "item counts" : `${items.length} items count`;
      scope.warn(`The grader's answer could not be read; its ${those} as ${UNREADABLE_SCORE}.`);
      if (isUnreadable())
        scope.warn("The model's grades could not be read twice: the embedded judge takes over.");
      return undefined;
    }
  };
  if (judge === "set" || judge === "adequacy") {
    const verdict = await read(evidence, judge, judge === "set" ? gradeSet : gradeAdequacy);
    if (isUnreadable()) return undefined;
    const set = verdict ?? {
      score: UNREADABLE_SCORE,
      reasoning: "The judge's answer could not be read.",
    };
    return { judge, scores: Object.fromEntries(evidence.map(({ id }) => [id, set.score])), set };
  }
  const { by, batches } = batchesOf(input, asking);
  const scores: Record<string, number> = {};
  const gradeBatch = async (batch: readonly Evidence[]): Promise<void> => {
    const values = await read(batch, by, gradeItems);
    for (const [at, { id }] of batch.entries()) scores[id] = values?.[at] ?? UNREADABLE_SCORE;
  };
  // The first call goes alone, so that the others know which form the endpoint takes.
  for (
    let atOnce = 1;
    batches.length > 0 && !isUnreadable();
    atOnce = scope.settings.gradeConcurrency
  ) {
    const results = await Promise.allSettled(batches.splice(0, atOnce).map(gradeBatch));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
  return isUnreadable() ? undefined : { judge: by, scores };
}

/**
 * Divides the new items into one batch for each call. Each document of the first round gets a call
 * with `per_document`, if the budget allows it; what a correction found is judged together.
 */
function batchesOf({ ungraded, judge }: GradeInput, { scope }: Asking) {
  const { budget, settings } = scope;
  const left = budget.left("modelCalls");
  const wantsEach = judge === "per_document" && ungraded.some(({ round }) => round === 0);
  // One call is kept for the answer.
  const isTooMany = wantsEach && ungraded.length >= left && left > 1;
  if (isTooMany)
    scope.warn(
      `The budget does not allow ${ungraded.length} grading calls: the documents were ` +
        "graded together.",
    );
  const by = wantsEach && !isTooMany ? ("per_document" as const) : ("batch" as const);
  const size = by === "batch" ? settings.gradeBatchSize : 1;
  const starts = [...ungraded.keys()].filter((index) => index % size === 0);
  return { by, batches: starts.map((start) => ungraded.slice(start, start + size)) };
}
