/** Creates what the settings name: models, embeddings, reranker, web. Imports it on first use. */
import type { ReasonerModels } from "../model/chat-model.js";
import { providerOf, requireProvider } from "../model/chat-model.js";
import type { Reader } from "../reader/reader.js";
import type { Reasoner } from "../reasoning/reasoner.js";
import type { Embedder } from "../reader/embedder.js";
import type { Reranker } from "../retrieval/knowledge-base.js";
import { readerReranker } from "../retrieval/rerankers.js";
import { DEFAULT_MODEL } from "../settings/run-settings.js";
import { SETTINGS, type Settings } from "../settings/table.js";
import { WEB_PROVIDER_ROWS, WEB_PROVIDERS, type WebProviderName } from "../settings/table/web.js";
import { UserError } from "../support/errors.js";
import { once } from "../support/cache.js";
import type { FetchPage, WebSearch, WebSearchProvider } from "../web/search-provider.js";
import { EMBEDDED, type AssembleOptions, type WebSource } from "./options.js";

/**
 * Checks that the settings fit together, so that nothing is sent to an address that nobody named.
 * @throws UserError naming the setting and what it lacks
 */
export function checkSettings(settings: Settings): void {
  const { correct = 1, incorrect = 0 } = settings.thresholds;
  if (incorrect > correct)
    throw new UserError(
      `the threshold for INCORRECT (${incorrect}) is above the one for CORRECT (${correct})`,
      "set CRAG_INCORRECT_THRESHOLD no higher than CRAG_CORRECT_THRESHOLD",
    );
  for (const name of [settings.model, settings.judgeModel])
    if (name !== undefined) requireProvider(name);
  providerNames(settings);
  const { reranker, rerankUrl, embeddingModel } = settings;
  if (reranker !== undefined && rerankUrl === undefined) {
    const key = `${reranker}ApiKey` as const;
    if (settings[key] === undefined)
      throw new UserError(
        `the reranker ${reranker} needs a key`,
        `set ${SETTINGS[key].env}, or CRAG_RERANK_URL for a server of your own`,
      );
  }
  if (embeddingModel === undefined) return;
  const { provider = "openai" } = providerOf(embeddingModel) ?? {};
  if (provider !== "openai")
    throw new UserError(
      `the embedding model ${embeddingModel} is not one of an OpenAI-compatible endpoint`,
      `set CRAG_EMBEDDING_BASE_URL and name it without "${provider}:", or pass embeddings in code`,
    );
  const endpoint = embeddingEndpoint(settings);
  if (endpoint.apiKey === undefined && endpoint.baseUrl === undefined)
    throw new UserError(
      `the embedding model ${embeddingModel} has no endpoint`,
      "set OPENAI_API_KEY, or CRAG_EMBEDDING_BASE_URL for a server of your own",
    );
}

/** Returns the reranker of the settings, else the reader. */
export async function rerankerFrom(
  settings: Settings,
  reader: () => Promise<Reader>,
): Promise<Reranker> {
  const { reranker, rerankModel: model, rerankUrl: url } = settings;
  if (reranker === undefined) return readerReranker(await reader());
  const { httpReranker } = await import("../retrieval/rerankers.js");
  const apiKey = settings[`${reranker}ApiKey`];
  return httpReranker({ provider: reranker, url, apiKey, model });
}

export async function embedderFrom(settings: Settings): Promise<Embedder | undefined> {
  const { embeddingModel: name } = settings;
  if (name === undefined) return undefined;
  const { openAiEmbedder } = await import("../retrieval/embedders.js");
  return openAiEmbedder({ model: providerOf(name)?.model ?? name, ...embeddingEndpoint(settings) });
}

/** Sends the model's key to the model's endpoint only. */
function embeddingEndpoint(settings: Settings): { apiKey?: string; baseUrl?: string } {
  const { embeddingApiKey, embeddingBaseUrl, openaiApiKey, openaiBaseUrl } = settings;
  const elsewhere = embeddingBaseUrl !== undefined && embeddingBaseUrl !== openaiBaseUrl;
  return {
    apiKey: embeddingApiKey ?? (elsewhere ? undefined : openaiApiKey),
    baseUrl: embeddingBaseUrl ?? openaiBaseUrl,
  };
}

const WEB_CACHED_IN_MS = 900_000;

/** Returns the web search over the caller's providers and those of the settings, if any. */
export async function webSearchFrom(
  settings: Settings,
  sources: AssembleOptions["webSearch"],
): Promise<WebSearch | undefined> {
  const providers = [
    ...(await extraProviders(sources)),
    ...(await Promise.all(providerNames(settings).map((name) => providerFrom(name, settings)))),
  ];
  if (providers.length === 0) return undefined;
  const { createWebSearch } = await import("../web/chain.js");
  return createWebSearch({
    providers,
    timeoutInMs: settings.webTimeoutSeconds * 1000,
    coolDownInMs: settings.webCooldownSeconds * 1000,
    cacheTtlInMs: WEB_CACHED_IN_MS,
  });
}

/**
 * Returns the providers to use: those named, in that order, else those with a key or URL. Keyless
 * ones must be named, so that no question reaches the web because a setting was omitted.
 * @throws UserError for a named one without its key or URL
 */
export function providerNames(settings: Settings): WebProviderName[] {
  const named = [...new Set(settings.webProviders)];
  const rows = WEB_PROVIDER_ROWS.map(([name, { needs, apiKey, baseUrl }]) => {
    const given = apiKey ?? baseUrl;
    return { name, needs, isSet: given !== undefined && Boolean(settings[given]) };
  });
  const missing = rows.find(({ name, needs, isSet }) => needs && !isSet && named.includes(name));
  if (missing !== undefined)
    throw new UserError(
      `CRAG_WEB_PROVIDERS names ${missing.name}, but ${missing.needs ?? ""} is not set`,
      `set it, or leave ${missing.name} out`,
    );
  if (named.length > 0) return named;
  return rows.flatMap(({ name, needs, isSet }) => (needs && isSet ? [name] : []));
}

async function providerFrom(name: WebProviderName, settings: Settings): Promise<WebSearchProvider> {
  const { createDuckDuckGo, createSearchApi } = await import("../web/providers.js");
  if (name === "duckduckgo") return createDuckDuckGo();
  const row = WEB_PROVIDERS[name];
  return createSearchApi(name, {
    apiKey: "apiKey" in row ? settings[row.apiKey] : undefined,
    baseUrl: settings[row.baseUrl] ?? "",
    userAgent: settings.webUserAgent,
  });
}

async function extraProviders(sources: AssembleOptions["webSearch"]): Promise<WebSearchProvider[]> {
  if (sources === undefined || typeof sources === "string") return [];
  const list: readonly WebSource[] = "length" in sources ? sources : [sources];
  return Promise.all(
    list.map(async (source) => {
      if ("search" in source) return source;
      const { fromLangChainTool } = await import("../web/providers.js");
      return fromLangChainTool(source);
    }),
  );
}

/** @param allowHosts `host:port` of servers that the user named, which may be on this machine */
export function fetchPageFrom(settings: Settings, allowHosts: readonly string[] = []): FetchPage {
  const timeoutInMs = settings.webTimeoutSeconds * 1000;
  const fetchPage = once(async () => {
    const { createFetchPage } = await import("../web/safe-fetch.js");
    return createFetchPage({ timeoutInMs, allowHosts, userAgent: settings.webUserAgent });
  });
  return async (url, options) => (await fetchPage())(url, options);
}

/**
 * Chooses a model if one was passed in, or if the settings name one, a key or a base URL; else the
 * embedded reasoner.
 */
export function reasonerFrom({
  settings,
  model,
  judgeModel,
  prompts,
  environment,
  reader,
}: Pick<AssembleOptions, "model" | "judgeModel" | "prompts" | "environment"> & {
  settings: Settings;
  reader: () => Promise<Reader>;
}): { kind: "model" | "embedded"; reasoner: () => Promise<Reasoner> } {
  const embedded = once(async () => {
    const { createEmbeddedReasoner } = await import("../reasoning/embedded/embedded-reasoner.js");
    return createEmbeddedReasoner({ reader: await reader() });
  });
  const { openaiBaseUrl: baseUrl, openaiApiKey: apiKey } = settings;
  const hasEndpoint = baseUrl !== undefined || apiKey !== undefined;
  const named = settings.model !== undefined && providerOf(settings.model) !== undefined;
  if (typeof model === "string" && model !== EMBEDDED && !named && !hasEndpoint)
    throw new UserError(
      `the model "${model}" has neither a provider nor an endpoint`,
      `name its provider ("openai:${model}"), or give settings: { openaiBaseUrl: … }`,
    );
  if (model === EMBEDDED || (model === undefined && !named && !hasEndpoint))
    return { kind: "embedded", reasoner: embedded };

  const timeoutInMs = settings.modelTimeoutSeconds * 1000;
  const reasoner = once(async () => {
    const [{ createModelSource }, { createModelReasoner }] = await Promise.all([
      import("../model/chat-model.js"),
      import("../model/model-reasoner.js"),
    ]);
    const byName = createModelSource({
      baseUrl,
      apiKey,
      environment,
      timeoutInMs,
      defaultModel: settings.model ?? DEFAULT_MODEL,
    });
    const writer = typeof model === "object" ? model : undefined;
    const judge = typeof judgeModel === "object" ? judgeModel : undefined;
    const source = {
      ...byName,
      async get(request: Parameters<typeof byName.get>[0]): Promise<ReasonerModels> {
        if (writer !== undefined && typeof judgeModel !== "string")
          return { answer: writer, grade: judge ?? writer };
        const models = await byName.get(request);
        return { answer: writer ?? models.answer, grade: judge ?? models.grade };
      },
    };
    return createModelReasoner({ source, prompts, embedded: await embedded(), timeoutInMs });
  });
  return { kind: "model", reasoner };
}
