import type { RunSettings } from "../settings/run-settings.js";
import { requirePackages } from "../support/packages.js";
import { withoutCredentials } from "../support/web-address.js";
import { createEndpointFetch, type ChatModel } from "./endpoint.js";

/** The client demands a key. */
const NO_KEY = "none";

interface ChatModelOptions {
  /** The model's name at the endpoint, or `provider:name`. */
  model: string;
  /** OpenAI's when absent. A name and a password in it are sent unless there is a key. */
  baseUrl?: string;
  /** Local servers mostly want none. */
  apiKey?: string;
  /** Variables with the keys of other providers; by default those of the process. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** For an answer and its thinking. */
  maxTokens?: number;
  /** Per request. */
  timeoutInMs?: number;
  temperature?: number;
}

/**
 * A chat model behind an OpenAI-compatible endpoint (OpenAI, Ollama, vLLM, llama.cpp, LM Studio, a
 * gateway) or of a LangChain provider, whose package is loaded on first use. It never retries on
 * its own, because retries are paid from the run's budget.
 * @example await createChatModel({ model: "qwen3:8b", baseUrl: "http://localhost:11434/v1" })
 * @throws UserError when a package that the provider needs is not installed
 */
export async function createChatModel({
  model,
  baseUrl,
  apiKey,
  environment = {},
  maxTokens,
  timeoutInMs = 60_000,
  temperature = 0,
}: ChatModelOptions): Promise<ChatModel> {
  const named = providerOf(model);
  const limits = {
    maxRetries: 0,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(!isReasoningModel(named?.model ?? model) && { temperature }),
  };
  if (named !== undefined && named.provider !== "openai") {
    requireProvider(model);
    const { initChatModel } = await import("langchain/chat_models/universal");
    const { provider } = named;
    const key =
      environment[`${KEYS_OF[provider] ?? provider}_API_KEY`.toUpperCase().replaceAll("-", "_")];
    return initChatModel(model, { ...limits, ...(key && { apiKey: key }) });
  }
  // `openai:` without a key here is LangChain's way: it reads the process's OPENAI_API_KEY.
  const key = apiKey ?? (named === undefined || baseUrl !== undefined ? NO_KEY : undefined);
  const { ChatOpenAI } = await import("@langchain/openai");
  const { url, authorization } = baseUrl === undefined ? {} : withoutCredentials(baseUrl);
  return new ChatOpenAI({
    ...limits,
    model: named?.model ?? model,
    ...(key !== undefined && { apiKey: key }),
    timeout: timeoutInMs,
    configuration: {
      fetch: createEndpointFetch(),
      logLevel: "off", // What fails is reported in words of ours.
      ...(url && { baseURL: url.href }),
      ...(authorization && apiKey === undefined && { defaultHeaders: { authorization } }),
    },
  });
}

/** OpenAI's reasoning models refuse a temperature; others show it by their first refusal. */
function isReasoningModel(model: string): boolean {
  return /^(?:openai\/)?(?:o\d|gpt-5(?!-chat))/.test(model);
}

export interface ReasonerModels {
  /** Writes answers. */
  answer: ChatModel;
  /** Does everything whose answer has a form: grading, rewriting, planning. */
  grade: ChatModel;
}

export interface ModelSource {
  /** @param request.temperature for the second answer of a self-consistency check */
  get(request: { settings: RunSettings; temperature?: number }): Promise<ReasonerModels>;
  /**
   * Notes that the model thinks before it answers, and returns it with room for that, as `get` will
   * from now on. Undefined if it has that room, or if the caller brought the model.
   */
  withRoom(model: ChatModel): Promise<ChatModel | undefined>;
}

/** For scores, hints and reasons. */
const STRUCTURED_TOKENS = 1500;
/** Added for models that think. */
const THINKING_TOKENS = 4000;

/** Creates the models of one endpoint on first use, by their names in the settings. */
export function createModelSource({
  defaultModel,
  ...endpoint
}: Omit<ChatModelOptions, "model" | "maxTokens" | "temperature"> & {
  defaultModel: string;
}): ModelSource {
  type Description = Pick<ChatModelOptions, "model" | "temperature"> & { maxTokens: number };
  const made = new Map<string, Promise<ChatModel>>();
  const madeFrom = new WeakMap<ChatModel, Description>();
  const thinking = new Set<string>();
  const make = async (description: Description, maxTokens: number): Promise<ChatModel> => {
    const model = await createChatModel({ ...endpoint, ...description, maxTokens });
    madeFrom.set(model, description);
    return model;
  };
  const get = (description: Description): Promise<ChatModel> => {
    const thinks = isReasoningModel(description.model) || thinking.has(description.model);
    const room = description.maxTokens + (thinks ? THINKING_TOKENS : 0);
    const key = JSON.stringify([description, room]);
    const model = made.get(key) ?? make(description, room);
    made.set(key, model);
    return model;
  };
  return {
    async get({ settings, temperature = 0 }) {
      const model = settings.model ?? defaultModel;
      const grader = settings.judgeModel ?? model;
      const [answer, grade] = await Promise.all([
        get({ model, maxTokens: settings.maxAnswerTokens, temperature }),
        get({ model: grader, maxTokens: STRUCTURED_TOKENS, temperature: 0 }),
      ]);
      return { answer, grade };
    },
    async withRoom(model) {
      const description = madeFrom.get(model);
      if (description === undefined) return undefined;
      thinking.add(description.model);
      const roomy = await get(description);
      return roomy === model ? undefined : roomy;
    },
  };
}

/** LangChain's providers, most of them named like their packages. */
const PROVIDERS =
  "openai anthropic azure_openai langsmith cohere google google-vertexai " +
  "google-vertexai-web google-genai ollama mistralai mistral groq bedrock aws deepseek xai " +
  "cerebras fireworks together perplexity";
const PACKAGES: Readonly<Record<string, string>> = {
  azure_openai: "openai",
  langsmith: "openai",
  mistral: "mistralai",
  bedrock: "aws",
  together: "together-ai",
};

/** Their keys are in variables of other names: `GOOGLE_API_KEY`. */
const KEYS_OF: Readonly<Record<string, string>> = {
  "google-genai": "google",
  mistralai: "mistral",
  together: "together_ai",
};

/** A test compares them with LangChain's table. */
export const PROVIDER_PACKAGES: Readonly<Record<string, string>> = Object.fromEntries(
  PROVIDERS.split(" ").map((name) => [name, `@langchain/${PACKAGES[name] ?? name}`]),
);

/**
 * Splits a provider from the model's name; undefined for a plain name, even one with a colon
 * (Ollama's `llama3.1:8b`).
 * @example providerOf("openai:gpt-5-mini") // { provider: "openai", model: "gpt-5-mini" }
 */
export function providerOf(name: string): { provider: string; model: string } | undefined {
  const colon = name.indexOf(":");
  const provider = name.slice(0, Math.max(0, colon));
  return Object.hasOwn(PROVIDER_PACKAGES, provider) && colon < name.length - 1
    ? { provider, model: name.slice(colon + 1) }
    : undefined;
}

/** @throws UserError when a package that the provider needs is not installed */
export function requireProvider(name: string): void {
  const provider = providerOf(name)?.provider;
  if (provider === undefined || provider === "openai") return;
  requirePackages(`the model ${name}`, ["langchain", PROVIDER_PACKAGES[provider] ?? ""]);
}
