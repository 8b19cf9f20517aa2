import { UserError } from "../../config/user-error.js";
import type { HttpOptions } from "../request-json.js";
import type { WebSearchProvider } from "../search-provider.js";
import { createBrave } from "./brave.js";
import { createDuckDuckGo } from "./duckduckgo.js";
import { createMediaWiki } from "./mediawiki.js";
import { createSearxng } from "./searxng.js";
import { createTavily } from "./tavily.js";

export const WEB_PROVIDER_NAMES = ["tavily", "searxng", "brave", "mediawiki", "duckduckgo"] as const;
export type WebProviderName = (typeof WEB_PROVIDER_NAMES)[number];

/** Which environment variable stands behind which option of `createProviders`. */
export const WEB_PROVIDER_VARIABLES = {
  names: "WEB_PROVIDERS",
  tavilyApiKey: "TAVILY_API_KEY",
  tavilyBaseUrl: "TAVILY_BASE_URL",
  searxngUrl: "SEARXNG_URL",
  braveApiKey: "BRAVE_API_KEY",
  braveBaseUrl: "BRAVE_BASE_URL",
  mediawikiUrl: "MEDIAWIKI_URL",
  userAgent: "WEB_USER_AGENT",
} as const satisfies Record<keyof Omit<WebProviderOptions, "http">, string>;

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
  const wanted = names.map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
  if (wanted.length > 0) return [...new Set(wanted)].map((name) => createProvider(providerName(name), options));
  const configured: WebProviderName[] = [];
  if (tavilyApiKey) configured.push("tavily");
  if (searxngUrl) configured.push("searxng");
  if (braveApiKey) configured.push("brave");
  return configured.map((name) => createProvider(name, options));
}

function createProvider(name: WebProviderName, options: WebProviderOptions): WebSearchProvider {
  const { tavilyApiKey, tavilyBaseUrl, searxngUrl, braveApiKey, braveBaseUrl, mediawikiUrl, userAgent, http } = options;
  switch (name) {
    case "tavily":
      return createTavily({ apiKey: required(name, "tavilyApiKey", tavilyApiKey), baseUrl: tavilyBaseUrl || undefined, http });
    case "searxng":
      return createSearxng({ url: required(name, "searxngUrl", searxngUrl), http });
    case "brave":
      return createBrave({ apiKey: required(name, "braveApiKey", braveApiKey), baseUrl: braveBaseUrl || undefined, http });
    case "mediawiki":
      return createMediaWiki({ url: mediawikiUrl || undefined, userAgent: userAgent || undefined, http });
    case "duckduckgo":
      return createDuckDuckGo();
    default:
      return name satisfies never;
  }
}

function providerName(name: string): WebProviderName {
  const known = WEB_PROVIDER_NAMES.find((each) => each === name);
  if (known !== undefined) return known;
  throw new UserError(`WEB_PROVIDERS names "${name}", which is no search provider`, `known are ${WEB_PROVIDER_NAMES.join(", ")}`);
}

function required(name: WebProviderName, option: keyof typeof WEB_PROVIDER_VARIABLES, value: string | undefined): string {
  if (value) return value;
  throw new UserError(`WEB_PROVIDERS names ${name}, but ${WEB_PROVIDER_VARIABLES[option]} is not set`, `set it, or leave ${name} out`);
}
