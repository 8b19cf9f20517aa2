/** The agent as a tool of another agent. */
import { tool, type ToolRunnableConfig } from "@langchain/core/tools";
import { z } from "zod";
import { sourcesBelow } from "./state/answer.js";
import { allOf, readFilter } from "./settings/filter.js";
import { UserError } from "./support/errors.js";
import type { CorrectiveRag } from "./corrective-rag.js";
import type { ContextValues } from "./settings/context.js";

/** Tool names that model endpoints accept. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export interface CorrectiveRagToolOptions {
  name?: string;
  /** Tells the calling model what the knowledge base holds and when to ask it. */
  description?: string;
  /** Settings of every call; the host's own context never reaches the run. */
  context?: ContextValues;
}

/**
 * Makes a tool for `createAgent` and other agents: it takes a question and returns the answer with
 * its sources; the artifact holds citations, outcome and details. A host's settings do not reach
 * the run.
 *
 * @throws UserError for a name that model endpoints refuse
 * @example
 * const handbook = correctiveRagTool(agent, { description: "Answers from our handbook." });
 * const host = createAgent({ model, tools: [handbook] });
 */
export function correctiveRagTool(
  agent: CorrectiveRag,
  {
    name = "ask_documents",
    description = "Answers from the user's documents, with checked citations. " +
      "Says so if they hold no answer.",
    context = {},
  }: CorrectiveRagToolOptions = {},
) {
  if (!NAME.test(name))
    throw new UserError(
      `"${name}" is not a valid name for a tool`,
      "use at most 64 letters, digits, _ and -",
    );
  return tool(
    async ({ question, filter }, config: ToolRunnableConfig) => {
      // The caller's filter only narrows what the settings let through.
      const given = [context.filter, filter].filter((each) => (each ?? "") !== "");
      const narrowed = given.length > 0 ? allOf(given.map(readFilter)) : undefined;
      const { answer, citations, sources, outcome, details, warnings } = await agent.ask(question, {
        context: { ...context, ...(narrowed && { filter: { ...narrowed } }) },
        signal: config.signal,
      });
      const artifact = { answer, citations, sources, outcome, details, warnings };
      return [answer + sourcesBelow(sources), artifact];
    },
    {
      name,
      description,
      schema: z.object({
        question: z
          .string()
          .describe("A complete question that can be understood without the conversation."),
        filter: z
          .string()
          .optional()
          .describe(
            'Only if the user restricts the documents: department = "hr" and date >= 2025-01-01. ' +
              "Keys: path, kind, date and those of the documents.",
          ),
      }),
      responseFormat: "content_and_artifact",
    },
  );
}
