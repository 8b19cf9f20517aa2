import { z } from "zod";
import type { Route, RouteInput } from "../reasoning/reasoner.js";
import type { RetrievalStrategy } from "../state/tool-history.js";
import type { Prompt, PromptInputs } from "./prompt.js";
import { CONVERSATION_RULE, conversation, jsonRule, prompt } from "./prompt.js";
import { formOf, type Asking } from "./structured-call.js";

const FORM = formOf(
  "route",
  z.object({
    mode: z.enum(["chat", "search"]),
    strategy: z.string().nullable().default(null),
    time_sensitive: z.boolean().default(false),
    reason: z.string().default(""),
  }),
);

const STRATEGIES: Record<RetrievalStrategy, string> = {
  keyword: "exact words, names, identifiers, numbers",
  vector: "meaning, when the user's words may differ from the text's",
  hybrid: "both words and meaning at once",
  files: "the question names a file or asks for an exact place in one",
  web: "things of the day, or outside the user's documents",
};

/** Chat or search, and the first strategy. */
export function routePrompt({
  standaloneQuestion,
  history,
  available,
  today,
}: PromptInputs["route"]): Prompt {
  const example = available[0] ?? null;
  return prompt(
    FORM.name,
    [
      "Decide how to treat the user's message.",
      '"chat" only for greetings, thanks, and questions about this conversation or about you. Everything that states or asks a fact is "search".',
      "For search choose one strategy:",
      ...available.map((strategy) => `- ${strategy}: ${STRATEGIES[strategy]}`),
      "time_sensitive is true when the right answer changes from day to day.",
      CONVERSATION_RULE,
      jsonRule(
        `{"mode": "search", "strategy": ${JSON.stringify(example)}, "time_sensitive": false, "reason": "…"}`,
      ),
    ],
    [
      `Today is ${today}.`,
      ...(history.length > 0 ? [`Conversation:\n${conversation(history)}`] : []),
      `Message: ${standaloneQuestion}`,
    ],
  );
}

/** @param byRule decides where the model names no strategy that there is */
export async function route(
  input: RouteInput,
  byRule: Route,
  { ask, today }: Asking,
): Promise<Route> {
  const asked = { ...input, today };
  const value = await ask({
    task: "route",
    name: "route",
    input: asked,
    prompt: routePrompt(asked),
    form: FORM,
  });
  const reason = value.reason || byRule.reason;
  if (value.mode === "chat") return { mode: "chat", timeSensitive: false, reason };
  const named = value.strategy?.trim().toLowerCase();
  const strategy = input.available.find((each) => each === named) ?? byRule.strategy;
  return {
    mode: "search",
    ...(strategy === undefined ? {} : { strategy }),
    timeSensitive: value.time_sensitive || byRule.timeSensitive,
    reason,
  };
}
