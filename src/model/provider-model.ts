/** Models named with their provider, `anthropic:claude-sonnet-4-5`, through LangChain's `initChatModel`. */
import { createRequire } from "node:module";
import { UserError } from "../support/errors.js";
import type { ChatModel } from "./endpoint.js";

/** The packages of LangChain's providers; a test compares them with its own table. */
export const PROVIDER_PACKAGES: Readonly<Record<string, string>> = {
  openai: "@langchain/openai",
  anthropic: "@langchain/anthropic",
  azure_openai: "@langchain/openai",
  langsmith: "@langchain/openai",
  cohere: "@langchain/cohere",
  google: "@langchain/google",
  "google-vertexai": "@langchain/google-vertexai",
  "google-vertexai-web": "@langchain/google-vertexai-web",
  "google-genai": "@langchain/google-genai",
  ollama: "@langchain/ollama",
  mistralai: "@langchain/mistralai",
  mistral: "@langchain/mistralai",
  groq: "@langchain/groq",
  bedrock: "@langchain/aws",
  aws: "@langchain/aws",
  deepseek: "@langchain/deepseek",
  xai: "@langchain/xai",
  cerebras: "@langchain/cerebras",
  fireworks: "@langchain/fireworks",
  together: "@langchain/together-ai",
  perplexity: "@langchain/perplexity",
};

/**
 * Returns the provider and the model's own name; undefined for a plain name, colons included (`llama3.1:8b` is Ollama's way).
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
  if (provider === undefined) return;
  const needed = ["langchain", PROVIDER_PACKAGES[provider] ?? ""];
  const missing = needed.filter((each) => !isInstalled(each));
  if (missing.length > 0)
    throw new UserError(
      `the model ${name} needs ${missing.join(" and ")}, which ${missing.length === 1 ? "is" : "are"} not installed`,
      `npm install ${missing.join(" ")}`,
      2,
      "package_missing",
    );
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return true;
  } catch (error) {
    // A package that keeps its manifest to itself is there all the same.
    return error instanceof Error && "code" in error && error.code !== "MODULE_NOT_FOUND";
  }
}

/** Never repeats a failed request by itself: repetitions are paid from the run's budget. */
export async function createProviderModel({
  name,
  maxTokens,
  temperature,
}: {
  name: string;
  maxTokens?: number;
  temperature?: number;
}): Promise<ChatModel> {
  requireProvider(name);
  const { initChatModel } = await import("langchain/chat_models/universal");
  return initChatModel(name, {
    maxRetries: 0,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  });
}
