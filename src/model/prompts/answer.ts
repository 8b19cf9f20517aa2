import type { AnswerInput } from "../../reasoning/reasoner.js";
import { CONVERSATION_RULE, conversation } from "./conversation.js";
import type { Prompt } from "./prompt.js";
import { DATA_RULE, prompt } from "./prompt.js";

export const ANSWER_NAME = "answer";
/** An answer is streamed as plain text, so its one bit of form is a line at the start. */
export const UNANSWERABLE = "UNANSWERABLE:";

/** The answer from the evidence. `window.text` is fenced and escaped already. */
export function answerPrompt(
  input: Pick<AnswerInput, "question" | "standaloneQuestion" | "window" | "withdrawn">,
): Prompt {
  const withdrawn = input.withdrawn ?? [];
  return prompt(
    ANSWER_NAME,
    [
      "Answer the question from the sources only, in the question's language, briefly and directly: the answer first, then what is needed to understand it.",
      "After every sentence cite the source that states it by its number, like [1] or [1][2]. Use no other numbers in brackets. No list of sources at the end.",
      "Keep numbers, names, dates and negations exactly as the sources have them. If sources disagree, say so and cite both.",
      `If the sources do not answer the question, write one line and nothing else: ${UNANSWERABLE} what is missing, in one sentence. If they answer part of it, answer that part and say what is missing.`,
      DATA_RULE,
    ],
    [
      input.window.text,
      ...(withdrawn.length > 0
        ? [
            `An earlier draft said the following, which the sources do not support. Do without:\n${withdrawn.map((claim) => `- ${claim}`).join("\n")}`,
          ]
        : []),
      `Question: ${input.standaloneQuestion}`,
      ...(input.question === input.standaloneQuestion
        ? []
        : [`In the user's own words: ${input.question}`]),
    ],
  );
}

export const CHAT_NAME = "chat";

/** Small talk and questions about the conversation. Facts are another path's affair. */
export function chatPrompt(input: Pick<AnswerInput, "question" | "history">): Prompt {
  return prompt(
    CHAT_NAME,
    [
      "You are a corrective RAG agent: you answer questions from the user's documents, check what was found before you use it, and cite it.",
      "Reply to the user's message in one to three sentences, in their language, using the conversation and these words about yourself only.",
      "State no other facts; if the message asks for one, offer to look it up.",
      CONVERSATION_RULE,
    ],
    [
      ...(input.history.length > 0 ? [`Conversation:\n${conversation(input.history)}`] : []),
      `Message: ${input.question}`,
    ],
  );
}
