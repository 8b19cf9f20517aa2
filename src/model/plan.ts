import { z } from "zod";
import { escapeLabel, escapeRetrieved } from "../answering/fence.js";
import { isUserTool, type PlanInput, type ToolDescription } from "../reasoning/reasoner.js";
import { isRecord } from "../support/json.js";
import type { PlannedCall } from "../state/run-record.js";
import { TABLE_TOOL } from "../tools/query-table.js";
import type { Asking } from "./call-model.js";
import type { Prompt, PromptInputs } from "./prompt.js";
import { DATA_RULE, firstSentence, jsonRule, prompt } from "./prompt.js";
import { coerced, jsonCandidates } from "./read-json.js";
import { askFor, formOf } from "./structured-call.js";

const MAX_SHOWN_CALLS = 12;
const MAX_DESCRIPTION = 140;

const FORM = formOf(
  "tool_calls",
  z.object({
    // A JSON text, because strict endpoints want to know every key.
    calls: z.array(z.object({ tool: z.string(), arguments_json: z.string().default("{}") })),
  }),
);

/** Shows the question, earlier calls and, in later rounds, hints; never evidence. */
export function planPrompt(input: PromptInputs["plan"]): Prompt {
  const { standaloneQuestion, tools, history, hints, needed, today } = input;
  const made = history
    .slice(-MAX_SHOWN_CALLS)
    .map((call) => `- ${call.tool} ${escapeRetrieved(JSON.stringify(call.args))}: ${call.status}`)
    .join("\n");
  const missing = hints.map(escapeLabel).join("\n");
  return prompt(
    FORM.name,
    [
      needed === undefined
        ? "Plan the tool calls that find what is needed for an answer: at most 3, each " +
          "with another idea, none when no tool fits. The question itself is searched for " +
          "anyway; never repeat a call that was made."
        : `Call ${needed} as the question needs it. No call when the question lacks what ` +
          "it must be given.",
      "Search for what the answer would say, in the words a text would use. Take arguments " +
        "from the question alone.",
      DATA_RULE,
      jsonRule('{"calls": [{"tool": "name", "arguments_json": "{\\"query\\": \\"…\\"}"}]}'),
    ],
    [
      `Today is ${today}.`,
      `Tools:\n${tools.map((tool) => `- ${escapeRetrieved(describeTool(tool))}`).join("\n")}`,
      made && `Calls made so far:\n${made}`,
      missing && `Still missing:\n<source id="0">\n${missing}\n</source>`,
      `Question: ${escapeRetrieved(standaloneQuestion)}`,
    ],
  );
}

/** Most of the agent's tools by signature; what the model fills in, a user's, by its schema. */
function describeTool(tool: ToolDescription): string {
  if (isUserTool(tool) || tool.name === TABLE_TOOL) {
    const { $schema: _dialect, ...schema } = tool.parameters;
    return `${tool.name}: ${tool.description} Arguments: ${JSON.stringify(schema)}`;
  }
  const { properties = {}, required = [] } = tool.parameters;
  const names = Object.keys(isRecord(properties) ? properties : {}).map((name) =>
    Array.isArray(required) && required.includes(name) ? name : `${name}?`,
  );
  const description = firstSentence(tool.description).slice(0, MAX_DESCRIPTION);
  return `${tool.name}(${names.join(", ")}): ${description}`;
}

/**
 * Adds the model's calls to those of the rules.
 * - In every quality the model fills in the arguments of users' tools: in the first round of those
 *   that fit, later of the one that the judge asked for. It sees the question and nothing else, so
 *   that no word of a document gets into an argument.
 * - In `thorough` it plans searches too. Once it has seen hints, or calls that may be made of
 *   hints, only its local searches are taken.
 *
 * @param byRule makes the rules' plan, whose calls of users' tools are replaced by the model's
 */
export async function plan(
  input: PlanInput,
  asking: Asking,
  byRule: () => Promise<PlannedCall[]>,
): Promise<PlannedCall[]> {
  const { today, scope } = asking;
  const thorough = scope.settings.quality === "thorough";
  const users = input.tools.filter(isUserTool);
  const needed = users.find(({ name }) => name === input.toolNeeded);
  const callable = needed ? [needed] : input.purpose === "first" ? users : [];
  const local = thorough && needed === undefined;
  const tools = local
    ? input.tools.filter((tool) => !isUserTool(tool) || callable.includes(tool))
    : callable;
  const rules = (await byRule()).filter(({ tool }) => !users.some(({ name }) => name === tool));
  if (tools.length === 0) return rules;
  const asked = {
    standaloneQuestion: input.outgoingQuestion,
    tools,
    history: local ? input.history : input.history.filter(({ tool }) => tool === needed?.name),
    hints: local ? input.hints : [],
    ...(needed && { needed: needed.name }),
    today,
  };
  const { calls } = await askFor(asking, "plan", FORM, planPrompt, asked);
  const sawEvidence = asked.hints.length > 0 || (local && input.history.length > 0);
  const planned = calls.flatMap(({ tool, arguments_json: said }): PlannedCall[] => {
    const description = tools.find(({ name }) => name === tool);
    if (description === undefined) return [];
    if (sawEvidence && description.origin !== "documents") return [];
    const args = argumentsOf(said, description.parameters);
    return args === undefined ? [] : [{ tool, args }];
  });
  // The rules come first, so that the question's words are searched, unless the judge asked.
  return needed ? [...planned, ...rules] : [...rules, ...planned];
}

/** Fits the arguments to the tool's schema; undefined if a required one is missing. */
function argumentsOf(
  said: string,
  parameters: ToolDescription["parameters"],
): Record<string, unknown> | undefined {
  const required: unknown[] = Array.isArray(parameters["required"]) ? parameters["required"] : [];
  for (const candidate of jsonCandidates(said)) {
    const args = coerced(candidate, { ...parameters, type: "object" });
    if (isRecord(args) && required.every((name) => (args[String(name)] ?? null) !== null))
      return args;
  }
  return undefined;
}
