import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { RunSettings } from "../settings/run-settings.js";
import { createAdaptingFetch } from "./adapting-fetch.js";

export interface ChatModelOptions {
  /** The model's name at the endpoint. */
  model: string;
  /** OpenAI's own when absent. */
  baseUrl?: string;
  /** Local servers mostly want none. */
  apiKey?: string;
  /** Tokens of an answer at most. */
  maxTokens?: number;
  /** Per request. */
  timeoutInMs?: number;
  temperature?: number;
  fetch?: typeof fetch;
}

/**
 * A chat model behind an OpenAI-compatible endpoint: OpenAI, Ollama, vLLM, llama.cpp, LM Studio or a gateway. It never repeats a failed request
 * by itself, because repetitions are paid from the run's budget. Loads `@langchain/openai` on first use.
 * @example await createChatModel({ model: "qwen3:8b", baseUrl: "http://localhost:11434/v1" })
 */
export async function createChatModel(options: ChatModelOptions): Promise<BaseChatModel> {
  const {
    model,
    baseUrl,
    apiKey = "none",
    maxTokens,
    timeoutInMs = 60_000,
    temperature = 0,
  } = options;
  const { ChatOpenAI } = await import("@langchain/openai");
  return new ChatOpenAI({
    model,
    apiKey,
    timeout: timeoutInMs,
    maxRetries: 0,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(isReasoningModel(model) ? {} : { temperature }),
    configuration: {
      fetch: createAdaptingFetch(options.fetch ?? fetch),
      ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    },
  });
}

/** OpenAI's reasoning models refuse a temperature. Others that do are found out by their refusal. */
function isReasoningModel(model: string): boolean {
  return /^(?:openai\/)?(?:o\d|gpt-5(?!-chat))/.test(model);
}

/** The models of one call. */
export interface ReasonerModels {
  /** Writes answers. */
  answer: BaseChatModel;
  /** Everything whose answer has a form: grading, rewriting, planning. */
  grade: BaseChatModel;
}

/** Gives the models for a run's settings; `temperature` is set for the second answer of a self-consistency check. */
export type ModelSource = (wanted: {
  settings: RunSettings;
  temperature?: number;
}) => Promise<ReasonerModels>;

/** Room for scores, hints and reasoning. A thinking model spends part of it on thinking. */
const STRUCTURED_TOKENS = 1500;

/** Models of one endpoint by the names in the settings, made on first use and kept. */
export function createModelSource(
  endpoint: Omit<ChatModelOptions, "model" | "maxTokens" | "temperature"> & {
    defaultModel: string;
  },
): ModelSource {
  const { defaultModel, ...rest } = endpoint;
  const made = new Map<string, Promise<BaseChatModel>>();
  const get = (model: string, maxTokens: number, temperature: number): Promise<BaseChatModel> => {
    const key = JSON.stringify([model, maxTokens, temperature]);
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = createChatModel({ ...rest, model, maxTokens, temperature });
    made.set(key, fresh);
    return fresh;
  };
  return async ({ settings, temperature = 0 }) => {
    const answerModel = settings.answerModel ?? defaultModel;
    const [answer, grade] = await Promise.all([
      get(answerModel, settings.maxAnswerTokens, temperature),
      get(settings.gradeModel ?? answerModel, STRUCTURED_TOKENS, 0),
    ]);
    return { answer, grade };
  };
}
