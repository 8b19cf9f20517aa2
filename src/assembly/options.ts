/** The options of an agent, and checks for callers without a compiler. */
import type { Callbacks } from "@langchain/core/callbacks/manager";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { BaseRetrieverInterface } from "@langchain/core/retrievers";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph";
import type { PolicyFilter } from "../answering/guard.js";
import type { Edges } from "../graph/edges.js";
import type { NodePlaces } from "../graph/graph.js";
import type { Profile } from "../grading/profiles.js";
import type { ChatModel } from "../model/endpoint.js";
import type { Prompts } from "../model/prompt.js";
import type { RecordedEvent } from "../observability/events.js";
import { redactText } from "../observability/redact.js";
import type { Reader } from "../reader/reader.js";
import type { Reasoner } from "../reasoning/reasoner.js";
import type { KnowledgeBase, Reranker } from "../retrieval/knowledge-base.js";
import { checkGivenSettings } from "../settings/context.js";
import type { Variables } from "../settings/environment.js";
import type { ProfileName } from "../settings/run-settings.js";
import { SETTINGS, type SettingsInput } from "../settings/table.js";
import { UserError } from "../support/errors.js";
import { nearestName } from "../support/nearest-name.js";
import type { WebSearchProvider } from "../web/search-provider.js";

/** A way to search the web: your own provider, or a LangChain tool. */
export type WebSource = WebSearchProvider | StructuredToolInterface;

export interface AssembleOptions {
  /**
   * Writes the answers: `"openai:gpt-5-mini"`, any LangChain chat model or a Runnable around one
   * (`withRetry`, `withFallbacks`). By default the settings' model; `"embedded"` means none.
   */
  model?: string | ChatModel;
  /** Judges the evidence; by default `model`. */
  judgeModel?: string | ChatModel;
  /** Your own prompts, or extra instructions for ours: see docs/prompts.md. */
  prompts?: Prompts;

  /**
   * A folder with a knowledge base, or a knowledge base. By default the settings' folder, else the
   * demo made of the docs.
   */
  knowledgeBase?: string | KnowledgeBase;
  /** Any LangChain retriever, instead of a knowledge base. */
  retriever?: BaseRetrieverInterface;
  /** Any LangChain vector store, instead of a knowledge base. */
  vectorStore?: VectorStoreInterface;
  /** Any LangChain embeddings for a knowledge base in a folder: those that it was made with. */
  embeddings?: EmbeddingsInterface;
  /** Reads the evidence; by default the settings' reader. */
  reader?: Reader;
  /** Reranks the passages found; by default the settings' reranker. */
  reranker?: Reranker;

  /** Judges the evidence: the name of a profile, or your own profile with its own judge. */
  profile?: ProfileName | Profile;
  /** Withholds a sentence by returning the reason why it must not be said. */
  policy?: PolicyFilter;
  /** Limits of a run. */
  budget?: SettingsInput["budget"];

  /** Nodes of yours, by place: see `NodePlaces`. */
  nodes?: NodePlaces;
  /** Decisions of yours on where a run goes after a node; the others stay as they are. */
  edges?: Partial<Edges>;
  /** Methods that replace those of the reasoner, or a whole reasoner of yours. */
  reasoner?: Partial<Reasoner>;

  /** Your own tools, MCP tools included: their results become evidence. */
  tools?: readonly StructuredToolInterface[];
  /** Sets when the web is searched, or adds providers, tried before those of the settings. */
  webSearch?: SettingsInput["webSearch"] | WebSource | readonly WebSource[];

  /** Settings as values; they win over the environment. */
  settings?: SettingsInput;
  /** Environment variables to read, such as `process.env`; by default none. */
  environment?: Variables;

  /**
   * Keeps conversations by thread; `false` for use inside another graph. Without one each question
   * stands alone, unless the host has its own.
   */
  checkpointer?: BaseCheckpointSaver | false;
  /** Passed on to your tools by LangGraph. */
  store?: BaseStore;
  /** LangChain callbacks of every run. */
  callbacks?: Callbacks;
  /** Receives each event, as do the custom stream and the audit log. */
  onEvent?: (event: RecordedEvent) => void;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/**
 * What each option may be: a type, or an object with a method, since LangChain's classes differ
 * between versions. For callers without a compiler.
 */
const ACCEPTED: Readonly<Record<keyof AssembleOptions, readonly string[]>> = {
  model: ["string", "invoke"],
  judgeModel: ["string", "invoke"],
  prompts: ["object"],
  knowledgeBase: ["string", "stats"],
  retriever: ["invoke"],
  vectorStore: ["similaritySearchWithScore"],
  embeddings: ["embedDocuments"],
  reader: ["relevance"],
  reranker: ["score"],
  profile: ["string", "object"],
  policy: ["function"],
  budget: ["object"],
  nodes: ["object"],
  edges: ["object"],
  reasoner: ["object"],
  tools: ["map"],
  webSearch: ["string", "object"],
  settings: ["object"],
  environment: ["object"],
  checkpointer: ["boolean", "getTuple"],
  store: ["put"],
  callbacks: ["object"],
  onEvent: ["function"],
  now: ["function"],
};

/** @throws UserError for an unknown or malformed option, and for two sources of evidence */
export function checkOptions(options: AssembleOptions): void {
  for (const [name, value] of Object.entries<unknown>({ ...options })) {
    const accepted = Object.entries(ACCEPTED).find(([known]) => known === name)?.[1];
    if (accepted === undefined)
      throw new UserError(`createCorrectiveRag has no option "${name}"`, hintFor(name));
    if (value !== undefined && !accepted.some((kind) => isA(kind, value)))
      throw new UserError(
        `the option ${name} of createCorrectiveRag is not valid`,
        `it takes ${accepted.map(describeKind).join(" or ")}: see docs/code.md`,
      );
  }
  const sources = (["knowledgeBase", "retriever", "vectorStore"] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (sources.length > 1)
    throw new UserError(
      `createCorrectiveRag was given ${sources.join(" and ")}`,
      "pass only one of them",
    );
  const { budget, profile, webSearch, settings } = options;
  checkGivenSettings({
    ...settings,
    ...(budget && { budget }),
    ...(typeof profile === "string" && { profile }),
    ...(typeof webSearch === "string" && { webSearch }),
  });
}

const TYPES = ["string", "object", "function", "boolean"];

function isA(kind: string, value: unknown): boolean {
  if (TYPES.includes(kind)) return typeof value === kind && value !== null && value !== "";
  return typeof Reflect.get(Object(value), kind) === "function";
}

function describeKind(kind: string): string {
  return TYPES.includes(kind) ? kind : `an object with the method ${kind}`;
}

function hintFor(name: string): string {
  if (Object.hasOwn(SETTINGS, name)) return `it is a setting: { settings: { ${name}: … } }`;
  const meant = nearestName(name, Object.keys(ACCEPTED));
  return meant === undefined ? "see docs/code.md" : `did you mean ${meant}?`;
}

/**
 * Builds what the API server loads. The server would print a malformed setting with a stack trace,
 * so there the process prints one line and ends. All other callers get the error.
 */
export function explainMistakes<T>(build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof UserError) || process.env["LANGGRAPH_API_URL"] === undefined)
      throw error;
    process.stderr.write(
      `error: ${redactText(error.message)}${error.hint === undefined ? "" : ` (${error.hint})`}\n`,
    );
    process.exit(error.exitCode);
  }
}
