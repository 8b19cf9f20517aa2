/**
 * The one seam for calls whose answer has a form. Endpoints differ in what they can promise, so there is a ladder: a JSON schema
 * (`response_format`), then a function call, then plain JSON. Every prompt says the form in words as well, and every answer, from whichever rung,
 * is read by a parser that repairs. The rung that worked is remembered for the endpoint and model.
 */
import type { AIMessageChunk } from "@langchain/core/messages";
import { z } from "zod";
import { jsonCandidates, withoutThinking } from "../grading/json-candidates.js";
import type { ModelCall } from "./call-model.js";
import { callModel } from "./call-model.js";
import { endpointOf } from "./endpoint.js";
import { ModelError } from "./model-error.js";

const RUNGS = ["json_schema", "function_calling", "plain_json"] as const;
export type Rung = (typeof RUNGS)[number];

/** What was learnt of endpoints: where to begin, and whether an answer could be read there. */
export interface RungMemory {
  get(key: string): { rung: Rung; proven: boolean } | undefined;
  set(key: string, known: { rung: Rung; proven: boolean }): void;
}

export function createRungMemory(): RungMemory {
  return new Map<string, { rung: Rung; proven: boolean }>();
}

export type Parsed<T> = { success: true; value: T } | { success: false; error: string };

/** The form of an answer. */
export interface Form<T> {
  /** What endpoints are told. No optional fields, because strict endpoints refuse them; `nullable` instead. */
  schema: z.ZodType;
  /** Reads what the model said: its text, or the arguments of its function call. */
  parse: (output: string) => Parsed<T>;
}

export interface StructuredCall<T> extends ModelCall, Form<T> {
  /** Name of the form: letters, digits and underscores. */
  name: string;
  memory: RungMemory;
}

/** The usual form: repaired JSON that keeps the schema. */
export function formOf<T>(schema: z.ZodType<T>): Form<T> {
  return { schema, parse: (output) => parseWith(schema, output) };
}

/**
 * @returns the answer and the rung on which it was had
 * @throws ModelError of kind `nonsense` when no rung gave a readable answer, and whatever `callModel` throws
 */
export async function structuredCall<T>(
  call: StructuredCall<T>,
): Promise<{ value: T; rung: Rung }> {
  const endpoint = endpointOf(call.model);
  const known = call.memory.get(endpoint.key);
  let complaint = "it said nothing";
  let output = "";
  for (let index = RUNGS.indexOf(known?.rung ?? "json_schema"); index < RUNGS.length; index += 1) {
    const rung = RUNGS[index] ?? "plain_json";
    if (rung === "function_calling" && !canBindTools(call)) continue;
    let message: AIMessageChunk;
    try {
      message = await callModel({ ...call, ...requestOf(rung, call) });
    } catch (error) {
      const refused =
        error instanceof ModelError &&
        (error.kind === "refused_format" ||
          (error.kind === "other" && error.details.status === 400));
      if (!refused || rung === "plain_json") throw error;
      // The first refusal is not yet knowledge of the next rung, but enough never to try this one again.
      call.memory.set(endpoint.key, { rung: RUNGS[index + 1] ?? "plain_json", proven: false });
      complaint = error.message;
      continue;
    }
    for (const candidate of outputsOf(message)) {
      output = candidate;
      const parsed = call.parse(candidate);
      if (parsed.success) {
        call.memory.set(endpoint.key, { rung, proven: true });
        return { value: parsed.value, rung };
      }
      complaint = parsed.error;
    }
    // An endpoint that has kept the form before merely made a slip; an endpoint not seen before may have ignored the form, so try the next.
    if (call.memory.get(endpoint.key)?.proven === true || rung !== "json_schema") break;
  }
  if (call.memory.get(endpoint.key)?.proven !== true)
    call.memory.set(endpoint.key, { rung: "plain_json", proven: true });
  throw new ModelError(
    "nonsense",
    `${endpoint.label} gave no readable answer to ${call.task}: ${complaint}`,
    {
      output: output.slice(0, 500),
    },
  );
}

/** Repairs and validates; for forms that have no parser of their own. A missing field that may be null is null. */
export function parseWith<T>(schema: z.ZodType<T>, output: string): Parsed<T> {
  const keys = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  let error = output.trim() === "" ? "it said nothing" : "there is no JSON in it";
  for (const candidate of jsonCandidates(output)) {
    const checked = schema.safeParse(completed(candidate, keys));
    if (checked.success) return { success: true, value: checked.data };
    const issue = checked.error.issues[0];
    error =
      issue === undefined
        ? "it has another form"
        : `${issue.path.map(String).join(".")}: ${issue.message}`;
  }
  return { success: false, error };
}

/** Models leave out what is null, and the object round a single list. */
function completed(candidate: unknown, keys: readonly string[]): unknown {
  const [first] = keys;
  if (Array.isArray(candidate) && keys.length === 1 && first !== undefined)
    return { [first]: candidate };
  if (typeof candidate !== "object" || candidate === null || Array.isArray(candidate))
    return candidate;
  return { ...Object.fromEntries(keys.map((key) => [key, null])), ...candidate };
}

/** As `formOf` for a single text; a model that cannot write JSON may also just say it, on one line. */
export function lineFormOf<K extends string>(
  schema: z.ZodType<Record<K, string>>,
  key: K,
): Form<Record<K, string>> {
  const parse = (output: string): Parsed<Record<K, string>> => {
    const parsed = parseWith(schema, output);
    if (parsed.success) return parsed;
    const line = withoutThinking(output)
      .trim()
      .replace(/^["'`]+|["'`]+$/g, "");
    if (line === "" || line.length > 300 || /[\n{}[\]<>]/.test(line)) return parsed;
    const checked = schema.safeParse({ [key]: line });
    return checked.success ? { success: true, value: checked.data } : parsed;
  };
  return { schema, parse };
}

/** What a rung adds to the call. */
function requestOf<T>(rung: Rung, call: StructuredCall<T>): Pick<ModelCall, "options" | "tool"> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(call.schema);
  switch (rung) {
    case "json_schema":
      return {
        options: {
          ...call.options,
          response_format: unparsed({
            type: "json_schema",
            json_schema: { name: call.name, schema, strict: true },
          }),
        },
      };
    case "function_calling":
      return {
        tool: {
          type: "function",
          function: {
            name: call.name,
            description: `Gives the answer to: ${call.task}`,
            parameters: schema,
          },
        },
      };
    case "plain_json":
      return {};
    default:
      return rung satisfies never;
  }
}

/**
 * OpenAI's client parses answers to a JSON schema itself and throws their text away where that fails, although it may be repaired. This property,
 * which is the client's own hook for parsers and is not sent, keeps it from that.
 */
function unparsed<T extends object>(responseFormat: T): T {
  return Object.defineProperty(responseFormat, "$parseRaw", {
    value: () => null,
    enumerable: false,
  });
}

function canBindTools<T>(call: StructuredCall<T>): boolean {
  return typeof call.model.bindTools === "function";
}

/** What can be read of a message, best first: the arguments of its function calls, those that were not valid JSON included, then its text. */
function outputsOf(message: AIMessageChunk): string[] {
  const calls = (message.tool_calls ?? []).map((each) => JSON.stringify(each.args));
  const broken = (message.invalid_tool_calls ?? []).flatMap((each) => each.args ?? []);
  const text = message.text.trim();
  const outputs = [...calls, ...broken, ...(text === "" ? [] : [text])];
  return outputs.length > 0 ? outputs : [""];
}
