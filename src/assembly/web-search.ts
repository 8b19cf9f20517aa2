import type { Settings } from "../settings/table.js";
import { once } from "../support/cache.js";
import { createProviders } from "../web/providers/create-providers.js";
import type { FetchPage, WebSearch, WebSearchProvider } from "../web/search-provider.js";
import type { AssembleOptions, WebSource } from "./options.js";

/** The chain of providers that the settings name, the caller's own first; undefined without any. */
export async function webSearchFrom(
  settings: Settings,
  sources: AssembleOptions["webSearch"],
): Promise<WebSearch | undefined> {
  const providers = [...(await extraProviders(sources)), ...(await createProviders(settings))];
  if (providers.length === 0) return undefined;
  const { createWebSearch } = await import("../web/chain.js");
  return createWebSearch({
    providers,
    policy: { timeoutInMs: settings.webTimeoutSeconds * 1000 },
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
 * @param allowHosts `host:port` of servers that the user named, which may be on this machine
 */
export function fetchPageFrom(settings: Settings, allowHosts: readonly string[] = []): FetchPage {
  const timeoutInMs = settings.webTimeoutSeconds * 1000;
  const fetchPage = once(async () => {
    const { createFetchPage } = await import("../web/fetch-page.js");
    return createFetchPage({ timeoutInMs, allowHosts, userAgent: settings.webUserAgent });
  });
  return async (url, options) => (await fetchPage())(url, options);
}
