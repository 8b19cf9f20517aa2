/**
 * Calls whose answer has a form. Where an endpoint refuses a JSON schema (`response_format`), it is
 * asked without, which is remembered for endpoint and model. Every prompt describes the form as
 * well, and every answer is read by a parser that repairs.
 */
import { z } from "zod";
import { withoutThinking } from "./answer-filter.js";
import { callModel, type Asking } from "./call-model.js";
import { endpointOf } from "./endpoint.js";
import { ModelError, withoutSecrets } from "./model-error.js";
import { withReplacement, type Prompt, type PromptInputs, type PromptName } from "./prompt.js";
import { jsonSchemaOf, parseWith, type Parsed } from "./read-json.js";

export interface Form<T> {
  /** Letters, digits and underscores. */
  name: string;
  /** Without optional fields, which strict endpoints refuse: `nullable` or a default instead. */
  schema: z.ZodType;
  parse: (output: string) => Parsed<T>;
}

/** @param schema a transform of it makes another value of what is said */
export function formOf<T>(name: string, schema: z.ZodType<T>): Form<T> {
  return { name, schema, parse: (output) => parseWith(schema, output) };
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
 * @throws ModelError of kind `nonsense` for an answer that cannot be read, and whatever `callModel`
 * throws
 */
export async function askFor<Name extends PromptName, T>(
  asking: Asking,
  name: Name,
  form: Form<T>,
  promptOf: (input: PromptInputs[Name]) => Prompt,
  input: PromptInputs[Name],
): Promise<T> {
  const { schemas, source, scope, prompts } = asking;
  const { grade: model } = await source.get({ settings: scope.settings });
  const messages = withReplacement(promptOf(input), input, prompts[name]);
  const task = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const endpoint = endpointOf(model);
  const { key, label } = endpoint;
  const takesSchemas = schemas.get(key);
  const call = { asking, task, model, messages };
  const options = { response_format: responseFormat(form.name, jsonSchemaOf(form.schema)) };
  let output = "";
  let error = "";
  for (const asksBySchema of [true, false]) {
    if (asksBySchema && takesSchemas === false) continue;
    try {
      output = (await callModel(asksBySchema ? { ...call, options } : call)).text;
    } catch (refusal) {
      if (!asksBySchema || !refuses(refusal)) throw refusal;
      continue;
    }
    const parsed = form.parse(output);
    if (parsed.success) {
      schemas.set(key, asksBySchema);
      return parsed.value;
    }
    ({ error } = parsed);
    // A known endpoint merely made a slip; an unknown one may have ignored the schema.
    if (takesSchemas !== undefined) break;
  }
  throw new ModelError("nonsense", `${label} gave no readable answer to ${task}: ${error}`, {
    output: withoutSecrets(output, endpoint).slice(0, 500),
  });
}

/** True if the endpoint does not take the request's form. Many say no more than 400. */
export function refuses(error: unknown): boolean {
  if (!(error instanceof ModelError)) return false;
  return (
    error.kind === "refused_format" || (error.kind === "other" && error.details.status === 400)
  );
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
