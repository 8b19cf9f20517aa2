/**
 * Makes a question standalone, and writes search queries. Nothing here sees evidence.
 */
import { z } from "zod";
import { escapeRetrieved } from "../answering/fence.js";
import { addressesIn } from "../answering/links.js";
import type { Reasoner, Rewrite, RewriteInput } from "../reasoning/reasoner.js";
import { contentTerms } from "../text/analyse.js";
import { oneLine } from "../text/words.js";
import type { Asking } from "./call-model.js";
import {
  conversation,
  CONVERSATION_RULE,
  jsonRule,
  prompt,
  type Prompt,
  type PromptInputs,
} from "./prompt.js";
import { askFor, formOf, lineFormOf } from "./structured-call.js";

const REWRITE = lineFormOf("standalone_question", "standalone_question");

export function rewritePrompt({ question, history }: PromptInputs["rewrite"]): Prompt {
  return prompt(
    REWRITE.name,
    [
      "Rewrite the user's last message as one question that can be understood without the " +
        "conversation.",
      "Put in what pronouns and ellipses refer to. Drop greetings and thanks. Keep names, " +
        "numbers, quotations and the language as they are.",
      "Add nothing that the user did not ask. If it already stands alone, repeat it word " +
        "for word. Do not answer it.",
      CONVERSATION_RULE,
      jsonRule('{"standalone_question": "…"}'),
    ],
    [conversation(history), `Last message: ${escapeRetrieved(question)}`],
  );
}

/** @param byRule rewrites if the model's text cannot be used */
export async function rewrite(
  input: RewriteInput,
  asking: Asking,
  byRule: () => Promise<Rewrite>,
): Promise<Rewrite> {
  const standaloneQuestion = (
    await askFor(asking, "rewrite", REWRITE, rewritePrompt, input)
  ).trim();
  if (!isPlausible(standaloneQuestion, input)) return byRule();
  return {
    standaloneQuestion,
    by: standaloneQuestion === input.question.trim() ? "unchanged" : "model",
  };
}

/** Characters that a rewrite may add: the names that "it" or "the second one" stood for. */
const MAX_ADDED = 300;

/**
 * Guards against injection: the model saw answers, which quote documents, and its question goes to
 * the web. It may not be much longer than the original, nor hold an address that the user did not
 * write.
 */
function isPlausible(rewritten: string, { question, history }: RewriteInput): boolean {
  if (rewritten === "" || rewritten.length > question.length + MAX_ADDED) return false;
  const turns = history.flatMap(({ role, text }) => (role === "user" ? [text] : []));
  const written = [question, ...turns].join("\n").toLowerCase();
  return addressesIn(rewritten).every((address) => written.includes(address.toLowerCase()));
}

const WEB_QUERY = lineFormOf("web_query", "query");
const MAX_CHARACTERS = 200;

export function webQueryPrompt({ question, today }: PromptInputs["webQuery"]): Prompt {
  return prompt(
    WEB_QUERY.name,
    [
      "Turn the question into a web query: at most 8 keywords, names and numbers kept, no " +
        "operators.",
      "Add a date only if it asks for what is current.",
      jsonRule('{"query": "…"}'),
    ],
    [`Today is ${today}.`, `Question: ${escapeRetrieved(question)}`],
  );
}

/** @param byRule asks if the query shares no word with the question, as small models do */
export async function webQuery(
  { question }: Parameters<Reasoner["webQuery"]>[0],
  asking: Asking,
  byRule: () => Promise<string>,
): Promise<string> {
  const { scope, today } = asking;
  if (scope.settings.quality === "quick") return byRule();
  const query = await askFor(asking, "webQuery", WEB_QUERY, webQueryPrompt, { question, today });
  const asked = new Set(contentTerms(question));
  const line = oneLine(query).slice(0, MAX_CHARACTERS);
  return contentTerms(line).some((term) => asked.has(term)) ? line : byRule();
}

const HYPOTHETICAL = formOf("hypothetical_answers", z.object({ answers: z.array(z.string()) }));

/** HyDE: Gao et al., 2022, "Precise Zero-Shot Dense Retrieval without Relevance Labels". */
export function hypothesizePrompt({ question, count }: PromptInputs["hypothesize"]): Prompt {
  return prompt(
    HYPOTHETICAL.name,
    [
      `Write ${count} short passages (2 or 3 sentences each) as they might stand in a ` +
        "document that answers the question, each from another angle.",
      "They are used to search only, so they may be wrong; use the words that such a " +
        "document would use, in the language of the question.",
      jsonRule('{"answers": ["…"]}'),
    ],
    [`Question: ${escapeRetrieved(question)}`],
  );
}

export async function hypothesize(
  input: PromptInputs["hypothesize"],
  asking: Asking,
): Promise<string[]> {
  const { answers } = await askFor(asking, "hypothesize", HYPOTHETICAL, hypothesizePrompt, input);
  return answers.flatMap((answer) => answer.trim() || []).slice(0, input.count);
}
