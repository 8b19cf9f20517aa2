/** Grading by a model: passages in one call or one by one, or the whole set. */
import { z } from "zod";
import { escapeLabel, escapeRetrieved } from "../answering/fence.js";
import { UNREADABLE_SCORE, unitScore, type Judgement } from "../grading/judgement.js";
import type { Scope } from "../observability/scope.js";
import type { GradeInput } from "../reasoning/reasoner.js";
import { counted } from "../text/words.js";
import type { Asking } from "./call-model.js";
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
import { askFor, formOf, type Form } from "./structured-call.js";

type GradePrompt = PromptInputs["grade"];

/** Endpoints want an object at the top of a schema. */
const SCORES = { name: "relevance_scores", schema: z.object({ scores: z.array(z.number()) }) };
const SCORE = { name: "relevance_score", schema: z.object({ score: z.number() }) };

/** N passages in, N scores out, in order; one of each for `per_document`. */
export function gradeItemsPrompt(input: GradePrompt): Prompt {
  const { judge, evidence } = input;
  const { keep, correct } = input.thresholds;
  const isOne = judge === "per_document";
  return prompt(
    (isOne ? SCORE : SCORES).name,
    [
      isOne
        ? "How far does the source help to answer? A score from 0.0 to 1.0."
        : "How far does each source by itself help to answer? " +
          `${counted(evidence.length, "score")} from 0.0 to 1.0, in order.`,
      // One anchor for each range: used from `correct`, discarded below `keep`.
      `Above ${correct}: states the answer or a needed part.`,
      `${keep} to ${correct}: does not state it, but limits or explains it.`,
      `Below ${keep}: no help. Shared words or the same subject are none.`,
      DATA_RULE,
      jsonRule(isOne ? '{"score": 0.0}' : '{"scores": [0.0, …]}'),
    ],
    matter(input),
  );
}

function matter({ today, question, evidence }: GradePrompt): string[] {
  return [`Today is ${today}.`, `Question: ${escapeRetrieved(question)}`, passages(evidence)];
}

const MAX_REASONING = 1_000;
const MAX_HINTS = 8;
const MAX_HINT = 200;
const NO_TOOL = new Set([..."no none null nil false n/a nothing -".split(" "), "not needed", ""]);

/** Not needed for a verdict, so an unreadable one does no harm. */
const reasoning = z.string().catch("");

type SetVerdict = NonNullable<Judgement["set"]>;

const SET_FORM = formOf<SetVerdict>(
  "relevance_verdict",
  z
    .object({
      relevance_score: z.number(),
      // Asked for, so that the score is thought through; the thresholds make the label.
      relevance_label: z.enum(["relevant", "ambiguous", "irrelevant"]).nullable().catch(null),
      confidence: z.number().nullable().catch(null),
      reasoning,
    })
    .transform((said) => ({
      score: statedScore(said.relevance_score),
      ...(said.confidence !== null && { confidence: unitScore(said.confidence) }),
      reasoning: said.reasoning.slice(0, MAX_REASONING),
    })),
);

const ADEQUACY_FORM = formOf<SetVerdict>(
  "adequacy_verdict",
  z
    .object({
      score: z.number(),
      tool_needed: z.string().nullable().catch(null),
      hints: z.array(z.string()).catch([]),
      reasoning,
    })
    .transform((said) => {
      const tool = (said.tool_needed ?? "").trim();
      const hints = said.hints.flatMap((hint) => hint.trim().slice(0, MAX_HINT) || []);
      return {
        score: statedScore(said.score),
        ...(!NO_TOOL.has(tool.toLowerCase()) && { toolNeeded: tool }),
        hints: hints.slice(0, MAX_HINTS),
        reasoning: said.reasoning.slice(0, MAX_REASONING),
      };
    }),
);

function statedScore(said: number): number {
  return unitScores([said])[0] ?? UNREADABLE_SCORE;
}

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

/** Scores of items, or one verdict on all of them. */
type Grades = number[] | SetVerdict;

interface Judge {
  /** @param count of the items that are judged */
  form: (count: number) => Form<Grades>;
  promptOf: (input: GradePrompt) => Prompt;
}

const ofItems = (form: Pick<Form<Grades>, "name" | "schema">): Judge => ({
  form: (count) => ({ ...form, parse: (output) => readScores(output, count) }),
  promptOf: gradeItemsPrompt,
});

export const JUDGES: Readonly<Record<GradeInput["judge"], Judge>> = {
  batch: ofItems(SCORES),
  per_document: ofItems(SCORE),
  set: { form: () => SET_FORM, promptOf: gradeSetPrompt },
  adequacy: { form: () => ADEQUACY_FORM, promptOf: gradeAdequacyPrompt },
};

/** After this many unreadable gradings of a run the embedded judge takes over. */
const MAX_UNREADABLE = 2;

/**
 * Grades as the profile's judge does. A reply that cannot be read counts as 0.5; after two of them
 * the reader judges, as it does where there is nothing to ask about.
 */
export async function grade(
  input: GradeInput,
  asking: Asking,
  byReader: () => Promise<Judgement>,
): Promise<Judgement> {
  const { scope, today, health } = asking;
  const { thresholds, gradeConcurrency } = scope.settings;
  const isUnreadable = () => health.gradeFailures >= MAX_UNREADABLE;
  const { by, batches } = batchesOf(input, scope);
  if (batches.length === 0 || isUnreadable()) return byReader();
  const judge = JUDGES[by];
  const scores: Record<string, number> = {};
  let set: SetVerdict | undefined;
  // The first call goes alone, so that the others know which form the endpoint takes.
  for (let atOnce = 1; batches.length > 0 && !isUnreadable(); atOnce = gradeConcurrency) {
    const asked = batches.splice(0, atOnce);
    const replies = await Promise.allSettled(
      asked.map((items) => {
        const shown = items.map((item) => ({
          ...item,
          text: input.excerpts?.get(item.id) || item.text,
        }));
        const given = { ...input, judge: by, evidence: shown, thresholds, today };
        return askFor(asking, "grade", judge.form(items.length), judge.promptOf, given);
      }),
    );
    for (const [at, items] of asked.entries()) {
      const reply = replies[at];
      if (reply?.status === "rejected") noteUnreadable(reply.reason, by, items.length, asking);
      const said = reply?.status === "fulfilled" ? reply.value : undefined;
      if (!Array.isArray(said)) set = said;
      for (const [place, { id }] of items.entries())
        scores[id] = (Array.isArray(said) ? said[place] : said?.score) ?? UNREADABLE_SCORE;
    }
  }
  if (isUnreadable()) return byReader();
  if (by === "batch" || by === "per_document") return { judge: by, scores };
  set ??= { score: UNREADABLE_SCORE, reasoning: "The judge's answer could not be read." };
  return { judge: by, scores, set };
}

/** Counts and reports a reply that could not be read; rethrows any other failure. */
function noteUnreadable(
  error: unknown,
  judge: GradeInput["judge"],
  expected: number,
  { scope, health }: Asking,
): void {
  if (!isModelError(error) || !["nonsense", "no_room"].includes(error.kind)) throw error;
  health.gradeFailures += 1;
  const { gradeFailures: failures } = health;
  const output = error.details.output ?? "";
  scope.emit({ type: "grade_parse_failure", judge, expected, output, failures });
  const those = expected === 1 ? "item counts" : `${expected} items count`;
  scope.warn(`The grader's answer could not be read; its ${those} as ${UNREADABLE_SCORE}.`);
  if (failures >= MAX_UNREADABLE)
    scope.warn("The model's grades could not be read twice: the embedded judge takes over.");
}

/**
 * Divides what is to be judged into one batch for each call. Each document of the first round gets
 * a call with `per_document`, if the budget allows it; what a correction found is judged together.
 * A set is judged again as soon as it is not empty.
 */
function batchesOf({ ungraded, evidence, judge }: GradeInput, scope: Scope) {
  const { budget, settings } = scope;
  if (judge === "set" || judge === "adequacy")
    return { by: judge, batches: evidence.length === 0 ? [] : [evidence] };
  const left = budget.left("modelCalls");
  const wantsEach = judge === "per_document" && ungraded.some(({ round }) => round === 0);
  // One call is kept for the answer.
  const isTooMany = wantsEach && ungraded.length >= left && left > 1;
  if (isTooMany)
    scope.warn(
      `The budget does not allow ${ungraded.length} grading calls: the documents were ` +
        "graded together.",
    );
  const by = wantsEach && !isTooMany ? "per_document" : "batch";
  const size = by === "batch" ? settings.gradeBatchSize : 1;
  const starts = [...ungraded.keys()].filter((index) => index % size === 0);
  return { by, batches: starts.map((start) => ungraded.slice(start, start + size)) } as const;
}
