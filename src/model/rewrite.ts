import { z } from "zod";
import type { Rewrite, RewriteInput, Turn } from "../reasoning/reasoner.js";
import type { Prompt, PromptInputs } from "./prompt.js";
import { CONVERSATION_RULE, conversation, jsonRule, prompt } from "./prompt.js";
import { lineFormOf, type Asking } from "./structured-call.js";

const FORM = lineFormOf(
  "standalone_question",
  "standalone_question",
  z.object({ standalone_question: z.string() }),
);

/** A question that refers back, made understandable without the conversation. */
export function rewritePrompt({ question, history }: PromptInputs["rewrite"]): Prompt {
  return prompt(
    FORM.name,
    [
      "Rewrite the user's last message as one question that can be understood without the conversation.",
      "Put in what pronouns and ellipses refer to. Drop greetings and thanks. Keep names, numbers, quotations and the language as they are.",
      "Add nothing that the user did not ask. If it already stands alone, repeat it word for word. Do not answer it.",
      CONVERSATION_RULE,
      jsonRule('{"standalone_question": "…"}'),
    ],
    [`Conversation:\n${conversation(history)}`, `Last message: ${question}`],
  );
}

/** Undefined when what the model wrote cannot be used. */
export async function rewrite(input: RewriteInput, { ask }: Asking): Promise<Rewrite | undefined> {
  const value = await ask({
    task: "rewrite",
    name: "rewrite",
    input,
    prompt: rewritePrompt(input),
    form: FORM,
  });
  const standaloneQuestion = value.standalone_question.trim();
  if (!isPlausible({ ...input, rewritten: standaloneQuestion })) return undefined;
  const by = standaloneQuestion === input.question.trim() ? "unchanged" : "model";
  return { standaloneQuestion, by };
}

/** Characters that a rewriting may add to the question: names and things that "it" or "the second one" stood for. */
const MAX_ADDED = 300;
const ADDRESS = /\b(?:https?:\/\/|www\.)\S+|\b[\w.+-]{1,64}@[\w-]{1,64}\.\w+/gi;

/**
 * The conversation that the model saw holds answers, and answers quote documents: a passage may have told the model what to write. The question
 * goes into searches, also of the web, so it must stay a question: not much longer than what was asked, and with no address that the user did not
 * write.
 */
function isPlausible({
  rewritten,
  question,
  history,
}: {
  rewritten: string;
  question: string;
  history: readonly Turn[];
}): boolean {
  if (rewritten === "" || rewritten.length > question.length + MAX_ADDED) return false;
  const turns = history.flatMap(({ role, text }) => (role === "user" ? [text] : []));
  const written = [question, ...turns].join("\n").toLowerCase();
  return [...rewritten.matchAll(ADDRESS)].every(([address]) =>
    written.includes(address.toLowerCase().replace(/[.,;:!?)]+$/, "")),
  );
}
