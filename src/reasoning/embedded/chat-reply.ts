/** Replies without a model, to courtesies and to questions about the agent and the conversation. */
import { oneLine } from "../../text/one-line.js";
import type { AnswerInput, Holdings, Turn } from "../reasoner.js";
import { anyOf } from "./phrases.js";
import type { ChatKind } from "./rewrite-and-route.js";

const ABILITIES =
  "I answer questions about your documents. I search them, judge what I found before I use it, search again or on the web where it is not enough, and cite a source for every statement; where nothing supports an answer I say so.";
const INVITATION = "What would you like to know from your documents?";
const GREETING = new RegExp(`^\\s*${anyOf("greeting")}`, "iu");
const THANKS = new RegExp(anyOf("thanks"), "iu");
const LISTED = 20;
const MAX_CHARACTERS = 300;

export function chatReply(
  kind: ChatKind | undefined,
  { question, history }: Pick<AnswerInput, "question" | "history">,
  holdings?: Holdings,
): string {
  switch (kind) {
    case "the documents":
      return holdings === undefined ? INVITATION : holdingsReply(holdings);
    case "the agent":
      return `I am a corrective RAG agent. ${ABILITIES}`;
    case "the conversation":
      return conversationReply(question, history);
    case "small talk":
      if (THANKS.test(question)) return "You are welcome.";
      return GREETING.test(question) ? `Hello. ${INVITATION}` : INVITATION;
    case undefined:
      return `I did not find a question about your documents in that. ${ABILITIES}`;
    default:
      return kind satisfies never;
  }
}

function conversationReply(question: string, history: readonly Turn[]): string {
  const asked = history.filter(({ role }) => role === "user").map(({ text }) => quoted(text));
  if (/\b(?:say|answer|repeat)/iu.test(question)) {
    const last = history.findLast(({ role }) => role === "assistant");
    return last === undefined ? "I have not said anything yet." : `I said: ${last.text}`;
  }
  if (asked.length === 0) return "This is the beginning of our conversation.";
  if (/\bfirst\b/iu.test(question)) return `Your first question was: ${asked[0] ?? ""}`;
  return `You have asked: ${asked.slice(-10).join("; ")}`;
}

/** How many documents there are, and the first of them by title and path. */
function holdingsReply({ name, documents, passages, counted, listed }: Holdings): string {
  if (!counted)
    return `My knowledge base (${name}) can be searched, but does not list what it holds. ${INVITATION}`;
  if (passages === 0)
    return `My knowledge base (${name}) is empty. Ingest some documents, then ask me about them.`;
  const inPassages = count(passages, "passage");
  const size = documents > 0 ? `${count(documents, "document")} in ${inPassages}` : inPassages;
  // Some stores know passages only.
  if (listed.length === 0) return `My knowledge base (${name}) holds ${size}. ${INVITATION}`;
  const lines = listed.slice(0, LISTED).map(({ title, path }) => {
    const shown = oneLine(title.replace(/\[\d+\]/gu, ""), 100);
    return shown === "" || shown === path ? `- ${path}` : `- ${shown} (${path})`;
  });
  const more = documents - lines.length;
  if (more > 0) lines.push(`- … and ${more} more`);
  return `My knowledge base holds ${size}:\n${lines.join("\n")}\n\n${INVITATION}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function quoted(text: string): string {
  return `“${oneLine(text, MAX_CHARACTERS)}”`;
}
