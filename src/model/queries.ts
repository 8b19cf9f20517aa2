/** Words to search with: a web query, and hypothetical documents. Neither sees any evidence. */
import { z } from "zod";
import { contentTerms } from "../text/analyse.js";
import { oneLine } from "../text/one-line.js";
import { jsonRule, prompt, type Prompt, type PromptInputs } from "./prompt.js";
import { formOf, lineFormOf, type Asking } from "./structured-call.js";

const WEB_QUERY = lineFormOf("web_query", "query");
const MAX_CHARACTERS = 200;

export function webQueryPrompt({ question, today }: PromptInputs["webQuery"]): Prompt {
  return prompt(
    WEB_QUERY.name,
    [
      "Turn the question into a query for a web search engine: at most 8 keywords, names and numbers kept, no operators, no question words.",
      "Put in the year or date only where the question asks for what is current.",
      jsonRule('{"query": "…"}'),
    ],
    [`Today is ${today}.`, `Question: ${question}`],
  );
}

/** Undefined when it has no telling word of the question's, as what small models say instead. */
export async function webQuery(
  question: string,
  { ask, today }: Asking,
): Promise<string | undefined> {
  const verb = { name: "webQuery", prompt: webQueryPrompt, form: WEB_QUERY } as const;
  const query = await ask(verb, { question, today });
  const asked = new Set(contentTerms(question));
  const line = oneLine(query).slice(0, MAX_CHARACTERS);
  return contentTerms(line).some((term) => asked.has(term)) ? line : undefined;
}

const HYPOTHETICAL = formOf("hypothetical_answers", z.object({ answers: z.array(z.string()) }));

/** HyDE: Gao et al., 2022, "Precise Zero-Shot Dense Retrieval without Relevance Labels". */
export function hypothesizePrompt({ question, count }: PromptInputs["hypothesize"]): Prompt {
  return prompt(
    HYPOTHETICAL.name,
    [
      `Write ${count} short passages (2 or 3 sentences each) as they might stand in a document that answers the question, each from another angle.`,
      "They are used to search only, so they may be wrong; use the words that such a document would use, in the language of the question.",
      jsonRule('{"answers": ["…"]}'),
    ],
    [`Question: ${question}`],
  );
}

export async function hypothesize(
  input: PromptInputs["hypothesize"],
  { ask }: Asking,
): Promise<string[]> {
  const verb = { name: "hypothesize", prompt: hypothesizePrompt, form: HYPOTHETICAL } as const;
  const { answers } = await ask(verb, input);
  return answers.flatMap((answer) => answer.trim() || []).slice(0, input.count);
}
