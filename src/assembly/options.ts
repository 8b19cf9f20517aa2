/**
 * The options of an agent, and checks for callers without a compiler. Objects are recognized by
 * their methods, because other versions of LangChain have classes of their own.
 */
import type { Callbacks } from "@langchain/core/callbacks/manager";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { BaseRetrieverInterface } from "@langchain/core/retrievers";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph";
import { z } from "zod";
import type { PolicyFilter } from "../answering/guard.js";
import type { Edges } from "../graph/edges.js";
import type { NodePlaces } from "../graph/graph.js";
import type { Profile } from "../grading/profiles.js";
import type { ChatModel } from "../model/endpoint.js";
import type { PromptName, Prompts } from "../model/prompt.js";
import type { RecordedEvent } from "../observability/events.js";
import { redactText } from "../observability/redact.js";
import type { Reader } from "../reader/reader.js";
import type { Reasoner } from "../reasoning/reasoner.js";
import type { KnowledgeBase, Reranker } from "../retrieval/knowledge-base.js";
import { checkSettings } from "../settings/context.js";
import type { Variables } from "../settings/environment.js";
import { PROFILE_NAMES, WEB_SEARCH_MODES, type ProfileName } from "../settings/run-settings.js";
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

const isText = z.string().trim().min(1);
const isObject = z.custom((value) => typeof value === "object" && value !== null);
const isFunction = z.custom((value) => typeof value === "function");
// Objects only, because strings have methods, too: `search`, for one.
const has = (...names: readonly string[]) =>
  isObject.refine((value) =>
    names.some((name) => typeof Reflect.get(Object(value), name) === "function"),
  );
const isTool = z.custom(
  (value) =>
    has("invoke").safeParse(value).success &&
    isText.safeParse(Reflect.get(Object(value), "name")).success,
);
const isWebSource = z.union([has("search"), isTool]);
const isNodes = z.record(isText, isFunction).optional();
const isChatModel = z.union([isText, has("invoke")]);
const replacement = z.union([isFunction, z.object({ instructions: isText })]).optional();
const prompts = {
  rewrite: replacement,
  route: replacement,
  plan: replacement,
  webQuery: replacement,
  hypothesize: replacement,
  grade: replacement,
  keyPoints: replacement,
  answer: replacement,
  chat: replacement,
  compare: replacement,
  review: replacement,
} satisfies Record<PromptName, z.ZodType>;
/** The fields of a profile that the loop reads. */
const isProfile = z.object({
  name: isText,
  judge: z.union([isText, isFunction]),
  aggregate: isText,
  defaults: isObject,
  correct: isObject,
  incorrect: isObject,
  refine: isObject,
});
const isKnowledgeBase = z.object({
  name: isText,
  modes: z.array(isText),
  search: isFunction,
  documents: isFunction,
  passagesOf: isFunction,
  version: isFunction,
  stats: isFunction,
});
const CHAT_MODEL = `"provider:name" or a LangChain chat model`;

/** A check for each option, and the valid values in words. */
const SHAPES: Readonly<Record<keyof AssembleOptions, readonly [check: z.ZodType, wants: string]>> =
  {
    model: [isChatModel, `${CHAT_MODEL}, or "embedded" for none`],
    judgeModel: [isChatModel.refine((value) => value !== "embedded"), CHAT_MODEL],
    prompts: [
      z.strictObject(prompts),
      `functions or { instructions } by name: ${Object.keys(prompts).join(", ")}`,
    ],
    knowledgeBase: [z.union([isText, isKnowledgeBase]), "a folder's path or a knowledge base"],
    retriever: [has("invoke"), "a LangChain retriever"],
    vectorStore: [
      has("similaritySearchWithScore", "similaritySearchVectorWithScore"),
      "a LangChain vector store",
    ],
    embeddings: [has("embedDocuments"), "LangChain embeddings"],
    reader: [has("relevance"), "a reader, createReader() for instance"],
    reranker: [has("score"), "a reranker with a method score"],
    profile: [
      z.union([z.enum(PROFILE_NAMES), isProfile]),
      `one of ${PROFILE_NAMES.join(", ")}, or a profile like { ...profiles.adaptive, judge: … }`,
    ],
    policy: [isFunction, "a function of a sentence"],
    budget: [isObject, "limits by name, { modelCalls: 6 } for instance"],
    nodes: [
      z.strictObject(
        Object.fromEntries(
          ["afterGrading", "beforeAnswer", "afterGuard"].map((place) => [place, isNodes]),
        ),
      ),
      "nodes by place, { afterGrading: { my_node: ({ state }) => ({ … }) } } for instance",
    ],
    edges: [z.record(isText, isFunction), "decisions by name, { afterGrading: (state) => … }"],
    reasoner: [isObject, "methods of a reasoner"],
    tools: [z.array(isTool), "a list of LangChain tools, each with a name"],
    webSearch: [
      z.union([z.enum(WEB_SEARCH_MODES), isWebSource, z.array(isWebSource)]),
      `${WEB_SEARCH_MODES.join(", ")}, a search provider or a LangChain tool, or a list of them`,
    ],
    settings: [isObject, "settings by name, { topK: 8 } for instance"],
    environment: [isObject, "variables by name"],
    checkpointer: [z.union([z.literal(false), has("getTuple")]), "a checkpointer, or false"],
    store: [has("put"), "a store of LangGraph"],
    callbacks: [isObject, "a list of callback handlers"],
    onEvent: [isFunction, "a function of an event"],
    now: [isFunction, "a function that gives milliseconds"],
  };

/** @throws UserError for an unknown or malformed option, and for two sources of evidence */
export function checkOptions(options: AssembleOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (!isOption(name)) throw unknownOption(name);
    const [check, wants] = SHAPES[name];
    if (value !== undefined && !check.safeParse(value).success)
      throw new UserError(
        `the option ${name} of createCorrectiveRag is ${shown(value)}`,
        `it must be ${wants}`,
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
  checkSettings({ ...options.settings, ...(options.budget && { budget: options.budget }) });
}

function isOption(name: string): name is keyof AssembleOptions {
  return Object.hasOwn(SHAPES, name);
}

function unknownOption(name: string): UserError {
  const meant = nearestName(name, Object.keys(SHAPES));
  let hint = `the options are ${Object.keys(SHAPES).join(", ")}`;
  if (meant !== undefined) hint = `did you mean ${meant}?`;
  if (Object.hasOwn(SETTINGS, name)) hint = `it is a setting: { settings: { ${name}: … } }`;
  return new UserError(`createCorrectiveRag has no option "${name}"`, hint);
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  if (Array.isArray(value)) return "a list of other things";
  return typeof value === "object" && value !== null ? "something else" : String(value);
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
