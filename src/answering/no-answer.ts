/** Tells text of a model that is meant for a program: tool calls, raw JSON, channels of thinking. */
import { withoutMarkers } from "./citations.js";

/** Chat templates' signs, and the tags that models write round tool calls. */
const FOR_PROGRAMS =
  /<\|[a-z_]{2,30}\|?>|<\/?(?:tool_call|tool_calls|function_call|invoke|function=)[\s>\w]|\[TOOL_CALLS\]/iu;

/** @example isNoAnswer('<tool_call>{"name": "search"}</tool_call>') // true */
export function isNoAnswer(answer: string): boolean {
  const isQuoted = /```|`/u.test(answer);
  if (FOR_PROGRAMS.test(answer) && !isQuoted) return true;
  const bare = withoutMarkers(answer).replace(/^```(?:json)?\s*|\s*```$/gu, "");
  if (!/^[[{]/u.test(bare)) return false;
  try {
    return typeof JSON.parse(bare) === "object" && !isQuoted;
  } catch {
    return false;
  }
}
