/** What the nodes are given by the composition root: ports, and nothing that knows an adapter. */
import type { PolicyFilter } from "../answering/guard.js";
import type { Profile } from "../grading/profiles.js";
import type { ContextValues } from "../settings/context.js";
import type { RecordedEvent } from "../observability/events.js";
import type { Holdings, Reasoner } from "../reasoning/reasoner.js";
import type { Reader } from "../reader/reader.js";
import type { Reranker } from "../retrieval/knowledge-base.js";
import type { RunSettings } from "../settings/run-settings.js";
import type { Evidence } from "../state/evidence.js";
import type { RetrievalStrategy } from "../state/run-record.js";
import type { AgentTool } from "../tools/tool.js";

/** Everything that the knowledge base and the web offer in one run. */
export interface Toolbox {
  tools: readonly AgentTool[];
  /** Strategies that the tools can serve, the preferred first. */
  strategies: readonly RetrievalStrategy[];
  /** True when a web search can be made: switched on, and a provider is there. */
  web: boolean;
  /** To whom a web search would go, in the order in which they are tried. */
  providers: readonly string[];
  /** What the knowledge base holds; read only for questions about it. */
  holdings?: () => Promise<Holdings>;
  /** Reads the text of evidence again; undefined for what the knowledge base does not hold. */
  textOf?: (evidence: Evidence) => Promise<string | undefined>;
}

/** What one run works with: settled when its first node asks, and the same for all its nodes. */
export interface RunScope {
  readonly settings: RunSettings;
  readonly profile: Profile;
  reasoner(): Promise<Reasoner>;
  /** Rejects with `KnowledgeBaseError` when the knowledge base cannot be opened. */
  toolbox(): Promise<Toolbox>;
  /** Reads evidence: relevance, support, vectors. The same for all runs. */
  reader(): Promise<Reader>;
  /** The reranker that these settings ask for, if any. */
  reranker(): Promise<Reranker | undefined>;
}

export interface AgentParts {
  /** Settles what a run with this context works with; throws `UserError` when it is not valid. */
  openRun(context: ContextValues): RunScope;
  policy?: PolicyFilter;
  /** The audit log. */
  record(event: RecordedEvent): void;
  /** True when what the grader saw goes into the log, for replay and labelling. */
  recordInputs: boolean;
  /** Bytes of a question at most: not every way to the graph passes the server's gate. */
  maxQuestionBytes: number;
  now(): number;
}
