import { z } from "zod";
import type { Prompt } from "./prompt.js";
import { jsonRule, prompt } from "./prompt.js";

export const WEB_QUERY_NAME = "web_query";
export const WEB_QUERY_SCHEMA = z.object({ query: z.string() });

/** Keywords for a search engine. It sees the question only: what leaves this machine must not carry text of the user's documents. */
export function webQueryPrompt({ question }: { question: string }): Prompt {
  return prompt(
    WEB_QUERY_NAME,
    [
      "Turn the question into a query for a web search engine: at most 8 keywords, names and numbers kept, no operators, no question words.",
      jsonRule('{"query": "…"}'),
    ],
    [`Question: ${question}`],
  );
}
