/**
 * Input, output and run-time context of the graph, in zod, so that the API server and Studio can show forms.
 *
 * The input carries no refinements, unions, transforms or strict objects: LangGraph rejects those, some only at run time. That a question
 * is there at all is checked by the first node.
 */
import { z } from "zod";
import { ABLATIONS, PROFILE_NAMES, QUALITIES, RERANK_MODES, SEARCH_MODES, WEB_SEARCH_MODES } from "../config/run-settings.js";
import type { Citation, SourceReference } from "./answer.js";
import type { Details } from "./details.js";
import type { Outcome } from "./verdict.js";

export const InputSchema = z.object({
  question: z.string().nullable().default(null).describe("The question. Or send `messages`, whose last one is then the question."),
  messages: z.array(z.any()).default([]).describe("The conversation, in LangChain's or OpenAI's form; the last message is the question."),
});

export const OutputSchema = z.object({
  answer: z.string().describe("The answer with [n] citations, or an abstention that says why."),
  citations: z.array(z.custom<Citation>()).describe("Each [n] tied to the exact span of evidence that supports its sentence."),
  sources: z.array(z.custom<SourceReference>()).describe("The sources behind the numbers, with path and line, page or URL."),
  outcome: z.custom<Outcome>().describe("status (success, abstained, failed) and the causes behind it."),
  details: z.custom<Details>().nullable().describe("Action, label, scores, evaluation, signals, rule, iterations, web use and usage."),
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

/**
 * The run-time context: settings of one run, or of one assistant in Studio.
 * A field whose default depends on others carries none, so that a form that is sent back unchanged masks nothing.
 */
export function contextSchema(defaults: ContextDefaults) {
  return ContextSchema.extend({
    profile: ContextSchema.shape.profile.default(defaults.profile),
    top_k: ContextSchema.shape.top_k.default(defaults.top_k),
    search_mode: ContextSchema.shape.search_mode.default(defaults.search_mode),
    web_search: ContextSchema.shape.web_search.default(defaults.web_search),
    rerank: ContextSchema.shape.rerank.default(defaults.rerank),
  });
}

export const ContextSchema = z.object({
  profile: z.enum(PROFILE_NAMES).optional().describe("How evidence is judged: adaptive, signals, holistic, adequacy or three_action."),
  quality: z.enum(QUALITIES).optional().describe("quick: 1 correction, cheaper model; balanced: 2; thorough: 4, stronger judge, HyDE, self-consistency."),
  max_iterations: z.number().int().min(0).max(20).optional().describe("Corrections at most; overrides the quality's number."),
  thresholds: z
    .object({
      correct: share().optional().describe("CORRECT from here."),
      incorrect: share().optional().describe("INCORRECT below here."),
      keep: share().optional().describe("Items below this are removed."),
      vector_score: share().optional().describe("Fast path: cosine from which vector hits are approved."),
      auto_approve_max_items: z.number().int().min(0).optional().describe("Fast path: up to so many items are approved."),
    })
    .optional()
    .describe("Cut-offs of the profile; each defaults to the profile's own."),
  top_k: z.number().int().min(1).max(100).optional().describe("Passages per search, and kept after reranking."),
  search_mode: z.enum(SEARCH_MODES).optional().describe("First retrieval strategy; auto takes hybrid where there are vectors."),
  web_search: z.enum(WEB_SEARCH_MODES).optional().describe("auto or on: when the grader asks for it; off: never."),
  web_results: z.number().int().min(1).max(20).optional().describe("Results per web search."),
  web_fetch: z.boolean().optional().describe("Fetch the pages behind web results."),
  key_points: z.boolean().optional().describe("A model writes key points of web text in place of extractive strips."),
  hyde: z.boolean().optional().describe("Search vectors with three hypothetical answers."),
  rerank: z.enum(RERANK_MODES).optional().describe("auto: when a reranker is configured."),
  self_consistency: z.boolean().optional().describe("Two answers; if they disagree, one more round."),
  second_opinion: z.boolean().optional().describe("A model looks at the answer's claims after the model-free check."),
  model: z.string().optional().describe("Model that writes the answer."),
  evaluation_model: z.string().optional().describe("Model that judges the evidence."),
  max_answer_tokens: z.number().int().min(16).max(32_000).optional().describe("Tokens of an answer at most."),
  model_fallback: z.enum(["on", "off"]).optional().describe("off: a failing model fails the run instead of falling back."),
  budget: z
    .object({
      model_calls: z.number().int().min(0).optional(),
      tokens: z.number().int().min(0).optional(),
      seconds: z.number().min(0).optional(),
      web_searches: z.number().int().min(0).optional(),
    })
    .optional()
    .describe("What the run may spend."),
  switched_off: z.array(z.enum(ABLATIONS)).optional().describe("Steps to leave out, for comparisons only."),
});

/** The context as a run is given it: every key may be absent. */
export type ContextValues = z.input<typeof ContextSchema>;
export type InputValues = z.input<typeof InputSchema>;
export type OutputValues = z.output<typeof OutputSchema>;
