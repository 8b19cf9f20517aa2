import type { Settings } from "../settings/table.js";
import type { AssembleOptions, WebSource } from "./options.js";
import { providersNamed } from "../web/providers/provider-names.js";
import type { FetchPage, WebSearch, WebSearchProvider } from "../web/search-provider.js";

/** @throws UserError when a provider is named that lacks its key or URL: said before anything is asked, and not by the first search */
export function checkWebSearch(settings: Settings): void {
  providersNamed(settings.webProviders ?? [], {
    TAVILY_API_KEY: settings.tavilyApiKey,
    SEARXNG_URL: settings.searxngUrl,
    BRAVE_API_KEY: settings.braveApiKey,
  });
}

/** The chain of providers that the settings name, the caller's own first; undefined when there is none. */
export async function webSearchFrom(
  settings: Settings,
  sources: AssembleOptions["webSearch"],
): Promise<WebSearch | undefined> {
  const extra = await extraProviders(sources);
  const configured =
    settings.webProviders !== undefined ||
    settings.tavilyApiKey !== undefined ||
    settings.searxngUrl !== undefined ||
    settings.braveApiKey !== undefined;
  if (!configured && extra.length === 0) return undefined;
  const { createProviders } = await import("../web/providers/create-providers.js");
  const { createWebSearch } = await import("../web/chain.js");
  const providers = [
    ...extra,
    ...createProviders({
      names: settings.webProviders,
      tavilyApiKey: settings.tavilyApiKey,
      tavilyBaseUrl: settings.tavilyBaseUrl,
      searxngUrl: settings.searxngUrl,
      braveApiKey: settings.braveApiKey,
      braveBaseUrl: settings.braveBaseUrl,
      mediawikiUrl: settings.mediawikiUrl,
      userAgent: settings.webUserAgent,
    }),
  ];
  if (providers.length === 0) return undefined;
  return createWebSearch({
    providers,
    policy: {
      timeoutInMs: settings.webTimeoutSeconds * 1000,
    },
    coolDownInMs: settings.webCooldownSeconds * 1000,
    cache: { ttlInMs: settings.webCacheSeconds * 1000 },
  });
}

async function extraProviders(sources: AssembleOptions["webSearch"]): Promise<WebSearchProvider[]> {
  if (sources === undefined || typeof sources === "string") return [];
  const list: readonly WebSource[] = "length" in sources ? sources : [sources];
  return Promise.all(
    list.map(async (source) => {
      if ("search" in source) return source;
      const { fromLangChainTool } = await import("../web/providers/langchain-tool.js");
      return fromLangChainTool(source);
    }),
  );
}

/**
 * Safe page fetching; loaded on first use.
 * @param allowHosts `host:port` of servers that the user named, which may be on this machine or network
 */
export function fetchPageFrom(settings: Settings, allowHosts: readonly string[] = []): FetchPage {
  let fetchPage: Promise<FetchPage> | undefined;
  const timeoutInMs = settings.webTimeoutSeconds * 1000;
  return async (url, options) => {
    fetchPage ??= import("../web/fetch-page.js").then(({ createFetchPage }) =>
      createFetchPage({ timeoutInMs, allowHosts, userAgent: settings.webUserAgent }),
    );
    return (await fetchPage)(url, options);
  };
}
