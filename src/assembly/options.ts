/** The options of an agent, and checks for callers without a compiler. */
import type { Callbacks } from "@langchain/core/callbacks/manager";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { BaseRetrieverInterface } from "@langchain/core/retrievers";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph";
import { z } from "zod";
import type { PolicyFilter } from "../answering/guard.js";
import { EDGES, type Edges } from "../graph/edges.js";
import type { NodePlaces } from "../graph/graph.js";
import type { Profile } from "../grading/profiles.js";
import type { ChatModel } from "../model/endpoint.js";
import type { PromptName, Prompts } from "../model/prompt.js";
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
import { nearestName } from "../text/spelling.js";
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

const text = z.string().trim().min(1, "it is empty");
const callback = z.custom((value) => typeof value === "function", "it is not a function");
const anObject = z.looseObject({});
/** LangChain's objects, by a method: classes differ between versions. */
const having = (method: string): z.ZodType =>
  z.custom(
    (value) => typeof Reflect.get(Object(value), method) === "function" && Object(value) === value,
    `it has no method ${method}`,
  );
const chatModel = z.union([text, having("invoke")], "it is no name and no LangChain chat model");
const work = z.record(text, callback);
const replacement = z.union(
  [callback, z.object({ instructions: text })],
  "it is no function and no { instructions }",
);

/** Checks callers without a compiler, as far as a mistake would show late; types do the rest. */
const OptionsSchema = z
  .strictObject({
    model: chatModel,
    judgeModel: chatModel,
    prompts: z
      .strictObject({
        rewrite: replacement,
        plan: replacement,
        webQuery: replacement,
        hypothesize: replacement,
        grade: replacement,
        keyPoints: replacement,
        answer: replacement,
        chat: replacement,
        compare: replacement,
      } satisfies Record<PromptName, z.ZodType>)
      .partial(),
    knowledgeBase: z.union([text, having("stats")], "it is no folder and no knowledge base"),
    retriever: having("invoke"),
    vectorStore: having("similaritySearchWithScore"),
    embeddings: having("embedDocuments"),
    reader: having("relevance"),
    reranker: having("score"),
    profile: z.union([text, z.looseObject({ name: text, defaults: anObject })], "it is no profile"),
    policy: callback,
    budget: anObject,
    nodes: z.strictObject({ afterGrading: work, beforeAnswer: work, afterGuard: work }).partial(),
    edges: z
      .strictObject(Object.fromEntries(Object.keys(EDGES).map((name) => [name, callback])))
      .partial(),
    reasoner: anObject,
    tools: z.array(having("invoke")),
    webSearch: z.union([text, anObject, z.array(anObject)]),
    settings: anObject,
    environment: anObject,
    checkpointer: z.union([z.literal(false), having("getTuple")], "it is no checkpointer"),
    store: having("put"),
    callbacks: z.unknown(),
    onEvent: callback,
    now: callback,
  } satisfies Record<keyof AssembleOptions, z.ZodType>)
  .partial();

/** The name for doing without a model. */
export const EMBEDDED = "embedded";

/** Returns the settings that stand among the options. */
export function settingsAmong(options: AssembleOptions): SettingsInput {
  const { model, judgeModel, profile, webSearch, budget } = options;
  return {
    ...(typeof model === "string" && model !== EMBEDDED && { model }),
    ...(typeof judgeModel === "string" && { judgeModel }),
    ...(typeof profile === "string" && { profile }),
    ...(typeof webSearch === "string" && { webSearch }),
    ...(budget && { budget }),
  };
}

/** @throws UserError for an unknown or malformed option, and for two sources of evidence */
export function checkOptions(options: AssembleOptions): void {
  const [issue] = OptionsSchema.safeParse(options).error?.issues ?? [];
  const [unknown] = issue?.code === "unrecognized_keys" ? issue.keys : [];
  if (unknown !== undefined) {
    const name = [...(issue?.path ?? []), unknown].join(".");
    throw new UserError(`createCorrectiveRag has no option "${name}"`, hintFor(name));
  }
  if (issue !== undefined)
    throw new UserError(
      `the option ${issue.path.join(".")} of createCorrectiveRag is not valid: ${issue.message}`,
      "see docs/code.md",
    );
  const sources = (["knowledgeBase", "retriever", "vectorStore"] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (sources.length > 1)
    throw new UserError(
      `createCorrectiveRag was given ${sources.join(" and ")}`,
      "pass only one of them",
    );
  for (const given of [settingsAmong(options), options.settings ?? {}]) checkGivenSettings(given);
}

function hintFor(name: string): string {
  const [first = "", second] = name.split(".");
  if (Object.hasOwn(SETTINGS, name)) return `it is a setting: { settings: { ${name}: … } }`;
  const group = Object.entries(OptionsSchema.shape)
    .find(([key]) => key === first)?.[1]
    .unwrap();
  const schema = second !== undefined && group instanceof z.ZodObject ? group : OptionsSchema;
  const known = Object.keys(schema.shape);
  const meant = nearestName(second ?? first, known);
  return meant === undefined ? `there are ${known.join(", ")}` : `did you mean ${meant}?`;
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
