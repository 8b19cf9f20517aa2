/** What an agent can be made of. */
import type { BaseRetrieverInterface } from "@langchain/core/retrievers";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import type { PolicyFilter } from "../answering/policy.js";
import type { ChatModel } from "../model/endpoint.js";
import type { Prompts } from "../model/prompt.js";
import type { RecordedEvent } from "../observability/events.js";
import type { KnowledgeBase, Reranker } from "../retrieval/knowledge-base.js";
import type { SettingsInput } from "../settings/table.js";
import type { WebSearchProvider } from "../web/search-provider.js";

export interface AssembleOptions {
  /** Settings as values; they win over the environment. */
  settings?: SettingsInput;
  /** Variables by name, `process.env` for instance. None are read otherwise. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** A folder with a knowledge base, or a knowledge base. By default the environment's, else the demo made of the docs. */
  knowledgeBase?: string | KnowledgeBase;
  /** Any LangChain retriever, in place of a knowledge base. */
  retriever?: BaseRetrieverInterface;
  /** Any LangChain vector store, in place of a knowledge base. */
  vectorStore?: VectorStoreInterface;
  /** Any LangChain chat model, or a Runnable around one (`withRetry`, `withFallbacks`). By default the environment's; `"embedded"` for none. */
  model?: ChatModel | "embedded";
  /** Judges the evidence; `model` by default. */
  evaluationModel?: ChatModel;
  /** Your own prompts, or further instructions for ours: see docs/prompts.md. */
  prompts?: Prompts;
  /** Your own tools, MCP tools included: their results become evidence. */
  tools?: readonly StructuredToolInterface[];
  /** Web search by a LangChain tool, tried before the configured providers. */
  webSearchTool?: StructuredToolInterface;
  /** Search providers of your own, tried before the configured ones. */
  webSearchProviders?: readonly WebSearchProvider[];
  /** Orders the passages found once more. By default the one that `RERANKER` names. */
  reranker?: Reranker;
  /** Withholds sentences: gets one, returns the reason why it must not be said. `CRAG_POLICY_WORDS` by default. */
  policy?: PolicyFilter;
  /** Keeps conversations by thread; `false` for use inside another graph. Without one each question stands alone, unless a host brings its own. */
  checkpointer?: BaseCheckpointSaver | false;
  /** Told each event, besides the custom stream and the audit log. */
  onEvent?: (event: RecordedEvent) => void;
  /** Milliseconds since the epoch. */
  now?: () => number;
}
