/**
 * Input and output of the graph, in zod, so that the API server and Studio can show forms.
 *
 * The input carries no refinements, unions, transforms or strict objects: LangGraph rejects those, some only at run time. That a question
 * is there at all is checked by the first node.
 */
import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { CitationSchema, SourceReferenceSchema } from "./answer.js";
import { anything, reportedMessages, type MessagesUpdate } from "./channel.js";
import { DetailsSchema } from "./details.js";
import { OutcomeSchema } from "./verdict.js";

export const InputSchema = z.object({
  question: z
    .string()
    .nullable()
    .default(null)
    .describe("The question. Or send `messages`, whose last one is then the question."),
  messages: reportedMessages(
    anything<MessagesUpdate>()
      .default([])
      .describe(
        "The conversation, in LangChain's or OpenAI's form; the last message is the question.",
      ),
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
  messages: reportedMessages(
    anything<BaseMessage[]>().describe("The conversation with the answer added."),
  ),
});

export type InputValues = z.input<typeof InputSchema>;
export type OutputValues = z.output<typeof OutputSchema>;
