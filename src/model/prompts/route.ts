import { z } from "zod";
import type { RouteInput } from "../../reasoning/reasoner.js";
import { CONVERSATION_RULE, conversation } from "./conversation.js";
import type { Prompt } from "./prompt.js";
import { jsonRule, prompt } from "./prompt.js";

export const ROUTE_NAME = "route";
export const ROUTE_SCHEMA = z.object({
  mode: z.enum(["chat", "search"]),
  strategy: z.string().nullable(),
  time_sensitive: z.boolean(),
  reason: z.string(),
});

const STRATEGIES: Record<string, string> = {
  keyword: "keyword: exact words, names, identifiers, numbers",
  vector: "vector: meaning, when the user's words may differ from the text's",
  hybrid: "hybrid: both at once",
  files: "files: the question names a file or asks for an exact place in one",
  web: "web: things of the day, or outside the user's documents",
};

/** Chat or search, and the first strategy. */
export function routePrompt({
  standaloneQuestion,
  history,
  available,
}: Pick<RouteInput, "standaloneQuestion" | "history" | "available">): Prompt {
  return prompt(
    ROUTE_NAME,
    [
      "Decide how to treat the user's message.",
      '"chat" only for greetings, thanks, and questions about this conversation or about you. Everything that states or asks a fact is "search".',
      "For search choose one strategy:",
      ...available.map((strategy) => `- ${STRATEGIES[strategy] ?? strategy}`),
      "time_sensitive is true when the right answer changes from day to day.",
      CONVERSATION_RULE,
      jsonRule('{"mode": "search", "strategy": "keyword", "time_sensitive": false, "reason": "…"}'),
    ],
    [
      ...(history.length > 0 ? [`Conversation:\n${conversation(history)}`] : []),
      `Message: ${standaloneQuestion}`,
    ],
  );
}
