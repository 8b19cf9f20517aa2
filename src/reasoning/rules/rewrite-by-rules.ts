import { withoutTerminalCommands } from "../../text/terminal-commands.js";
import type { Rewrite, RewriteInput, Turn } from "../reasoner.js";
import { resolveFollowUp } from "./follow-up.js";
import { isSmallTalk, withoutPleasantries } from "./pleasantries.js";

/** Earlier questions that are looked at: a follow-up of a follow-up of a follow-up is rarely about anything older. */
const MAX_EARLIER = 6;

/**
 * Makes the question understood without the conversation and frees it of pleasantries; every other word of the user's stays as it is. Earlier
 * questions may be follow-ups themselves, so that they are resolved first, oldest first. Pure.
 * @example rewriteByRules({question: "And of Germany?", history: [{role: "user", text: "What is the capital of France?"}]}).standaloneQuestion
 * // "What is the capital of Germany?"
 */
export function rewriteByRules({ question, history }: RewriteInput): Rewrite {
  let previous: string | undefined;
  let lastAnswer: string | undefined;
  for (const turn of recent(history)) {
    if (turn.role === "assistant") lastAnswer = turn.text;
    else if (!isSmallTalk(turn.text)) previous = standalone(turn.text, previous, lastAnswer);
  }
  const standaloneQuestion = standalone(question, previous, lastAnswer);
  return { standaloneQuestion, by: standaloneQuestion === question ? "unchanged" : "rule" };
}

function standalone(
  text: string,
  previous: string | undefined,
  lastAnswer: string | undefined,
): string {
  const asked = withoutPleasantries(withoutTerminalCommands(text));
  if (previous === undefined || isSmallTalk(asked)) return asked;
  return resolveFollowUp({ question: asked, previous, lastAnswer }) ?? asked;
}

/** The turns from the first of the last few questions on. */
function recent(history: readonly Turn[]): readonly Turn[] {
  const starts = history.flatMap((turn, position) => (turn.role === "user" ? [position] : []));
  return history.slice(starts.at(-MAX_EARLIER) ?? 0);
}
