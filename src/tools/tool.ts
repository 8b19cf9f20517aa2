/** Tools that a planner can call. Each gives evidence; one that fails gives an error as data. */
import { z } from "zod";
import type { Scope } from "../observability/scope.js";
import type { Evidence } from "../state/evidence.js";
import type { RetrievalStrategy } from "../state/run-record.js";

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
  /** For people: `5 passages`. */
  summary: string;
  cached?: boolean;
}

/** One capability. `run` rejects on failure; `run-tools.ts` turns that into data. */
export interface AgentTool {
  readonly name: string;
  /** For the planner: what it finds and when to use it. */
  readonly description: string;
  /** The strategy to which it belongs; `undefined` for a user's own tools. */
  readonly strategy?: RetrievalStrategy;
  /** True when its arguments leave this machine: no text of evidence may be in them. */
  readonly external: boolean;
  /** JSON schema of the arguments, for planners that are models. */
  readonly parameters: Record<string, unknown>;
  /** In place of the settings' limit. */
  readonly timeoutInMs?: number;
  /** It tells callbacks and tracers of its runs itself, as LangChain's tools do. */
  readonly tracesItself?: boolean;
  run(input: ToolInput): Promise<ToolOutput>;
}

/**
 * Makes a tool whose arguments are checked, and shown to planners, by one schema. A planner may
 * send null for what it leaves out.
 */
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

/** Tools are made for each run, their forms once: these took a tenth of a keyless question. */
const forms = new WeakMap<z.ZodObject, Record<string, unknown>>();

function formOf(schema: z.ZodObject): Record<string, unknown> {
  const known = forms.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
  const form = { ...json, additionalProperties: false };
  forms.set(schema, form);
  return form;
}
