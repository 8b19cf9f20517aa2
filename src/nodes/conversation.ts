/** Reads the question and the plain turns before it from the messages. */
import type { BaseMessage } from "@langchain/core/messages";
import type { Turn } from "../reasoning/reasoner.js";
import { isNotice } from "../state/permission.js";
import { STOP_WORDS } from "../text/languages.js";
import { RUNS, withoutFloods } from "../text/words.js";

/** Older turns do not help to understand the question. */
const MAX_TURNS = 20;
const MAX_TURN_LENGTH = 4_000;

/**
 * Returns `question`, or else the last message if a person wrote it. It is new if the messages do
 * not contain it yet.
 */
export function questionAtHand(question: string | null, messages: readonly BaseMessage[]) {
  const last = messages.at(-1);
  const asked = last?.type === "human" ? last.text.trim() : "";
  const text = question?.trim() || asked;
  if (text === "") return undefined;
  const isNew = text !== asked;
  return { text, history: turns(isNew ? messages : messages.slice(0, -1)), isNew };
}

/** Returns the types of the parts that are not text, such as `image_url`. */
export function attachmentsOf(message: BaseMessage | undefined): string[] {
  if (message?.type !== "human" || typeof message.content === "string") return [];
  return message.content.map(({ type }) => type).filter((type) => type !== "text");
}

/** Returns the turns before the current question, for nodes after the first. */
export function historyBefore(question: string, messages: readonly BaseMessage[]): Turn[] {
  return questionAtHand(question, messages)?.history ?? [];
}

/**
 * Returns the standalone question as it may leave for the web or a user's tool. Who rewrote a
 * follow-up saw answers, which quote documents: if it holds anything that the user never wrote, the
 * user's last questions take its place.
 */
export function outgoingQuestion(standalone: string, question: string, history: readonly Turn[]) {
  const written = history.flatMap(({ role, text }) => (role === "user" ? [text] : []));
  written.push(question);
  const words = new Set(runsOf(written.join(" ")));
  const isUsersOnly = runsOf(standalone).every((run) => words.has(run) || STOP_WORDS.has(run));
  return isUsersOnly ? standalone : written.slice(-2).join(" ");
}

/** The runs between white space, which also hold signs and what is invisible. */
function runsOf(text: string): string[] {
  const runs = text.toLowerCase().match(RUNS) ?? [];
  return runs.map((run) => run.replace(/^["'“„«(]|[?.!,;:"'”»)]$/gu, ""));
}

function turns(messages: readonly BaseMessage[]): Turn[] {
  return messages
    .flatMap((message): Turn[] => {
      const text = withoutFloods(message.text.trim()).slice(0, MAX_TURN_LENGTH);
      if (text === "" || isNotice(message)) return [];
      if (message.type === "human") return [{ role: "user", text }];
      return message.type === "ai" ? [{ role: "assistant", text }] : [];
    })
    .slice(-MAX_TURNS);
}
