/**
 * Input, output and run-time context of the graph, in zod, so that the API server and Studio can show forms.
 *
 * The input carries no refinements, unions, transforms or strict objects: LangGraph rejects those, some only at run time. That a question
 * is there at all is checked by the first node.
 */
import { z } from "zod";
import {
  ABLATIONS,
  PROFILE_NAMES,
  QUALITIES,
  RERANK_MODES,
  SEARCH_MODES,
  WEB_SEARCH_MODES,
} from "../settings/run-settings.js";
import { CitationSchema, SourceReferenceSchema } from "./answer.js";
import { DetailsSchema } from "./details.js";
import { OutcomeSchema } from "./verdict.js";

export const InputSchema = z.object({
  question: z
    .string()
    .nullable()
    .default(null)
    .describe("The question. Or send `messages`, whose last one is then the question."),
  messages: z
    .array(z.any())
    .default([])
    .describe(
      "The conversation, in LangChain's or OpenAI's form; the last message is the question.",
    ),
});

export const OutputSchema = z.object({
  answer: z.string().describe("The answer with [n] citations, or an abstention that says why."),
  citations: z
    .array(CitationSchema)
    .describe("Each [n] tied to the exact span of evidence that supports its sentence."),
  sources: z
    .array(SourceReferenceSchema)
    .describe("The sources behind the numbers, with path and line, page or URL."),
  outcome: OutcomeSchema.describe("status (success, abstained, failed) and the causes behind it."),
  details: DetailsSchema.nullable().describe(
    "Action, label, scores, evaluation, signals, rule, iterations, web use and usage.",
  ),
  warnings: z
    .array(z.string())
    .describe("What went wrong or was left out on the way, a line each."),
  messages: z.array(z.any()).describe("The conversation with the answer added."),
});

const share = () => z.number().min(0).max(1);

/** What the environment says where the context is silent; shown as the defaults of the form. */
export interface ContextDefaults {
  profile: (typeof PROFILE_NAMES)[number];
  top_k: number;
  search_mode: (typeof SEARCH_MODES)[number];
  web_search: (typeof WEB_SEARCH_MODES)[number];
  rerank: (typeof RERANK_MODES)[number];
}

export const ContextSchema = z.object({
  profile: z
    .enum(PROFILE_NAMES)
    .optional()
    .describe("How evidence is judged: adaptive, signals, holistic, adequacy or three_action."),
  quality: z
    .enum(QUALITIES)
    .optional()
    .describe(
      "quick: 1 correction, cheaper model; balanced: 2; thorough: 4, stronger judge, HyDE, self-consistency.",
    ),
  max_iterations: z
    .number()
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe("Corrections at most; overrides the quality's number."),
  thresholds: z
    .object({
      correct: share().optional().describe("CORRECT from here."),
      incorrect: share().optional().describe("INCORRECT below here."),
      keep: share().optional().describe("Items below this are removed."),
      vector_score: share()
        .optional()
        .describe("Fast path: cosine from which vector hits are approved."),
      auto_approve_max_items: z
        .number()
        .int()
        .min(0)
        .optional()
        .describe("Fast path: up to so many items are approved."),
    })
    .optional()
    .describe("Cut-offs of the profile; each defaults to the profile's own."),
  top_k: z
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe("Passages per search, and kept after reranking."),
  search_mode: z
    .enum(SEARCH_MODES)
    .optional()
    .describe("First retrieval strategy; auto takes hybrid where there are vectors."),
  web_search: z
    .enum(WEB_SEARCH_MODES)
    .optional()
    .describe("auto or on: when the grader asks for it; off: never."),
  web_results: z.number().int().min(1).max(20).optional().describe("Results per web search."),
  web_fetch: z.boolean().optional().describe("Fetch the pages behind web results."),
  key_points: z
    .boolean()
    .optional()
    .describe("A model writes key points of web text in place of extractive strips."),
  hyde: z.boolean().optional().describe("Search vectors with three hypothetical answers."),
  rerank: z.enum(RERANK_MODES).optional().describe("auto: when a reranker is configured."),
  self_consistency: z
    .boolean()
    .optional()
    .describe("Two answers; if they disagree, one more round."),
  second_opinion: z
    .boolean()
    .optional()
    .describe("A model looks at the answer's claims after the model-free check."),
  model: z.string().optional().describe("Model that writes the answer."),
  evaluation_model: z.string().optional().describe("Model that judges the evidence."),
  max_answer_tokens: z
    .number()
    .int()
    .min(16)
    .max(32_000)
    .optional()
    .describe("Tokens of an answer at most."),
  model_fallback: z
    .enum(["on", "off"])
    .optional()
    .describe("off: a failing model fails the run instead of falling back."),
  budget: z
    .object({
      model_calls: z.number().int().min(0).optional().describe("Calls of a model."),
      tokens: z.number().int().min(0).optional().describe("Tokens in and out."),
      seconds: z.number().min(0).optional().describe("Seconds from the question on."),
      web_searches: z.number().int().min(0).optional().describe("Searches of the web."),
    })
    .optional()
    .describe("What the run may spend."),
  switched_off: z
    .array(z.enum(ABLATIONS))
    .optional()
    .describe("Steps to leave out, for comparisons only."),
});

/**
 * The run-time context: settings of one run, or of one assistant in Studio. What the environment says stands in the form as the default.
 * A field whose default depends on others carries none, so that a form that is sent back unchanged masks nothing. The defaults are for the form
 * only: LangGraph does not fill them in, and neither would they be the caller's own words.
 */
export function contextSchema(defaults: ContextDefaults): typeof ContextSchema {
  const { profile, top_k, search_mode, web_search, rerank } = ContextSchema.shape;
  return ContextSchema.extend({
    profile: profile.meta({ default: defaults.profile }),
    top_k: top_k.meta({ default: defaults.top_k }),
    search_mode: search_mode.meta({ default: defaults.search_mode }),
    web_search: web_search.meta({ default: defaults.web_search }),
    rerank: rerank.meta({ default: defaults.rerank }),
  });
}

/** The context as a run is given it: every key may be absent. */
export type ContextValues = z.input<typeof ContextSchema>;
export type InputValues = z.input<typeof InputSchema>;
export type OutputValues = z.output<typeof OutputSchema>;

/** Every key is there; what was left out is undefined. */
export type RunContext = { [K in keyof Required<ContextValues>]: ContextValues[K] };

/**
 * A context with every key, as the types of `invoke` and `stream` demand it; what is left out stays open.
 * @example await graph.invoke({ question }, { context: runContext({ profile: "signals" }) })
 */
export function runContext(values: ContextValues): RunContext {
  return {
    profile: values.profile,
    quality: values.quality,
    max_iterations: values.max_iterations,
    thresholds: values.thresholds,
    top_k: values.top_k,
    search_mode: values.search_mode,
    web_search: values.web_search,
    web_results: values.web_results,
    web_fetch: values.web_fetch,
    key_points: values.key_points,
    hyde: values.hyde,
    rerank: values.rerank,
    self_consistency: values.self_consistency,
    second_opinion: values.second_opinion,
    model: values.model,
    evaluation_model: values.evaluation_model,
    max_answer_tokens: values.max_answer_tokens,
    model_fallback: values.model_fallback,
    budget: values.budget,
    switched_off: values.switched_off,
  };
}
