/** The ports that the composition root hands to the nodes. */
import type { PolicyFilter } from "../answering/guard.js";
import type { Profile } from "../grading/profiles.js";
import type { CorrectionSteps } from "../grading/loop.js";
import type { ContextForm, ContextValues } from "../settings/context.js";
import type { RecordedEvent } from "../observability/events.js";
import type { Holdings, Reasoner } from "../reasoning/reasoner.js";
import type { Reader } from "../reader/reader.js";
import type { Reranker } from "../retrieval/knowledge-base.js";
import type { RunSettings } from "../settings/run-settings.js";
import type { RetrievalStrategy } from "../state/verdict.js";
import type { AgentTool } from "../tools/tool.js";

/** What the knowledge base, the web and the user's tools offer in one run. */
export interface Toolbox {
  tools: readonly AgentTool[];
  /** The preferred one first. */
  strategies: readonly RetrievalStrategy[];
  /** True if web search is switched on and has a provider. */
  web: boolean;
  /** Web search providers in the order in which they are tried. */
  providers: readonly string[];
  /** Lists the documents; called only for questions about the knowledge base itself. */
  holdings?: () => Promise<Holdings>;
}

/** The services of one run, created when its first node asks and shared by all of them. */
export interface RunScope {
  readonly settings: RunSettings;
  readonly profile: Profile;
  reasoner(): Promise<Reasoner>;
  /** Rejects with `KnowledgeBaseError` if the knowledge base cannot be opened. */
  toolbox(): Promise<Toolbox>;
  /** The same for all runs. */
  reader(): Promise<Reader>;
  /** Undefined unless the settings ask for one. */
  reranker(): Promise<Reranker | undefined>;
}

/** What the nodes work with; `createCorrectiveRag(options).parts` makes it. */
export interface AgentParts {
  /** Throws `UserError` if the context is not valid. */
  openRun(context: ContextValues): RunScope;
  policy?: PolicyFilter;
  /** What does not work as configured, such as an encoder that is missing: warnings of each run. */
  troubles?(): readonly string[];
  /** Writes to the audit log. */
  record(event: RecordedEvent): void;
  /** True if the grader's inputs go into the log, for replay and labeling. */
  recordInputs: boolean;
  /** Not every caller passes through the server's limit. */
  maxQuestionBytes: number;
  now(): number;
  /** Milliseconds from any start, for durations: setting the clock does not move it. */
  ticks(): number;
  /** The form of the run-time context, with this agent's defaults. */
  contextSchema: ContextForm;
  /**
   * Steps of a correction after a node; `buildGraph` counts them on its graph. In a graph of your
   * own: `correctionSteps(graph)`. Without it, a run may reach the caller's limit.
   */
  correctionSteps?(node: string): CorrectionSteps;
}
