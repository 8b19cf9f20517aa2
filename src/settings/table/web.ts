import { z } from "zod";
import type { SettingsTable } from "../setting.js";
import { flag, integer, seconds, text, url } from "./shapes.js";

export const WEB_SEARCH_MODES = ["auto", "on", "ask", "off"] as const;
export const WEB_PROVIDER_NAMES = [
  "tavily",
  "searxng",
  "brave",
  "mediawiki",
  "duckduckgo",
] as const;

/** Web search: off unless a provider has a key or a URL, or is named. */
export const WEB_SETTINGS = {
  webSearch: {
    schema: z.enum(WEB_SEARCH_MODES),
    scope: "run",
    aliases: ["WEB_SEARCH"],
    default: "auto",
    nodes: ["plan", "tools"],
    description:
      "auto and on: search when the grader asks for it, with the providers there are; on warns when there is none. ask: a person allows each query first. off: never.",
  },
  webProviders: {
    schema: z.array(z.enum(WEB_PROVIDER_NAMES)),
    scope: "process",
    aliases: ["WEB_PROVIDERS"],
    defaultMeaning: "those with a key or a URL: tavily, searxng, brave",
    description: `Providers in the order in which they are tried: ${WEB_PROVIDER_NAMES.join(", ")}. Keyless ones only run when named here.`,
  },
  tavilyApiKey: {
    schema: text,
    scope: "process",
    env: "TAVILY_API_KEY",
    secret: true,
    description: "Key of Tavily.",
  },
  tavilyBaseUrl: {
    schema: url,
    scope: "process",
    env: "TAVILY_BASE_URL",
    default: "https://api.tavily.com",
    description: "Endpoint of Tavily.",
  },
  searxngUrl: {
    schema: url,
    scope: "process",
    env: "SEARXNG_URL",
    description: "Your SearXNG instance; its JSON format must be enabled.",
  },
  braveApiKey: {
    schema: text,
    scope: "process",
    env: "BRAVE_API_KEY",
    secret: true,
    description: "Key of Brave Search.",
  },
  braveBaseUrl: {
    schema: url,
    scope: "process",
    env: "BRAVE_BASE_URL",
    default: "https://api.search.brave.com",
    description: "Endpoint of Brave Search.",
  },
  mediawikiUrl: {
    schema: url,
    scope: "process",
    env: "MEDIAWIKI_URL",
    default: "https://en.wikipedia.org/w/api.php",
    description: "api.php of the wiki that `mediawiki` searches.",
  },
  webUserAgent: {
    schema: text,
    scope: "process",
    defaultMeaning: "the agent's own name and version",
    description:
      "Name under which pages and `mediawiki` are asked; Wikipedia wants a way to reach you in it.",
  },
  webResults: {
    schema: integer(1, 20),
    scope: "run",
    default: 3,
    nodes: ["tools"],
    description: "Results per web search.",
  },
  webFetch: {
    schema: flag,
    scope: "run",
    default: false,
    nodes: ["tools"],
    description: "Fetch the pages behind the results and read their main content.",
  },
  keyPoints: {
    schema: flag,
    scope: "run",
    default: false,
    nodes: ["synthesize"],
    description:
      "A model writes key points of web text, each tied to its source, in place of extractive strips.",
  },
  webTimeoutSeconds: {
    schema: seconds,
    scope: "process",
    default: 8,
    description: "Time limit of one request to a provider or a page.",
  },
  webCooldownSeconds: {
    schema: z.number().min(0).max(86_400),
    scope: "process",
    default: 0,
    description:
      "Least time between two web searches, and between two for the same question; 0 for none.",
  },
  webCacheSeconds: {
    schema: z.number().min(0).max(604_800),
    scope: "process",
    default: 900,
    description: "How long a result is remembered; 0 remembers nothing.",
  },
} as const satisfies SettingsTable;
