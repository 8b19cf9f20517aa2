import type { Settings } from "../../settings/table.js";
import type { WEB_PROVIDER_NAMES } from "../../settings/table/web.js";
import { UserError } from "../../support/errors.js";
import type { WebSearchProvider } from "../search-provider.js";

type WebProviderName = (typeof WEB_PROVIDER_NAMES)[number];
export type WebProviderSettings = Partial<Settings>;

/** Providers that need a setting. */
const NEEDED = [
  ["tavily", "tavilyApiKey", "TAVILY_API_KEY"],
  ["searxng", "searxngUrl", "SEARXNG_URL"],
  ["brave", "braveApiKey", "BRAVE_API_KEY"],
] as const;

/**
 * Returns the providers to use: those named, in that order, else those with a key or URL. Keyless
 * ones must be named, so that no question reaches the web because a setting was omitted.
 * @throws UserError for a named one without its key or URL
 */
export function providerNames(settings: WebProviderSettings): WebProviderName[] {
  const named = [...new Set(settings.webProviders)];
  const missing = NEEDED.find(([name, key]) => named.includes(name) && !settings[key]);
  if (missing !== undefined)
    throw new UserError(
      `CRAG_WEB_PROVIDERS names ${missing[0]}, but ${missing[2]} is not set`,
      `set it, or leave ${missing[0]} out`,
    );
  if (named.length > 0) return named;
  return NEEDED.filter(([, key]) => settings[key]).map(([name]) => name);
}

/** Loads and creates the providers to use, of which there may be none. */
export async function createProviders(settings: WebProviderSettings): Promise<WebSearchProvider[]> {
  return Promise.all(providerNames(settings).map((name) => createProvider(name, settings)));
}

async function createProvider(
  name: WebProviderName,
  settings: WebProviderSettings,
): Promise<WebSearchProvider> {
  if (name === "duckduckgo") return (await import("./langchain-tool.js")).createDuckDuckGo();
  const places = {
    tavily: { apiKey: settings.tavilyApiKey, baseUrl: settings.tavilyBaseUrl },
    searxng: { baseUrl: settings.searxngUrl },
    brave: { apiKey: settings.braveApiKey, baseUrl: settings.braveBaseUrl },
    mediawiki: { baseUrl: settings.mediawikiUrl },
  };
  return (await import("./search-apis.js")).createSearchApi(name, {
    ...places[name],
    userAgent: settings.webUserAgent,
  });
}
