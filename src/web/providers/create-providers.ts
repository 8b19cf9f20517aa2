import type { WebSearchProvider } from "../search-provider.js";
import { createBrave } from "./brave.js";
import { createDuckDuckGo } from "./duckduckgo.js";
import { createMediaWiki } from "./mediawiki.js";
import { providersNamed, type WebProviderName } from "./provider-names.js";
import type { HttpOptions } from "./request.js";
import { createSearxng } from "./searxng.js";
import { createTavily } from "./tavily.js";

export interface WebProviderOptions {
  /** Exactly these, in this order. Without it: those that have a key or a URL, in the order tavily, searxng, brave. */
  names?: readonly string[];
  tavilyApiKey?: string;
  tavilyBaseUrl?: string;
  searxngUrl?: string;
  braveApiKey?: string;
  braveBaseUrl?: string;
  mediawikiUrl?: string;
  userAgent?: string;
  http?: HttpOptions;
}

/**
 * The providers that these options call for; none is a valid answer. Keyless ones are there only when named: nobody's questions go to the web
 * because a setting was left out.
 * @throws UserError for a name that is unknown, or that lacks its key or URL
 */
export function createProviders(options: WebProviderOptions): WebSearchProvider[] {
  const { names = [], tavilyApiKey, searxngUrl, braveApiKey } = options;
  const wanted = providersNamed(names, {
    TAVILY_API_KEY: tavilyApiKey,
    SEARXNG_URL: searxngUrl,
    BRAVE_API_KEY: braveApiKey,
  });
  if (wanted.length > 0) return wanted.map((name) => createProvider(name, options));
  const configured: WebProviderName[] = [];
  if (tavilyApiKey) configured.push("tavily");
  if (searxngUrl) configured.push("searxng");
  if (braveApiKey) configured.push("brave");
  return configured.map((name) => createProvider(name, options));
}

function createProvider(name: WebProviderName, options: WebProviderOptions): WebSearchProvider {
  const {
    tavilyApiKey = "",
    tavilyBaseUrl,
    searxngUrl = "",
    braveApiKey = "",
    braveBaseUrl,
    mediawikiUrl,
    userAgent,
    http,
  } = options;
  switch (name) {
    case "tavily":
      return createTavily({ apiKey: tavilyApiKey, baseUrl: tavilyBaseUrl || undefined, http });
    case "searxng":
      return createSearxng({ url: searxngUrl, http });
    case "brave":
      return createBrave({ apiKey: braveApiKey, baseUrl: braveBaseUrl || undefined, http });
    case "mediawiki":
      return createMediaWiki({
        url: mediawikiUrl || undefined,
        userAgent: userAgent || undefined,
        http,
      });
    case "duckduckgo":
      return createDuckDuckGo();
    default:
      return name satisfies never;
  }
}
