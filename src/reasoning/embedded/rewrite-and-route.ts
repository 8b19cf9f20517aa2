/** What is asked, and where to look first, without a model. Pure. */
import { withoutEnding, withoutTerminalCommands } from "../../text/one-line.js";
import type { Rewrite, RewriteInput, Route, RouteInput, Turn } from "../reasoner.js";
import { resolveFollowUp } from "./follow-up.js";
import { anyOf, isSmallTalk, withoutCourtesies, type PhraseKind } from "./phrases.js";
import { mentionedPaths } from "./plan.js";

/** Earlier questions that are looked at. */
const MAX_EARLIER = 6;

/**
 * Makes the question understood without the conversation and frees it of courtesies; every other
 * word of the user's stays. Earlier questions may be follow-ups themselves: the oldest first.
 * @example rewrite({ question: "And of Germany?", history: [{ role: "user", text: "What is the
 *   capital of France?" }] }).standaloneQuestion // "What is the capital of Germany?"
 */
export function rewrite({ question, history }: RewriteInput): Rewrite {
  let previous: string | undefined;
  const asked = history.flatMap(({ role, text }: Turn) => (role === "user" ? [text] : []));
  for (const text of asked.slice(-MAX_EARLIER))
    if (chatKind(text) === undefined) previous = standalone(text, previous);
  const standaloneQuestion = standalone(question, previous);
  return { standaloneQuestion, by: standaloneQuestion === question ? "unchanged" : "rule" };
}

function standalone(text: string, previous: string | undefined): string {
  const asked = withoutCourtesies(withoutTerminalCommands(text));
  if (previous === undefined || chatKind(asked) !== undefined) return asked;
  return resolveFollowUp(asked, previous) ?? asked;
}

const whole = (kind: PhraseKind): RegExp => new RegExp(`^${anyOf(kind)}$`, "iu");
const ABOUT_AGENT = whole("aboutAgent");
const ABOUT_HOLDINGS = whole("aboutHoldings");
const ABOUT_CONVERSATION = whole("aboutConversation");
const TIME_BOUND = new RegExp(
  `(?<![\\p{L}\\p{N}])${anyOf("timeBound")}(?!\\p{L})|今天|今日|昨天|明天|现在|目前|最新|本周|今年`,
  "iu",
);
/** A question about a year that has long passed is not about the day. */
const SETTLED = /\b(?:in|of|during|since|before|until)(?: the)? (?:1\d{3}|200\d|201\d)s?\b/iu;

export type ChatKind = "small talk" | "the agent" | "the documents" | "the conversation";

/** What a message that needs no search is about; undefined for one that does. */
export function chatKind(question: string): ChatKind | undefined {
  if (isSmallTalk(question)) return "small talk";
  const said = withoutEnding(withoutCourtesies(question));
  if (ABOUT_HOLDINGS.test(said)) return "the documents";
  if (ABOUT_AGENT.test(said)) return "the agent";
  return ABOUT_CONVERSATION.test(said) ? "the conversation" : undefined;
}

export function route({ question, standaloneQuestion, available }: RouteInput): Route {
  const chat = chatKind(question);
  if (chat !== undefined) return { mode: "chat", timeSensitive: false, reason: chat };
  const timeSensitive = isTimeSensitive(standaloneQuestion);
  const namesFile = available.includes("files") && mentionedPaths(standaloneQuestion).length > 0;
  const strategy = namesFile
    ? "files"
    : (available.find((each) => each !== "files" && each !== "web") ?? available[0]);
  const reason = namesFile ? "the question names a file" : "a question for the documents";
  return {
    mode: "search",
    ...(strategy && { strategy }),
    timeSensitive,
    reason: timeSensitive ? `${reason}; the answer may change with the day` : reason,
  };
}

/**
 * Does the answer change with the day, so that a knowledge base alone may be out of date?
 * @example isTimeSensitive("What is the latest version of Node.js?") // true
 */
export function isTimeSensitive(question: string): boolean {
  return TIME_BOUND.test(question) && !SETTLED.test(question);
}
