import type { Settings } from "../../settings/table.js";
import {
  WEB_PROVIDER_ROWS,
  WEB_PROVIDERS,
  type WebProviderName,
} from "../../settings/table/web.js";
import { UserError } from "../../support/errors.js";
import type { WebSearchProvider } from "../search-provider.js";

export type WebProviderSettings = Partial<Settings>;

/**
 * Returns the providers to use: those named, in that order, else those with a key or URL. Keyless
 * ones must be named, so that no question reaches the web because a setting was omitted.
 * @throws UserError for a named one without its key or URL
 */
export function providerNames(settings: WebProviderSettings): WebProviderName[] {
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

/** Loads and creates the providers to use, of which there may be none. */
export async function createProviders(settings: WebProviderSettings): Promise<WebSearchProvider[]> {
  return Promise.all(
    providerNames(settings).map(async (name) => {
      if (name === "duckduckgo") return (await import("./langchain-tool.js")).createDuckDuckGo();
      const row: (typeof WEB_PROVIDER_ROWS)[number][1] = WEB_PROVIDERS[name];
      return (await import("./search-apis.js")).createSearchApi(name, {
        apiKey: row.apiKey && settings[row.apiKey],
        baseUrl: row.baseUrl && settings[row.baseUrl],
        userAgent: settings.webUserAgent,
      });
    }),
  );
}
