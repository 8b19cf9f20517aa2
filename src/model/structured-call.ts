/**
 * The seam for calls whose answer has a form. Endpoints differ in what they can promise, so there
 * is a ladder: a JSON schema (`response_format`), then a function call, then plain JSON. Every
 * prompt says the form in words as well, and every answer, from whichever rung, is read by a parser
 * that repairs. The rung that worked is remembered for the endpoint and model.
 */
import type { AIMessageChunk } from "@langchain/core/messages";
import { z } from "zod";
import type { Scope } from "../observability/scope.js";
import { isRecord } from "../support/is-record.js";
import { withoutThinking } from "./answer-filter.js";
import { callModel, type ModelCall } from "./call-model.js";
import { endpointOf } from "./endpoint.js";
import { ModelError, withoutSecrets } from "./model-error.js";
import type { Prompt, PromptInputs, PromptName } from "./prompt.js";
import { coerced, jsonCandidates, plainName, type Parsed } from "./read-json.js";

const RUNGS = ["json_schema", "function_calling", "plain_json"] as const;
type Rung = (typeof RUNGS)[number];

/** What was learned of endpoints: where to begin, and whether an answer could be read there. */
export type RungMemory = Map<string, { rung: Rung; proven: boolean }>;

/** The form of an answer. */
export interface Form<T> {
  /** Letters, digits and underscores. */
  name: string;
  /**
   * What endpoints are told. No optional fields, because strict endpoints refuse them; `nullable`
   * or a default instead.
   */
  schema: z.ZodType;
  /** Reads what the model said: its text, or the arguments of its function call. */
  parse: (output: string) => Parsed<T>;
}

/** The usual form: repaired JSON that keeps the schema. */
export function formOf<T>(name: string, schema: z.ZodType<T>): Form<T> {
  return { name, schema, parse: (output) => parseWith(schema, output) };
}

const MAX_LINE = 300;

/** One text under a key; a model that cannot write JSON may also just say it, on one line. */
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

/** One thing that is asked of a model. */
interface Verb<Name extends PromptName, T> {
  name: Name;
  prompt: (input: PromptInputs[Name]) => Prompt;
  form: Form<T>;
}

/** How a verb is put to the model: our prompt or the caller's, one readable answer back. */
export interface Asking {
  scope: Scope;
  /** A date like 2026-11-22. */
  today: string;
  ask: <Name extends PromptName, T>(verb: Verb<Name, T>, input: PromptInputs[Name]) => Promise<T>;
}

interface StructuredCall<T> extends Omit<ModelCall, "options" | "tool"> {
  form: Form<T>;
  memory: RungMemory;
}

/**
 * @throws ModelError of kind `nonsense` when no rung gave a readable answer, and whatever
 * `callModel` throws
 */
export async function structuredCall<T>(call: StructuredCall<T>): Promise<T> {
  const { memory, model, form, task } = call;
  const endpoint = endpointOf(model);
  const { key, label } = endpoint;
  const usable = RUNGS.slice(RUNGS.indexOf(memory.get(key)?.rung ?? "json_schema")).filter(
    (rung) => rung !== "function_calling" || typeof model.bindTools === "function",
  );
  let failure = { error: "it said nothing", output: "" };
  for (const [index, rung] of usable.entries()) {
    let message: AIMessageChunk;
    try {
      message = await callModel({ ...call, ...requestOf(rung, call) });
    } catch (error) {
      if (!refusesForm(error) || rung === "plain_json") throw error;
      // Not yet knowledge of the next rung, but enough never to try this one again.
      memory.set(key, { rung: usable[index + 1] ?? "plain_json", proven: false });
      continue;
    }
    for (const output of outputsOf(message)) {
      const parsed = form.parse(output);
      if (!parsed.success) {
        failure = { error: parsed.error, output };
        continue;
      }
      memory.set(key, { rung, proven: true });
      return parsed.value;
    }
    // An endpoint that has kept the form before merely made a slip; an endpoint not seen before may
    // have ignored the form, so try the next.
    if (memory.get(key)?.proven === true || rung !== "json_schema") break;
  }
  if (memory.get(key)?.proven !== true) memory.set(key, { rung: "plain_json", proven: true });
  throw new ModelError(
    "nonsense",
    `${label} gave no readable answer to ${task}: ${failure.error}`,
    {
      output: withoutSecrets(failure.output, endpoint).slice(0, 500),
    },
  );
}

/** Many endpoints say no more than 400. */
function refusesForm(error: unknown): boolean {
  if (!(error instanceof ModelError)) return false;
  return (
    error.kind === "refused_format" || (error.kind === "other" && error.details.status === 400)
  );
}

/** Repairs, brings into form and validates; for forms that have no parser of their own. */
export function parseWith<T>(schema: z.ZodType<T>, output: string): Parsed<T> {
  const form = jsonSchemaOf(schema);
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  let error = output.trim() === "" ? "it said nothing" : "there is no JSON in it";
  for (const candidate of jsonCandidates(output)) {
    const checked = schema.safeParse(coerced(withNames(candidate, names), form));
    if (checked.success) return { success: true, value: checked.data };
    const issue = checked.error.issues[0];
    error = `${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? "it has another form"}`;
  }
  return { success: false, error };
}

/**
 * The fields under the names of the form where these are told apart by case, marks or a shorter
 * name only: "Score" for "relevance_score".
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

/** As strict endpoints want it: every field required, no defaults. */
export function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => void delete jsonSchema.default,
  });
  return rest;
}

/** What a rung adds to the call. */
function requestOf<T>(
  rung: Rung,
  { form: { name, schema }, task }: StructuredCall<T>,
): Pick<ModelCall, "options" | "tool"> {
  if (rung === "plain_json") return {};
  const parameters = jsonSchemaOf(schema);
  if (rung === "json_schema")
    return { options: { response_format: responseFormat(name, parameters) } };
  const description = `Gives the answer to: ${task}`;
  return { tool: { type: "function", function: { name, description, parameters } } };
}

/**
 * The call option for an answer that keeps a schema. OpenAI's client parses such answers itself and
 * throws their text away where that fails, although it may be repaired; `$parseRaw`, which is the
 * client's own hook for parsers and is not sent, keeps it from that.
 */
export function responseFormat(name: string, schema: Record<string, unknown>): object {
  const format = { type: "json_schema", json_schema: { name, schema, strict: true } };
  return Object.defineProperty(format, "$parseRaw", { value: () => null, enumerable: false });
}

/**
 * What can be read of a message, best first: the arguments of its function calls, those that were
 * not valid JSON included, then its text.
 */
function outputsOf(message: AIMessageChunk): string[] {
  const calls = (message.tool_calls ?? []).map((each) => JSON.stringify(each.args));
  const broken = (message.invalid_tool_calls ?? []).flatMap((each) => each.args ?? []);
  const text = message.text.trim();
  return [...calls, ...broken, ...(text === "" ? [] : [text])];
}
