/** The prompts for what the user reads: the answer from the evidence, and small talk. */
import { fenced } from "../answering/fence.js";
import type { AnswerInput, Holdings } from "../reasoning/reasoner.js";
import type { Prompt, PromptInputs } from "./prompt.js";
import { CONVERSATION_RULE, conversation, DATA_RULE, prompt } from "./prompt.js";

/** An answer is streamed as plain text, so its one bit of form is a line at the start. */
export const UNANSWERABLE = "UNANSWERABLE:";

/** The answer from the evidence. `window.text` is fenced and escaped already. */
export function answerPrompt({
  question,
  standaloneQuestion,
  window,
  withdrawn = [],
  today,
}: PromptInputs["answer"]): Prompt {
  return prompt(
    "answer",
    [
      "Answer the question from the sources only, in its language, briefly: the answer first, then what is needed to understand it.",
      'A source is named by its number only: after every sentence cite the one that states it, like [1] or [1][2]. No list of sources. "[…]" marks text left out.',
      "Keep numbers, names, dates and negations as they are. If sources disagree, say so and cite both; the latest counts.",
      `If they answer a part, answer that and say what is missing. If they answer nothing, write one line and nothing else: ${UNANSWERABLE} what is missing, in one sentence.`,
      DATA_RULE,
    ],
    [
      window.text,
      ...(withdrawn.length > 0
        ? [
            `An earlier draft said the following, which the sources do not support. Do without:\n${withdrawn.map((claim) => `- ${claim}`).join("\n")}`,
          ]
        : []),
      `Today is ${today}.`,
      `Question: ${standaloneQuestion}`,
      ...(question === standaloneQuestion ? [] : [`In the user's own words: ${question}`]),
    ],
  );
}

/** Small talk and questions about the conversation. Facts are another path's affair. */
export function chatPrompt({ question, history, today, holdings }: PromptInputs["chat"]): Prompt {
  return prompt(
    "chat",
    [
      "You are a corrective RAG agent: you answer questions from the user's documents, check what was found before you use it, and cite it.",
      "Reply to the user's message in one to three sentences, in their language, using the conversation, the list of documents and these words about yourself only.",
      "State no other facts; if the message asks for one, offer to look it up.",
      CONVERSATION_RULE,
    ],
    [
      `Today is ${today}.`,
      ...(holdings === undefined ? [] : [catalogue(holdings)]),
      ...(history.length > 0 ? [`Conversation:\n${conversation(history)}`] : []),
      `Message: ${question}`,
    ],
  );
}

const LISTED = 20;

/** What the knowledge base holds, for questions about it. */
function catalogue({ documents, passages, counted, listed }: Holdings): string {
  const size = counted ? `${documents} documents in ${passages} passages` : "documents, uncounted";
  const lines = listed.slice(0, LISTED).map(({ title, path }) => `${title} (${path})`);
  return `Your knowledge base holds ${size}.\n${fenced(0, lines.join("\n"), "The first of them")}`;
}

/** What the prompt for an answer is written from. */
export function answerPromptInput(input: AnswerInput, today: string): PromptInputs["answer"] {
  const { question, standaloneQuestion, window, withdrawn } = input;
  return { question, standaloneQuestion, window, ...(withdrawn && { withdrawn }), today };
}
