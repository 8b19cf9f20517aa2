/** The conversation as the nodes need it: plain turns, and which of them is the question. */
import type { BaseMessage } from "@langchain/core/messages";
import { withoutFloods } from "../text/one-line.js";
import type { Turn } from "../reasoning/reasoner.js";

/** Turns that are looked at; older ones are no help in understanding the question. */
const MAX_TURNS = 20;
/** Characters of one turn. */
const MAX_TURN_LENGTH = 4_000;

/**
 * The question is `question`, else the last message if a person wrote it; undefined when there is
 * none. It is new when it is not among the messages yet.
 */
export function questionAtHand(question: string | null, messages: readonly BaseMessage[]) {
  const last = messages.at(-1);
  const asked = last?.type === "human" ? last.text.trim() : "";
  const text = question?.trim() || asked;
  if (text === "") return undefined;
  const isNew = text !== asked;
  return { text, history: turns(isNew ? messages : messages.slice(0, -1)), isNew };
}

/** What else than text a person sent, by its kind: `image_url`. */
export function attachmentsOf(message: BaseMessage | undefined): string[] {
  if (message?.type !== "human" || typeof message.content === "string") return [];
  return message.content.map(({ type }) => type).filter((type) => type !== "text");
}

/** What was said before the current question, for nodes after the first. */
export function historyBefore(question: string, messages: readonly BaseMessage[]): Turn[] {
  return questionAtHand(question, messages)?.history ?? [];
}

function turns(messages: readonly BaseMessage[]): Turn[] {
  return messages
    .flatMap((message): Turn[] => {
      const text = withoutFloods(message.text.trim()).slice(0, MAX_TURN_LENGTH);
      if (text === "") return [];
      if (message.type === "human") return [{ role: "user", text }];
      return message.type === "ai" ? [{ role: "assistant", text }] : [];
    })
    .slice(-MAX_TURNS);
}
