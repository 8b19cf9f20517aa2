/** What an agent can be made of. */
import type { Callbacks } from "@langchain/core/callbacks/manager";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { BaseRetrieverInterface } from "@langchain/core/retrievers";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph";
import type { PolicyFilter } from "../answering/guard.js";
import type { Profile } from "../grading/profiles.js";
import type { ChatModel } from "../model/endpoint.js";
import type { Prompts } from "../model/prompt.js";
import type { RecordedEvent } from "../observability/events.js";
import type { Reader } from "../reader/reader.js";
import type { KnowledgeBase, Reranker } from "../retrieval/knowledge-base.js";
import type { Variables } from "../settings/environment.js";
import type { ProfileName } from "../settings/run-settings.js";
import type { SettingsInput } from "../settings/table.js";
import type { WebSearchProvider } from "../web/search-provider.js";

/** A way to search the web: a provider of your own, or a LangChain tool. */
export type WebSource = WebSearchProvider | StructuredToolInterface;

export interface AssembleOptions {
  /**
   * Writes the answers: `"openai:gpt-5-mini"`, any LangChain chat model or a Runnable around one (`withRetry`, `withFallbacks`).
   * By default the settings' model; `"embedded"` for none.
   */
  model?: string | ChatModel;
  /** Judges the evidence; `model` by default. */
  judgeModel?: string | ChatModel;
  /** Your own prompts, or further instructions for ours: see docs/prompts.md. */
  prompts?: Prompts;

  /** A folder with a knowledge base, or a knowledge base. By default the settings' folder, else the demo made of the docs. */
  knowledgeBase?: string | KnowledgeBase;
  /** Any LangChain retriever, in place of a knowledge base. */
  retriever?: BaseRetrieverInterface;
  /** Any LangChain vector store, in place of a knowledge base. */
  vectorStore?: VectorStoreInterface;
  /** Makes the vectors of a knowledge base in a folder: any LangChain embeddings. They must be the ones that it was made with. */
  embeddings?: EmbeddingsInterface;
  /** Reads the evidence; the settings' reader by default. */
  reader?: Reader;
  /** Orders the passages found once more; the settings' reranker by default. */
  reranker?: Reranker;

  /** How evidence is judged: one of ours by name, or a profile of your own with a judge of its own. */
  profile?: ProfileName | Profile;
  /** Withholds sentences: gets one, returns the reason why it must not be said. */
  policy?: PolicyFilter;
  /** What a run may spend. */
  budget?: SettingsInput["budget"];

  /** Your own tools, MCP tools included: their results become evidence. */
  tools?: readonly StructuredToolInterface[];
  /** When the web is searched, or what searches it, tried before the providers of the settings. */
  webSearch?: SettingsInput["webSearch"] | WebSource | readonly WebSource[];

  /** All other settings, as values; they win over the environment. */
  settings?: SettingsInput;
  /** Variables by name, `process.env` for instance. None are read otherwise. */
  environment?: Variables;

  /** Keeps conversations by thread; `false` for use inside another graph. Without one each question stands alone, unless a host brings its own. */
  checkpointer?: BaseCheckpointSaver | false;
  /** Handed on to your tools through LangGraph. */
  store?: BaseStore;
  /** LangChain callbacks of every run. */
  callbacks?: Callbacks;
  /** Told each event, besides the custom stream and the audit log. */
  onEvent?: (event: RecordedEvent) => void;
  /** Milliseconds since the epoch. */
  now?: () => number;
}
