import type { Environment } from "../settings/environment.js";
import { providersNamed } from "../web/providers/provider-names.js";
import type { FetchPage, WebSearch, WebSearchProvider } from "../web/search-provider.js";

/** @throws UserError when a provider is named that lacks its key or URL: said before anything is asked, and not by the first search */
export function checkWebSearch(environment: Environment): void {
  providersNamed(environment.WEB_PROVIDERS ?? [], environment);
}

/** The chain of providers that the environment configures, `extra` ones first; undefined when there is none. */
export async function webSearchFrom(
  environment: Environment,
  extra: readonly WebSearchProvider[],
): Promise<WebSearch | undefined> {
  const configured =
    environment.WEB_PROVIDERS !== undefined ||
    environment.TAVILY_API_KEY !== undefined ||
    environment.SEARXNG_URL !== undefined ||
    environment.BRAVE_API_KEY !== undefined;
  if (!configured && extra.length === 0) return undefined;
  const [{ createProviders }, { createWebSearch }] = await Promise.all([
    import("../web/providers/create-providers.js"),
    import("../web/chain.js"),
  ]);
  const providers = [
    ...extra,
    ...createProviders({
      names: environment.WEB_PROVIDERS,
      tavilyApiKey: environment.TAVILY_API_KEY,
      tavilyBaseUrl: environment.TAVILY_BASE_URL,
      searxngUrl: environment.SEARXNG_URL,
      braveApiKey: environment.BRAVE_API_KEY,
      braveBaseUrl: environment.BRAVE_BASE_URL,
      mediawikiUrl: environment.MEDIAWIKI_URL,
      userAgent: environment.WEB_USER_AGENT,
    }),
  ];
  if (providers.length === 0) return undefined;
  return createWebSearch({
    providers,
    policy: {
      timeoutInMs: environment.WEB_TIMEOUT_SECONDS * 1000,
    },
    coolDownInMs: environment.WEB_COOLDOWN_SECONDS * 1000,
    cache: { ttlInMs: environment.WEB_CACHE_SECONDS * 1000 },
  });
}

/**
 * Safe page fetching; loaded on first use.
 * @param allowHosts `host:port` of servers that the user named, which may be on this machine or network
 */
export function fetchPageFrom(
  environment: Environment,
  allowHosts: readonly string[] = [],
): FetchPage {
  let fetchPage: Promise<FetchPage> | undefined;
  const timeoutInMs = environment.WEB_TIMEOUT_SECONDS * 1000;
  return async (url, options) => {
    fetchPage ??= import("../web/fetch-page.js").then(({ createFetchPage }) =>
      createFetchPage({ timeoutInMs, allowHosts, userAgent: environment.WEB_USER_AGENT }),
    );
    return (await fetchPage)(url, options);
  };
}
