import { z } from "zod";
import type { Turn } from "../../reasoning/reasoner.js";
import { CONVERSATION_RULE, conversation } from "./conversation.js";
import type { Prompt } from "./prompt.js";
import { jsonRule, prompt } from "./prompt.js";

export const REWRITE_NAME = "standalone_question";
export const REWRITE_SCHEMA = z.object({ standalone_question: z.string() });

/** A question that refers back, made understandable without the conversation. */
export function rewritePrompt({
  question,
  history,
}: {
  question: string;
  history: readonly Turn[];
}): Prompt {
  return prompt(
    REWRITE_NAME,
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
