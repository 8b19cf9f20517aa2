/** What the planner can call. Every tool gives evidence; a tool that fails gives an error as data. */
import type { Evidence } from "../state/evidence.js";
import type { RetrievalStrategy } from "../state/tool-history.js";
import type { PlannedCall } from "../state/tool-history.js";
import type { Scope } from "../observability/scope.js";

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
  /** What it did, for people, e.g. `5 passages`. */
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
  /** True when its arguments leave this machine: then no text that came from evidence may be in them. */
  readonly external: boolean;
  /** JSON schema of the arguments, for planners that are models. */
  readonly parameters: Record<string, unknown>;
  readonly timeoutInMs: number;
  /** It tells callbacks and tracers of its runs itself, as LangChain's tools do. */
  readonly tracesItself?: boolean;
  run(input: ToolInput): Promise<ToolOutput>;
}

export type { PlannedCall, RetrievalStrategy };
