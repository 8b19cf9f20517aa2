/**
 * Prompts for what the user reads (answers, small talk, key points of web text), and for the check
 * if two answers agree.
 */
import { z } from "zod";
import { withoutMarkers } from "../answering/citations.js";
import { escapeRetrieved, fenced } from "../answering/fence.js";
import { describeHoldings, type KeyPoint } from "../reasoning/reasoner.js";
import { UNANSWERABLE } from "./answer-filter.js";
import type { Asking } from "./call-model.js";
import {
  CONVERSATION_RULE,
  conversation,
  DATA_RULE,
  jsonRule,
  passages,
  prompt,
  type Prompt,
  type PromptInputs,
} from "./prompt.js";
import { askFor, formOf } from "./structured-call.js";

/** `window.text` is fenced and escaped already. */
export function answerPrompt({
  question,
  standaloneQuestion,
  window,
  withdrawn = [],
  today,
}: PromptInputs["answer"]): Prompt {
  const avoided = withdrawn.map((claim) => `- ${escapeRetrieved(claim)}`).join("\n");
  return prompt(
    "answer",
    [
      "Answer from the sources only, in the question's language, briefly: the answer " +
        "first, then what explains it.",
      "A source is named by its number only: cite after each sentence, like [1] or [1][2]; " +
        "no list of sources.",
      "Keep numbers, names, dates and negations exact. If sources disagree, say so and " +
        "cite both; the latest counts.",
      "If they answer a part, give it and say what is missing. If nothing, write only: " +
        `${UNANSWERABLE} what is missing, in one sentence.`,
      DATA_RULE,
    ],
    [
      window.text,
      avoided &&
        "An earlier draft said the following, which the sources do not support. Do " +
          `without:\n${avoided}`,
      `Today is ${today}.`,
      `Question: ${escapeRetrieved(standaloneQuestion)}`,
      question !== standaloneQuestion && `In the user's own words: ${escapeRetrieved(question)}`,
    ],
  );
}

/** For small talk and questions about the conversation. */
export function chatPrompt({ question, history, today, holdings }: PromptInputs["chat"]): Prompt {
  return prompt(
    "chat",
    [
      "You are a corrective RAG agent: you answer questions from the user's documents, " +
        "check what was found before you use it, and cite it.",
      "Reply to the user's message in one to three sentences, in their language, using the " +
        "conversation, the list of documents and these words about yourself only.",
      "State no other facts; if the message asks for one, offer to look it up.",
      CONVERSATION_RULE,
    ],
    [
      `Today is ${today}.`,
      holdings !== undefined && fenced(0, describeHoldings(holdings), "Your knowledge base"),
      conversation(history),
      `Message: ${escapeRetrieved(question)}`,
    ],
  );
}

const KEY_POINTS = formOf(
  "key_points",
  z.object({ points: z.array(z.object({ text: z.string(), source: z.number() })) }),
);

export function keyPointsPrompt({ question, evidence }: PromptInputs["keyPoints"]): Prompt {
  return prompt(
    KEY_POINTS.name,
    [
      "Take from the sources the points that bear on the question: at most 8, one sentence " +
        "each, in the source's own words, numbers and names unchanged.",
      "Give the number of the source with each. Leave out what does not bear on the " +
        "question. Add nothing.",
      DATA_RULE,
      jsonRule('{"points": [{"text": "…", "source": 1}]}'),
    ],
    [`Question: ${escapeRetrieved(question)}`, passages(evidence)],
  );
}

/** Drops points without an existing source, which cannot be checked. */
export async function keyPoints(
  input: PromptInputs["keyPoints"],
  asking: Asking,
): Promise<KeyPoint[]> {
  if (input.evidence.length === 0) return [];
  const { points } = await askFor(asking, "keyPoints", KEY_POINTS, keyPointsPrompt, input);
  return points.flatMap(({ text, source }) => {
    const evidence = input.evidence[source - 1];
    return evidence === undefined || text.trim() === ""
      ? []
      : [{ text: text.trim(), evidenceId: evidence.id }];
  });
}

const COMPARISON = formOf(
  "comparison",
  z.object({ agree: z.boolean(), difference: z.string().nullable().default(null) }),
);

export function comparePrompt({ question, answers }: PromptInputs["compare"]): Prompt {
  return prompt(
    COMPARISON.name,
    [
      "Two answers were given to one question. Do they agree on what was asked? Other " +
        "wording, order or length is no disagreement;",
      "another number, name, date or verdict is. If they disagree say in one sentence on what.",
      jsonRule('{"agree": true, "difference": null}'),
    ],
    [
      `Question: ${escapeRetrieved(question)}`,
      `First answer: ${escapeRetrieved(answers[0])}`,
      `Second answer: ${escapeRetrieved(answers[1])}`,
    ],
  );
}

export async function compare(
  input: PromptInputs["compare"],
  asking: Asking,
): Promise<{ agree: boolean; difference?: string }> {
  const [first, second] = input.answers.map(withoutMarkers);
  if (first === second) return { agree: true };
  const { agree, difference } = await askFor(asking, "compare", COMPARISON, comparePrompt, input);
  return { agree, ...(!agree && difference !== null && { difference }) };
}
