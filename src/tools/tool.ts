/** Tools that a planner can call, ours and the user's. Each returns evidence. */
import type { StructuredToolInterface } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { z } from "zod";
import type { Scope } from "../observability/scope.js";
import type { Evidence, EvidenceSource } from "../state/evidence.js";
import type { ToolHistoryEntry } from "../state/run-record.js";
import type { RetrievalStrategy } from "../state/verdict.js";
import { isRecord } from "../support/json.js";
import { textsOf } from "../support/tool-result.js";
import { counted } from "../text/words.js";
import { evidenceId, makeEvidence } from "./make-evidence.js";

export interface ToolInput {
  args: Record<string, unknown>;
  /** The standalone question. */
  question: string;
  round: number;
  scope: Scope;
  /** Fires at the tool's time limit, and when the run is cancelled. */
  signal: AbortSignal;
}

export interface ToolOutput {
  /** Best first, ungraded. */
  evidence: Evidence[];
  /** For readers: `5 passages`. */
  summary: string;
  listed?: ToolHistoryEntry["listed"];
  cached?: boolean;
}

/** `run` rejects on failure; `run-tools.ts` turns that into data. */
export interface AgentTool {
  readonly name: string;
  /** Tells the planner what the tool finds and when to use it. */
  readonly description: string;
  /** Absent for a user's tools. */
  readonly strategy?: RetrievalStrategy;
  /** Whose it is. Arguments of all but `documents` leave this machine: without text of evidence. */
  readonly origin: "documents" | "web" | "user";
  /** JSON schema of the arguments. */
  readonly parameters: Record<string, unknown>;
  /** Overrides the limit of the settings. */
  readonly timeoutInMs?: number;
  /** True if it reports its runs to callbacks and tracers itself, as LangChain's tools do. */
  readonly tracesItself?: boolean;
  run(input: ToolInput): Promise<ToolOutput>;
}

/** Defines a tool whose arguments are checked by a schema; null counts as absent. */
export function defineTool<Args extends z.ZodObject>({
  args: schema,
  run,
  ...tool
}: Omit<AgentTool, "parameters" | "run"> & {
  args: Args;
  run: (args: z.output<Args>, input: ToolInput) => Promise<ToolOutput>;
}): AgentTool {
  return {
    ...tool,
    parameters: formOf(schema),
    async run(input) {
      const given = Object.entries(input.args).filter(([, value]) => value !== null);
      const parsed = schema.safeParse(Object.fromEntries(given));
      if (parsed.success) return run(parsed.data, input);
      const { path, message } = parsed.error.issues[0] ?? { path: [], message: "?" };
      throw new Error(`${tool.name}: argument ${path.join(".") || "?"} is not valid: ${message}`);
    },
  };
}

/** Tools are created per run, schemas once: they took a tenth of the time of a keyless question. */
const forms = new WeakMap<z.ZodObject, Record<string, unknown>>();

function formOf(schema: z.ZodObject): Record<string, unknown> {
  const known = forms.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
  const form = { ...json, additionalProperties: false };
  forms.set(schema, form);
  return form;
}

const MAX_PIECES = 10;
const MAX_DESCRIPTION_CHARACTERS = 1_000;

/** Wraps a user's LangChain or MCP tool: no text of evidence may be in its arguments. */
export function userTool(tool: StructuredToolInterface): AgentTool {
  const { name } = tool;
  return {
    name,
    description: tool.description.slice(0, MAX_DESCRIPTION_CHARACTERS),
    origin: "user",
    parameters: parametersOf(tool),
    tracesItself: true,
    async run({ args, round, scope, signal }) {
      // Enough for callbacks, tracing and interrupts, without the run's limits and context.
      const { callbacks, tags, metadata, configurable } = scope.config;
      const config = { signal, callbacks, tags, metadata, configurable };
      const result: unknown = await tool.invoke(args, config);
      const texts = textsOf(result).slice(0, MAX_PIECES);
      return {
        evidence: texts.map(({ text, title = name, url }) => {
          const id = evidenceId("tool", name, url ?? "", text);
          const source: EvidenceSource =
            url === undefined ? { kind: "tool", path: name } : { kind: "web", url, provider: name };
          return makeEvidence({ id, text, title, source }, { tool: name, round });
        }),
        summary: counted(texts.length, "result"),
      };
    },
  };
}

/** Returns the JSON schema of the arguments, or an open object if there is none. */
function parametersOf({ schema }: StructuredToolInterface): Record<string, unknown> {
  const open = { type: "object", properties: {} };
  try {
    const json: unknown = toJsonSchema(schema);
    return isRecord(json) ? json : open;
  } catch {
    return open;
  }
}
