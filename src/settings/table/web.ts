import { z } from "zod";
import {
  flag,
  integer,
  perRun,
  seconds,
  setting,
  text,
  url,
  type SettingsTable,
} from "../setting.js";

interface WebProviderRow {
  /** The settings of its key and its address. */
  apiKey?: "tavilyApiKey" | "braveApiKey";
  baseUrl?: "tavilyBaseUrl" | "searxngUrl" | "braveBaseUrl" | "mediawikiUrl";
  /** The variable without which it cannot be used; without one it must be named. */
  needs?: string;
}

/** A new provider needs a row here and its requests in `web/providers.ts`. */
export const WEB_PROVIDERS = {
  tavily: { apiKey: "tavilyApiKey", baseUrl: "tavilyBaseUrl", needs: "TAVILY_API_KEY" },
  searxng: { baseUrl: "searxngUrl", needs: "SEARXNG_URL" },
  brave: { apiKey: "braveApiKey", baseUrl: "braveBaseUrl", needs: "BRAVE_API_KEY" },
  mediawiki: { baseUrl: "mediawikiUrl" },
  duckduckgo: {},
} as const satisfies Readonly<Record<string, WebProviderRow>>;

export type WebProviderName = keyof typeof WEB_PROVIDERS;

export const WEB_PROVIDER_ROWS = Object.entries(WEB_PROVIDERS) as [
  WebProviderName,
  WebProviderRow,
][];
const WEB_PROVIDER_NAMES = WEB_PROVIDER_ROWS.map(([name]) => name);

/** How to turn web search on, for messages. */
export const WEB_PROVIDER_ADVICE = `set ${new Intl.ListFormat("en", { type: "disjunction" }).format(
  WEB_PROVIDER_ROWS.flatMap(([, { needs }]) => needs ?? []),
)}`;

/** Web search: off unless a provider has a key or a URL, or is named. */
export const WEB_SETTINGS = {
  webSearch: perRun(
    z.enum(["auto", "on", "ask", "off"]),
    "auto: when the grader asks for it. on: and warn if nothing can. " +
      "ask: a person approves. off: never.",
    { aliases: ["WEB_SEARCH"], default: "auto", nodes: ["plan", "tools"] },
  ),
  webProviders: setting(
    z.array(z.enum(WEB_PROVIDER_NAMES)),
    `In the order they are tried: ${WEB_PROVIDER_NAMES.join(", ")}. Keyless ones only if named.`,
    {
      aliases: ["WEB_PROVIDERS"],
      defaultMeaning: `those with a key or a URL: ${WEB_PROVIDER_ROWS.flatMap(
        ([name, { needs }]) => (needs === undefined ? [] : name),
      ).join(", ")}`,
    },
  ),
  tavilyApiKey: setting(text, "Tavily API key.", { env: "TAVILY_API_KEY", secret: true }),
  tavilyBaseUrl: setting(url, "Endpoint of Tavily.", {
    env: "TAVILY_BASE_URL",
    default: "https://api.tavily.com",
  }),
  searxngUrl: setting(url, "Your SearXNG instance; its JSON format must be enabled.", {
    env: "SEARXNG_URL",
  }),
  braveApiKey: setting(text, "Brave Search API key.", { env: "BRAVE_API_KEY", secret: true }),
  braveBaseUrl: setting(url, "Endpoint of Brave Search.", {
    env: "BRAVE_BASE_URL",
    default: "https://api.search.brave.com",
  }),
  mediawikiUrl: setting(url, "api.php of the wiki that `mediawiki` searches.", {
    env: "MEDIAWIKI_URL",
    default: "https://en.wikipedia.org/w/api.php",
  }),
  webUserAgent: setting(
    text,
    "User agent for pages and `mediawiki`; Wikipedia asks for a way to contact you in it.",
    { defaultMeaning: "the agent's own name and version" },
  ),
  webResults: perRun(integer(1, 20), "Results per web search.", { default: 3, nodes: ["tools"] }),
  keyPoints: perRun(
    flag,
    "A model extracts key points from web text, each tied to its source, instead of strips.",
    { default: false, nodes: ["synthesize"] },
  ),
  webTimeoutSeconds: setting(seconds, "Time limit of one request to a provider or a page.", {
    default: 8,
  }),
  webCooldownSeconds: setting(
    z.number().min(0).max(86_400),
    "Minimum time between two web searches; 0 for none.",
    { default: 0 },
  ),
} as const satisfies SettingsTable;
