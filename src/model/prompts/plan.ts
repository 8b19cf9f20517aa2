import { z } from "zod";
import type { PlanInput } from "../../reasoning/reasoner.js";
import type { Prompt } from "./prompt.js";
import { DATA_RULE, jsonRule, prompt } from "./prompt.js";
import { escapeLabel } from "../../answering/fence.js";

export const PLAN_NAME = "tool_calls";
/** Arguments come as a JSON text, because strict endpoints want every object's keys to be known. */
export const PLAN_SCHEMA = z.object({
  calls: z.array(z.object({ tool: z.string(), arguments_json: z.string() })),
  reason: z.string(),
});

/**
 * Tool calls for one round. It sees the question, what was called before and, in later rounds, hints on what is missing; it never sees evidence.
 */
export function planPrompt(input: PlanInput): Prompt {
  return prompt(
    PLAN_NAME,
    [
      "Plan the tool calls that will find the evidence for an answer: at most 3, each with another idea. Never repeat a call that was made.",
      "Search for what the answer would say, in the words a text would use; not for the question's own wording.",
      DATA_RULE,
      jsonRule(
        '{"calls": [{"tool": "name", "arguments_json": "{\\"query\\": \\"…\\"}"}], "reason": "…"}',
      ),
    ],
    [
      `Question: ${input.standaloneQuestion}`,
      `Tools:\n${input.tools.map((tool) => `- ${tool.name}: ${tool.description} Arguments: ${JSON.stringify(tool.parameters)}`).join("\n")}`,
      ...(input.history.length > 0
        ? [
            `Calls made so far:\n${input.history
              .slice(-12)
              .map((call) => `- ${call.tool} ${JSON.stringify(call.args)}: ${call.status}`)
              .join("\n")}`,
          ]
        : []),
      ...(input.hints.length > 0
        ? [`Still missing:\n<source id="0">\n${input.hints.map(escapeLabel).join("\n")}\n</source>`]
        : []),
    ],
  );
}
