import { z } from "zod";
import { filterSetting } from "../filter.js";
import { PrincipalSchema } from "../principal.js";
import {
  flag,
  integer,
  seconds,
  perRun,
  setting,
  someWords,
  text,
  url,
  type SettingsTable,
} from "../setting.js";

/** Storage of the documents. */
export const KNOWLEDGE_SETTINGS = {
  kbDir: setting(text, "Folder of the embedded knowledge base (one SQLite file).", {
    defaultMeaning: ".corrective-rag/kb",
  }),
  knowledgeBases: setting(
    someWords,
    "Several knowledge bases, each a folder with its name: hr=kb/hr, it=kb/it. " +
      "See docs/filters.md.",
  ),
  embeddingModel: setting(text, "Embedding model: its name at an OpenAI-compatible endpoint.", {
    aliases: ["EMBEDDING_MODEL"],
    defaultMeaning: "none",
  }),
  embeddingBaseUrl: setting(url, "Endpoint of the embedding model.", {
    defaultMeaning: "OPENAI_BASE_URL",
  }),
  embeddingApiKey: setting(text, "Key of the embedding endpoint.", {
    secret: true,
    defaultMeaning: "OPENAI_API_KEY, at the same endpoint only",
  }),
  qdrantUrl: setting(
    url,
    "Keep the knowledge base in Qdrant, a server or a cluster, instead of the SQLite file.",
    { env: "QDRANT_URL" },
  ),
  qdrantApiKey: setting(text, "Key of the Qdrant server.", { env: "QDRANT_API_KEY", secret: true }),
  qdrantCollection: setting(text, "Name of the collection. Reading never creates it.", {
    env: "QDRANT_COLLECTION",
    default: "corrective_rag",
  }),
  qdrantTimeoutSeconds: setting(seconds, "Time limit of one request to Qdrant.", {
    env: "QDRANT_TIMEOUT_SECONDS",
    default: 10,
  }),
} as const satisfies SettingsTable;

/** Search in the documents. */
export const RETRIEVAL_SETTINGS = {
  filter: perRun(
    filterSetting,
    'Only documents that pass: department = "hr" and date >= 2025-01-01. See docs/filters.md.',
    { env: null, contextOnly: true, nodes: ["tools"] },
  ),
  knowledgeBase: perRun(text, "Which of the CRAG_KNOWLEDGE_BASES are searched: hr, or hr, it.", {
    env: null,
    contextOnly: true,
    defaultMeaning: "all",
    nodes: ["tools"],
  }),
  principal: perRun(
    PrincipalSchema,
    "Who asks, which opens documents of this id and these groups. " +
      "No client can set it on a server.",
    { env: null, contextOnly: true },
  ),
  topK: perRun(integer(1, 100), "Passages per search, and kept after reranking.", {
    default: 5,
    nodes: ["plan", "tools"],
  }),
  searchMode: perRun(
    z.enum(["auto", "keyword", "vector", "hybrid"]),
    "First strategy. auto: hybrid if the knowledge base has vectors, else keyword.",
    { default: "auto", nodes: ["plan"] },
  ),
  hyde: perRun(flag, "Search vectors with three hypothetical answers written by the model.", {
    defaultMeaning: "on in quality thorough, else off",
    nodes: ["tools"],
  }),
  rerank: perRun(
    z.enum(["auto", "on", "off"]),
    "auto: rerank if a reranker is named. on: rerank with the reader if none is.",
    { default: "on", nodes: ["tools"] },
  ),
  reranker: setting(z.enum(["voyage", "cohere", "jina"]), "Service that reranks the passages.", {
    aliases: ["RERANKER"],
    defaultMeaning: "none",
  }),
  rerankModel: setting(text, "Model of an HTTP reranker.", {
    defaultMeaning: "the provider's usual one",
  }),
  rerankUrl: setting(url, "Endpoint of an HTTP reranker.", {
    defaultMeaning: "the provider's own",
  }),
  voyageApiKey: setting(text, "Voyage API key.", { env: "VOYAGE_API_KEY", secret: true }),
  cohereApiKey: setting(text, "Cohere API key.", { env: "COHERE_API_KEY", secret: true }),
  jinaApiKey: setting(text, "Jina API key.", { env: "JINA_API_KEY", secret: true }),
  mcpConfig: setting(
    text,
    "File of MCP servers, whose read-only and allowed tools may be called. Not read from .env.",
    { defaultMeaning: "none" },
  ),
  toolTimeoutSeconds: setting(seconds, "Time limit of one tool call.", { default: 15 }),
  contextTokens: setting(
    integer(256, 200_000),
    "Tokens of the context window from which an answer is written.",
    { default: 4096 },
  ),
} as const satisfies SettingsTable;
