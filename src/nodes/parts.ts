/** What the nodes are given by the composition root: ports, and nothing that knows an adapter. */
import type { PolicyFilter } from "../answering/policy.js";
import type { RunSettings } from "../settings/run-settings.js";
import type { RecordedEvent } from "../observability/events.js";
import type { Holdings, Reasoner } from "../reasoning/reasoner.js";
import type { Reader } from "../reader/reader.js";
import type { Reranker } from "../retrieval/knowledge-base.js";
import type { ContextValues } from "../state/schemas.js";
import type { RetrievalStrategy } from "../state/strategy.js";
import type { AgentTool } from "../tools/tool.js";

/** Everything that the knowledge base and the web offer in one run. */
export interface Toolbox {
  tools: readonly AgentTool[];
  /** Strategies that the tools can serve, the preferred first. */
  strategies: readonly RetrievalStrategy[];
  /** Whether a web search can be made: switched on, and a provider is there. */
  web: boolean;
  /** What the knowledge base holds; read only for questions about it. */
  holdings?: () => Promise<Holdings>;
}

export interface AgentParts {
  /** Settings of one run from its context; throws `UserError` when the context is not valid. */
  settingsFor(context: ContextValues): RunSettings;
  reasonerFor(settings: RunSettings): Promise<Reasoner>;
  /** Reads evidence: relevance, support, vectors. The same for all runs. */
  reader(): Promise<Reader>;
  /** Rejects with `KnowledgeBaseError` when the knowledge base cannot be opened. */
  toolboxFor(settings: RunSettings): Promise<Toolbox>;
  /** The reranker that these settings ask for, if any. */
  rerankerFor(settings: RunSettings): Promise<Reranker | undefined>;
  policy?: PolicyFilter;
  /** The audit log. */
  record(event: RecordedEvent): void;
  flush(): Promise<void>;
  /** Whether what the grader saw goes into the log, for replay and labelling. */
  recordInputs: boolean;
  now(): number;
}
