import { z } from "zod";
import type { SettingsTable } from "../setting.js";
import { flag, integer, seconds, text, url } from "./shapes.js";

export const SEARCH_MODES = ["auto", "keyword", "vector", "hybrid"] as const;
export const RERANK_MODES = ["auto", "on", "off"] as const;

/** Where documents are kept. */
export const KNOWLEDGE_SETTINGS = {
  kbDir: {
    schema: text,
    scope: "process",
    defaultMeaning: ".corrective-rag/kb",
    description: "Folder of the embedded knowledge base (one SQLite file).",
  },
  embeddingModel: {
    schema: text,
    scope: "process",
    aliases: ["EMBEDDING_MODEL"],
    defaultMeaning: "none",
    description: "Embedding model: a name at the OpenAI-compatible endpoint, or provider:name.",
  },
  embeddingBaseUrl: {
    schema: url,
    scope: "process",
    defaultMeaning: "OPENAI_BASE_URL",
    description: "Endpoint of the embedding model.",
  },
  embeddingApiKey: {
    schema: text,
    scope: "process",
    secret: true,
    defaultMeaning: "OPENAI_API_KEY, at the same endpoint only",
    description: "Key of the embedding endpoint.",
  },
  qdrantUrl: {
    schema: url,
    scope: "process",
    env: "QDRANT_URL",
    description:
      "Keep the knowledge base in Qdrant, a server or a cluster, in place of the SQLite file.",
  },
  qdrantApiKey: {
    schema: text,
    scope: "process",
    env: "QDRANT_API_KEY",
    secret: true,
    description: "Key of the Qdrant server.",
  },
  qdrantCollection: {
    schema: text,
    scope: "process",
    env: "QDRANT_COLLECTION",
    default: "corrective_rag",
    description: "Name of the collection. Reading never creates it.",
  },
  qdrantTimeoutSeconds: {
    schema: seconds,
    scope: "process",
    env: "QDRANT_TIMEOUT_SECONDS",
    default: 10,
    description: "Time limit of one request to Qdrant.",
  },
  qdrantShards: {
    schema: integer(1, 1024),
    scope: "process",
    env: "QDRANT_SHARDS",
    defaultMeaning: "the server's",
    description: "Shards of a collection that ingestion creates.",
  },
  qdrantReplication: {
    schema: integer(1, 64),
    scope: "process",
    env: "QDRANT_REPLICATION",
    defaultMeaning: "the server's",
    description: "Replicas of each shard of a collection that ingestion creates.",
  },
  qdrantOnDisk: {
    schema: flag,
    scope: "process",
    env: "QDRANT_ON_DISK",
    default: false,
    description: "Keep vectors and payload of a new collection on disk.",
  },
  qdrantQuantization: {
    schema: z.enum(["none", "scalar", "binary"]),
    scope: "process",
    env: "QDRANT_QUANTIZATION",
    default: "none",
    description: "Quantization of the vectors of a new collection.",
  },
} as const satisfies SettingsTable;

/** How documents are searched. */
export const RETRIEVAL_SETTINGS = {
  topK: {
    schema: integer(1, 100),
    scope: "run",
    default: 5,
    nodes: ["plan", "tools"],
    description: "Passages per search, and kept after reranking.",
  },
  searchMode: {
    schema: z.enum(SEARCH_MODES),
    scope: "run",
    default: "auto",
    nodes: ["plan"],
    description: "First strategy. auto: hybrid where the knowledge base has vectors, else keyword.",
  },
  hyde: {
    schema: flag,
    scope: "run",
    defaultMeaning: "on in quality thorough, else off",
    nodes: ["tools"],
    description: "Search vectors with three hypothetical answers written by the model.",
  },
  rerank: {
    schema: z.enum(RERANK_MODES),
    scope: "run",
    default: "auto",
    nodes: ["tools"],
    description: "auto: rerank when a reranker is named. on: by the reader if none is.",
  },
  reranker: {
    schema: z.enum(["voyage", "cohere", "jina"]),
    scope: "process",
    aliases: ["RERANKER"],
    defaultMeaning: "none",
    description: "Orders the passages found once more.",
  },
  rerankModel: {
    schema: text,
    scope: "process",
    defaultMeaning: "the provider's usual one",
    description: "Model of an HTTP reranker.",
  },
  rerankUrl: {
    schema: url,
    scope: "process",
    defaultMeaning: "the provider's own",
    description: "Endpoint of an HTTP reranker.",
  },
  voyageApiKey: {
    schema: text,
    scope: "process",
    env: "VOYAGE_API_KEY",
    secret: true,
    description: "Key of the reranker voyage.",
  },
  cohereApiKey: {
    schema: text,
    scope: "process",
    env: "COHERE_API_KEY",
    secret: true,
    description: "Key of the reranker cohere.",
  },
  jinaApiKey: {
    schema: text,
    scope: "process",
    env: "JINA_API_KEY",
    secret: true,
    description: "Key of the reranker jina.",
  },
  toolTimeoutSeconds: {
    schema: seconds,
    scope: "process",
    default: 15,
    description: "Time limit of one tool call; a slow tool does not hold the round beyond it.",
  },
  contextTokens: {
    schema: integer(256, 200_000),
    scope: "process",
    default: 4096,
    description: "Tokens of the context window from which an answer is written.",
  },
} as const satisfies SettingsTable;
