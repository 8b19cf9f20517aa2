import { z } from "zod";
import { contentTerms } from "../text/analyse.js";
import type { Prompt, PromptInputs } from "./prompt.js";
import { jsonRule, prompt } from "./prompt.js";
import { lineFormOf, type Asking } from "./structured-call.js";

const FORM = lineFormOf("web_query", "query", z.object({ query: z.string() }));
const MAX_CHARACTERS = 200;

/** Keywords for a search engine. It sees the question only: what leaves this machine must not carry text of the user's documents. */
export function webQueryPrompt({ question, today }: PromptInputs["webQuery"]): Prompt {
  return prompt(
    FORM.name,
    [
      "Turn the question into a query for a web search engine: at most 8 keywords, names and numbers kept, no operators, no question words.",
      "Put in the year or date only where the question asks for what is current.",
      jsonRule('{"query": "…"}'),
    ],
    [`Today is ${today}.`, `Question: ${question}`],
  );
}

/** Undefined when the query has no telling word of the question's: what small models say in place of a query has none. */
export async function webQuery(
  { question }: { question: string },
  { ask, today }: Asking,
): Promise<string | undefined> {
  const input = { question, today };
  const value = await ask({
    task: "web_query",
    name: "webQuery",
    input,
    prompt: webQueryPrompt(input),
    form: FORM,
  });
  const query = value.query.replaceAll(/\s+/g, " ").trim().slice(0, MAX_CHARACTERS);
  const asked = new Set(contentTerms(question));
  return contentTerms(query).some((term) => asked.has(term)) ? query : undefined;
}
