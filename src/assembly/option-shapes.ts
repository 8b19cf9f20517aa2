/** What each option must look like, by what is called on it: other versions of LangChain bring classes of their own. */
import type { AssembleOptions } from "./options.js";

export interface OptionShape {
  fits: (value: unknown) => boolean;
  /** What would be right. */
  wants: string;
}

const isFunction = (value: unknown): boolean => typeof value === "function";
const withMethod =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    typeof value === "object" &&
    value !== null &&
    names.some((name) => isFunction(Reflect.get(value, name)));
const listOf =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);
const isTool = (value: unknown): boolean =>
  withMethod("invoke")(value) && typeof Reflect.get(Object(value), "name") === "string";

const CHAT_MODEL =
  "a LangChain chat model, new ChatOpenAI({ model: … }) for instance; LLM_MODEL in the environment takes a name";

export const OPTION_SHAPES: Readonly<Record<keyof AssembleOptions, OptionShape>> = {
  settings: {
    fits: (value) => typeof value === "object" && value !== null,
    wants: "settings by name, { topK: 8 } for instance",
  },
  environment: {
    fits: (value) => typeof value === "object" && value !== null,
    wants: "variables by name",
  },
  knowledgeBase: {
    fits: (value) =>
      (typeof value === "string" && value.trim() !== "") || withMethod("search")(value),
    wants: "a folder's path or a knowledge base",
  },
  retriever: { fits: withMethod("invoke"), wants: "a LangChain retriever" },
  vectorStore: {
    fits: withMethod("similaritySearchWithScore", "similaritySearchVectorWithScore"),
    wants: "a LangChain vector store",
  },
  model: {
    fits: (value) => value === "embedded" || withMethod("invoke")(value),
    wants: `${CHAT_MODEL}; "embedded" is none`,
  },
  evaluationModel: { fits: withMethod("invoke"), wants: CHAT_MODEL },
  prompts: {
    fits: (value) => typeof value === "object" && value !== null,
    wants: "prompts by name: functions, or { instructions }",
  },
  tools: { fits: listOf(isTool), wants: "a list of LangChain tools, each with a name" },
  webSearchTool: { fits: isTool, wants: "a LangChain tool" },
  webSearchProviders: { fits: listOf(withMethod("search")), wants: "a list of search providers" },
  reranker: { fits: withMethod("score"), wants: "a reranker with a method score" },
  policy: { fits: isFunction, wants: "a function of a sentence" },
  checkpointer: {
    fits: (value) => value === false || withMethod("getTuple")(value),
    wants: "a checkpointer, or false",
  },
  onEvent: { fits: isFunction, wants: "a function of an event" },
  now: { fits: isFunction, wants: "a function that gives milliseconds" },
};
