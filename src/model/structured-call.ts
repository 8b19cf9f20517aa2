/**
 * Calls whose answer has a form. Endpoints differ in what they support, so there is a ladder: a
 * JSON schema (`response_format`), then a function call, then plain JSON. Every prompt describes
 * the form as well, every answer is read by a parser that repairs, and the rung that worked is
 * remembered for endpoint and model.
 */
import type { AIMessageChunk } from "@langchain/core/messages";
import { z } from "zod";
import { isRecord } from "../support/json.js";
import { withoutThinking } from "./answer-filter.js";
import { callModel, RUNGS, type Asking, type ModelCall, type Rung } from "./call-model.js";
import { endpointOf } from "./endpoint.js";
import { ModelError, withoutSecrets } from "./model-error.js";
import { withReplacement, type Prompt, type PromptInputs, type PromptName } from "./prompt.js";
import { coerced, jsonCandidates, plainName, type Parsed } from "./read-json.js";

export interface Form<T> {
  /** Letters, digits and underscores. */
  name: string;
  /** Without optional fields, which strict endpoints refuse: `nullable` or a default instead. */
  schema: z.ZodType;
  /** Reads the model's text, or the arguments of its function call. */
  parse: (output: string) => Parsed<T>;
}

export function formOf<T>(name: string, schema: z.ZodType<T>): Form<T> {
  return { name, schema, parse: (output) => parseWith(schema, output) };
}

/** The same form, with another value made of what it says. */
export function mapped<T, U>(form: Form<T>, make: (said: T) => U): Form<U> {
  const parse = (output: string): Parsed<U> => {
    const parsed = form.parse(output);
    return parsed.success ? { success: true, value: make(parsed.value) } : parsed;
  };
  return { ...form, parse };
}

const MAX_LINE = 300;

/** A form with one text, which a model that cannot write JSON may give as a bare line. */
export function lineFormOf(name: string, key: string): Form<string> {
  const schema = z.object({ [key]: z.string() });
  return {
    name,
    schema,
    parse(output) {
      const parsed = parseWith(schema, output);
      if (parsed.success) return { success: true, value: parsed.value[key] ?? "" };
      const line = withoutThinking(output).trim();
      const isLine = line !== "" && line.length <= MAX_LINE && !/[\n{}[\]<>]/.test(line);
      return isLine ? { success: true, value: line.replace(/^["'`]+|["'`]+$/g, "") } : parsed;
    },
  };
}

/**
 * Asks the model that grades.
 * @throws ModelError of kind `nonsense` when no rung gave a readable answer, and whatever
 * `callModel` throws
 */
export async function askFor<Name extends PromptName, T>(
  asking: Asking,
  name: Name,
  form: Form<T>,
  promptOf: (input: PromptInputs[Name]) => Prompt,
  input: PromptInputs[Name],
): Promise<T> {
  const { rungs, source, scope, prompts } = asking;
  const { grade: model } = await source.get({ settings: scope.settings });
  const messages = withReplacement(promptOf(input), input, prompts[name]);
  const task = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const endpoint = endpointOf(model);
  const { key, label } = endpoint;
  const usable = RUNGS.slice(RUNGS.indexOf(rungs.get(key) ?? "json_schema")).filter(
    (rung) => rung !== "function_calling" || typeof model.bindTools === "function",
  );
  let failure = { error: "it said nothing", output: "" };
  for (const rung of usable) {
    let message: AIMessageChunk;
    try {
      message = await callModel({ asking, task, model, messages, ...requestOf(rung, form, task) });
    } catch (error) {
      if (!refuses(error) || rung === "plain_json") throw error;
      continue;
    }
    for (const output of outputsOf(message)) {
      const parsed = form.parse(output);
      if (!parsed.success) {
        failure = { error: parsed.error, output };
        continue;
      }
      // One that gave none is asked for its best again.
      rungs.set(key, rung);
      return parsed.value;
    }
    // A known endpoint merely made a slip; an unknown one may have ignored the schema.
    if (rungs.has(key) || rung !== "json_schema") break;
  }
  throw new ModelError(
    "nonsense",
    `${label} gave no readable answer to ${task}: ${failure.error}`,
    {
      output: withoutSecrets(failure.output, endpoint).slice(0, 500),
    },
  );
}

/** True if the endpoint does not take the request's form. Many say no more than 400. */
export function refuses(error: unknown): boolean {
  if (!(error instanceof ModelError)) return false;
  return (
    error.kind === "refused_format" || (error.kind === "other" && error.details.status === 400)
  );
}

/** Repairs, coerces and validates. */
export function parseWith<T>(schema: z.ZodType<T>, output: string): Parsed<T> {
  const form = jsonSchemaOf(schema);
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  let error = output.trim() === "" ? "it said nothing" : "there is no JSON in it";
  for (const candidate of jsonCandidates(output)) {
    const checked = schema.safeParse(coerced(withNames(candidate, names), form));
    if (checked.success) return { success: true, value: checked.data };
    const issue = checked.error.issues[0];
    const path = issue?.path.map(String).join(".") ?? "";
    error = `${path}: ${issue?.message ?? "it has another form"}`;
  }
  return { success: false, error };
}

/**
 * Renames fields that differ in case or punctuation, or are shorter: "Score" for
 * "relevance_score".
 */
function withNames(value: unknown, names: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  const meant = names.flatMap((name) => {
    const key = Object.keys(value).find(
      (each) => plainName(each) !== "" && plainName(name).endsWith(plainName(each)),
    );
    return key === undefined || name in value ? [] : [[name, value[key]] as const];
  });
  return { ...value, ...Object.fromEntries(meant) };
}

/** Returns the schema as strict endpoints want it: every field required, no defaults. */
export function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => void delete jsonSchema.default,
  });
  return rest;
}

function requestOf(
  rung: Rung,
  { name, schema }: Pick<Form<unknown>, "name" | "schema">,
  task: string,
): Pick<ModelCall, "options" | "tool"> {
  if (rung === "plain_json") return {};
  const parameters = jsonSchemaOf(schema);
  if (rung === "json_schema")
    return { options: { response_format: responseFormat(name, parameters) } };
  const description = `Gives the answer to: ${task}`;
  return { tool: { type: "function", function: { name, description, parameters } } };
}

/**
 * Returns the call option for a schema. OpenAI's client parses such answers itself and discards
 * what it cannot parse, although that may be repairable; `$parseRaw`, its own hook for parsers,
 * which is not sent, prevents this.
 */
export function responseFormat(name: string, schema: Record<string, unknown>): object {
  const format = { type: "json_schema", json_schema: { name, schema, strict: true } };
  return Object.defineProperty(format, "$parseRaw", { value: () => null, enumerable: false });
}

/** The arguments of the function calls, invalid JSON included, then the text. */
function outputsOf(message: AIMessageChunk): string[] {
  const calls = (message.tool_calls ?? []).map((each) => JSON.stringify(each.args));
  const broken = (message.invalid_tool_calls ?? []).flatMap((each) => each.args ?? []);
  const text = message.text.trim();
  return [...calls, ...broken, ...(text === "" ? [] : [text])];
}
