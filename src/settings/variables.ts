/**
 * Every environment variable that the agent reads: name, kind, default, meaning. The one place from which `.env.example` and the table in
 * `docs/configuration.md` are made (`npm run docs`), and by which `environment.ts` reads them.
 */

export type VariableKind =
  | { kind: "text" }
  | { kind: "secret" }
  | { kind: "url" }
  | { kind: "choice"; values: readonly string[] }
  /** Any words, or only these. */
  | { kind: "list"; values?: readonly string[] }
  /** One of these, or whatever follows the prefix. */
  | { kind: "name"; values: readonly string[]; prefix: string }
  | { kind: "switch" }
  | { kind: "integer"; min: number; max: number }
  | { kind: "number"; min: number; max: number };

export interface Variable {
  readonly type: VariableKind;
  /** As it would stand in `.env`; absent where there is none. */
  readonly default?: string;
  /** What the default amounts to where it depends on others. */
  readonly defaultMeaning?: string;
  readonly meaning: string;
  readonly section: string;
}

const text = { kind: "text" } as const;
const secret = { kind: "secret" } as const;
const url = { kind: "url" } as const;
const list = { kind: "list" } as const;
const flag = { kind: "switch" } as const;
const choice = <const V extends readonly string[]>(...values: V) =>
  ({ kind: "choice", values }) as const;
const integer = (min: number, max: number) => ({ kind: "integer", min, max }) as const;
const share = { kind: "number", min: 0, max: 1 } as const;
const seconds = { kind: "number", min: 0.05, max: 86_400 } as const;

const MODEL =
  "Model (none is needed: without a key and without a base URL the agent runs embedded)";
const KNOWLEDGE = "Knowledge base";
const GRADING = "Grading and correction";
const WEB = "Web search (off unless a provider has a key or a URL, or is named)";
const RETRIEVAL = "Retrieval";
const BUDGET = "Budget of a run";
const AUDIT = "Audit log";

export const VARIABLES = {
  OPENAI_API_KEY: { type: secret, section: MODEL, meaning: "Key of the model endpoint." },
  OPENAI_BASE_URL: {
    type: url,
    section: MODEL,
    defaultMeaning: "OpenAI's own",
    meaning:
      "Any OpenAI-compatible endpoint: Ollama (http://localhost:11434/v1), vLLM, llama.cpp, LM Studio or a gateway.",
  },
  LLM_MODEL: {
    type: text,
    section: MODEL,
    default: "gpt-4o-mini",
    meaning: "Model that writes the answers, and judges unless another one is named for that.",
  },
  LLM_MODEL_QUICK: {
    type: text,
    section: MODEL,
    defaultMeaning: "LLM_MODEL",
    meaning: "Cheaper model for `quality` quick.",
  },
  LLM_MODEL_EVALUATION: {
    type: text,
    section: MODEL,
    defaultMeaning: "gpt-4o at OpenAI itself when LLM_MODEL is unset, else LLM_MODEL",
    meaning: "Stronger model that judges in `quality` thorough.",
  },
  LLM_MAX_TOKENS: {
    type: integer(16, 32_000),
    section: MODEL,
    default: "500",
    meaning: "Tokens of an answer at most.",
  },
  LLM_TIMEOUT_SECONDS: {
    type: seconds,
    section: MODEL,
    default: "30",
    meaning: "Time limit of one model call.",
  },
  MODEL_FALLBACK: {
    type: choice("on", "off"),
    section: MODEL,
    default: "on",
    meaning:
      "on: when the endpoint fails, the embedded reasoner takes over and the answer says so. off: the run fails.",
  },

  KB_DIR: {
    type: text,
    section: KNOWLEDGE,
    default: ".corrective-rag/kb",
    meaning: "Folder of the embedded knowledge base (one SQLite file).",
  },
  EMBEDDING_MODEL: {
    type: text,
    section: KNOWLEDGE,
    defaultMeaning: "none: keyword search alone",
    meaning:
      "Embedding model. A plain name is asked of the OpenAI-compatible endpoint; `local:NAME_OR_FOLDER` is an ONNX model run here through @huggingface/transformers.",
  },
  EMBEDDING_BASE_URL: {
    type: url,
    section: KNOWLEDGE,
    defaultMeaning: "OPENAI_BASE_URL",
    meaning: "Endpoint of the embedding model.",
  },
  EMBEDDING_API_KEY: {
    type: secret,
    section: KNOWLEDGE,
    defaultMeaning: "OPENAI_API_KEY",
    meaning: "Key of the embedding endpoint.",
  },
  QDRANT_URL: {
    type: url,
    section: KNOWLEDGE,
    meaning:
      "Keep the knowledge base in Qdrant, a server or a cluster, in place of the SQLite file.",
  },
  QDRANT_API_KEY: { type: secret, section: KNOWLEDGE, meaning: "Key of the Qdrant server." },
  QDRANT_COLLECTION: {
    type: text,
    section: KNOWLEDGE,
    default: "corrective_rag",
    meaning: "Name of the collection. Reading never creates it.",
  },
  QDRANT_TIMEOUT_SECONDS: {
    type: seconds,
    section: KNOWLEDGE,
    default: "10",
    meaning: "Time limit of one request to Qdrant.",
  },
  QDRANT_SHARDS: {
    type: integer(1, 1024),
    section: KNOWLEDGE,
    defaultMeaning: "the server's",
    meaning: "Shards of a collection that ingestion creates.",
  },
  QDRANT_REPLICATION: {
    type: integer(1, 64),
    section: KNOWLEDGE,
    defaultMeaning: "the server's",
    meaning: "Replicas of each shard of a collection that ingestion creates.",
  },
  QDRANT_ON_DISK: {
    type: flag,
    section: KNOWLEDGE,
    default: "off",
    meaning: "Keep vectors and payload of a new collection on disk.",
  },
  QDRANT_QUANTIZATION: {
    type: choice("none", "scalar", "binary"),
    section: KNOWLEDGE,
    default: "none",
    meaning: "Quantisation of the vectors of a new collection.",
  },

  TOP_K: {
    type: integer(1, 100),
    section: RETRIEVAL,
    default: "5",
    meaning: "Passages per search, and kept after reranking.",
  },
  SEARCH_MODE: {
    type: choice("auto", "keyword", "vector", "hybrid"),
    section: RETRIEVAL,
    default: "auto",
    meaning: "First strategy. auto: hybrid where the knowledge base has vectors, else keyword.",
  },
  HYDE: {
    type: flag,
    section: RETRIEVAL,
    defaultMeaning: "on in `quality` thorough, else off",
    meaning: "Search vectors with three hypothetical answers written by the model.",
  },
  RERANK: {
    type: choice("auto", "on", "off"),
    section: RETRIEVAL,
    default: "auto",
    meaning: "auto: rerank when a RERANKER is named. on: with the embedded lexical one if none is.",
  },
  RERANKER: {
    type: { kind: "name", values: ["lexical", "voyage", "cohere", "jina"], prefix: "local:" },
    section: RETRIEVAL,
    defaultMeaning: "lexical",
    meaning:
      "`lexical`, `voyage`, `cohere`, `jina`, or `local:NAME_OR_FOLDER` for an ONNX cross-encoder.",
  },
  RERANK_MODEL: {
    type: text,
    section: RETRIEVAL,
    defaultMeaning: "the provider's usual one",
    meaning: "Model of an HTTP reranker.",
  },
  RERANK_URL: {
    type: url,
    section: RETRIEVAL,
    defaultMeaning: "the provider's own",
    meaning: "Endpoint of an HTTP reranker.",
  },
  VOYAGE_API_KEY: { type: secret, section: RETRIEVAL, meaning: "Key for RERANKER=voyage." },
  COHERE_API_KEY: { type: secret, section: RETRIEVAL, meaning: "Key for RERANKER=cohere." },
  JINA_API_KEY: { type: secret, section: RETRIEVAL, meaning: "Key for RERANKER=jina." },
  TOOL_TIMEOUT_SECONDS: {
    type: seconds,
    section: RETRIEVAL,
    default: "15",
    meaning: "Time limit of one tool call; a slow tool does not hold the round beyond it.",
  },
  CONTEXT_TOKENS: {
    type: integer(256, 200_000),
    section: RETRIEVAL,
    default: "4096",
    meaning: "Tokens of the context window from which an answer is written.",
  },

  CRAG_PROFILE: {
    type: choice("adaptive", "signals", "holistic", "adequacy", "three_action"),
    section: GRADING,
    default: "adaptive",
    meaning: "How evidence is judged; see docs/profiles.md.",
  },
  RAG_QUALITY: {
    type: choice("quick", "balanced", "thorough"),
    section: GRADING,
    defaultMeaning: "balanced's models, and the profile's own number of corrections",
    meaning:
      "quick: 1 correction and the cheaper model; balanced: 2; thorough: 4, the stronger evaluation model, HyDE and self-consistency.",
  },
  KB_AGENT_MAX_ITERATIONS: {
    type: integer(0, 20),
    section: GRADING,
    defaultMeaning: "MAX_RAG_LOOPS, else 3; 1 in signals, holistic and three_action",
    meaning: "Corrections at most.",
  },
  MAX_RAG_LOOPS: {
    type: integer(0, 20),
    section: GRADING,
    meaning: "The same under its older name; KB_AGENT_MAX_ITERATIONS wins.",
  },
  KB_AGENT_VECTOR_SCORE_THRESHOLD: {
    type: share,
    section: GRADING,
    default: "0.8",
    meaning:
      "adaptive: fast path `high_vector_score`, the cosine from which vector hits are approved without a judge.",
  },
  KB_AGENT_AUTO_APPROVE_MAX_ITEMS: {
    type: integer(0, 100),
    section: GRADING,
    default: "2",
    meaning: "adaptive: fast path `few_context`, up to so many items are approved without a judge.",
  },
  KB_AGENT_GENERATE_THRESHOLD: {
    type: share,
    section: GRADING,
    default: "0.7",
    meaning: "adaptive: CORRECT from this mean of the kept items (inclusive).",
  },
  KB_AGENT_KEEP_THRESHOLD: {
    type: share,
    section: GRADING,
    default: "0.3",
    meaning: "An item below this is removed; in adaptive a mean below it is INCORRECT.",
  },
  CRAG_RELEVANCE_THRESHOLD: {
    type: share,
    section: GRADING,
    default: "0.7",
    meaning: "holistic: relevant from here (inclusive).",
  },
  CRAG_AMBIGUOUS_THRESHOLD: {
    type: share,
    section: GRADING,
    default: "0.5",
    meaning: "holistic: irrelevant below here (strict).",
  },
  CRAG_CORRECT_THRESHOLD: {
    type: share,
    section: GRADING,
    default: "0.7",
    meaning: "signals (inclusive) and three_action (strict): CORRECT from, or above, here.",
  },
  CRAG_INCORRECT_THRESHOLD: {
    type: share,
    section: GRADING,
    default: "0.3",
    meaning: "signals (inclusive) and three_action (strict): INCORRECT up to, or below, here.",
  },
  CRAG_ADEQUACY_THRESHOLD: {
    type: share,
    section: GRADING,
    default: "0.75",
    meaning: "adequacy: adequate from here (inclusive).",
  },
  CRAG_READER: {
    type: text,
    section: GRADING,
    default: "trained",
    meaning:
      "What reads the evidence: trained (a sentence encoder), lexical (words alone), or a folder with an encoder of your own.",
  },
  CALIBRATION_FILE: {
    type: text,
    section: GRADING,
    meaning:
      "A file made by `corrective-rag calibrate`: the reader's weights and thresholds fitted to your labels.",
  },
  GRADE_BATCH_SIZE: {
    type: integer(20, 500),
    section: GRADING,
    default: "40",
    meaning: "Items per batch grading call.",
  },
  GRADE_CONCURRENCY: {
    type: integer(1, 64),
    section: GRADING,
    default: "4",
    meaning: "Grading calls at a time where each document has its own.",
  },
  SELF_CONSISTENCY: {
    type: flag,
    section: GRADING,
    defaultMeaning: "on in `quality` thorough, else off",
    meaning: "Write two answers at different temperatures; if they disagree, go round once more.",
  },
  SECOND_OPINION: {
    type: flag,
    section: GRADING,
    default: "off",
    meaning: "After the model-free check a model looks at the answer's claims once more.",
  },
  POLICY_WORDS: {
    type: list,
    section: GRADING,
    meaning:
      "Words that no answer may contain; a sentence that does is withheld, and the outcome names the cause policy_blocked.",
  },

  WEB_SEARCH: {
    type: choice("auto", "on", "off"),
    section: WEB,
    default: "auto",
    meaning:
      "auto and on: search when the grader asks for it, with the providers there are; on warns when there is none. off: never.",
  },
  WEB_PROVIDERS: {
    type: { kind: "list", values: ["tavily", "searxng", "brave", "mediawiki", "duckduckgo"] },
    section: WEB,
    defaultMeaning: "those with a key or a URL: tavily, searxng, brave",
    meaning:
      "Providers in the order in which they are tried: tavily, searxng, brave, mediawiki, duckduckgo. Keyless ones only run when named here.",
  },
  TAVILY_API_KEY: { type: secret, section: WEB, meaning: "Key of Tavily." },
  TAVILY_BASE_URL: {
    type: url,
    section: WEB,
    default: "https://api.tavily.com",
    meaning: "Endpoint of Tavily.",
  },
  SEARXNG_URL: {
    type: url,
    section: WEB,
    meaning: "Your SearXNG instance; its JSON format must be enabled.",
  },
  BRAVE_API_KEY: { type: secret, section: WEB, meaning: "Key of Brave Search." },
  BRAVE_BASE_URL: {
    type: url,
    section: WEB,
    default: "https://api.search.brave.com",
    meaning: "Endpoint of Brave Search.",
  },
  MEDIAWIKI_URL: {
    type: url,
    section: WEB,
    default: "https://en.wikipedia.org/w/api.php",
    meaning: "api.php of the wiki that `mediawiki` searches.",
  },
  WEB_USER_AGENT: {
    type: text,
    section: WEB,
    defaultMeaning: "the agent's own name and version",
    meaning:
      "How requests to pages and to `mediawiki` name themselves; Wikipedia asks for a way to reach you in it.",
  },
  WEB_RESULTS: {
    type: integer(1, 20),
    section: WEB,
    default: "3",
    meaning: "Results per web search.",
  },
  WEB_FETCH: {
    type: flag,
    section: WEB,
    default: "off",
    meaning: "Fetch the pages behind the results and read their main content.",
  },
  WEB_KEY_POINTS: {
    type: flag,
    section: WEB,
    default: "off",
    meaning:
      "A model writes key points of web text, each tied to its source, in place of extractive strips.",
  },
  WEB_TIMEOUT_SECONDS: {
    type: seconds,
    section: WEB,
    default: "8",
    meaning: "Time limit of one request to a provider or a page.",
  },
  WEB_COOLDOWN_SECONDS: {
    type: { kind: "number", min: 0, max: 86_400 },
    section: WEB,
    default: "0",
    meaning:
      "Least time between two web searches, and between two for the same question; 0 for none.",
  },
  WEB_CACHE_SECONDS: {
    type: { kind: "number", min: 0, max: 604_800 },
    section: WEB,
    default: "900",
    meaning: "How long a result is remembered; 0 remembers nothing.",
  },

  BUDGET_MODEL_CALLS: {
    type: integer(0, 10_000),
    section: BUDGET,
    default: "12",
    meaning: "Model calls at most.",
  },
  BUDGET_TOKENS: {
    type: integer(0, 100_000_000),
    section: BUDGET,
    default: "100000",
    meaning: "Tokens at most, input and output together.",
  },
  BUDGET_SECONDS: { type: seconds, section: BUDGET, default: "60", meaning: "Seconds at most." },
  BUDGET_WEB_SEARCHES: {
    type: integer(0, 1_000),
    section: BUDGET,
    default: "3",
    meaning: "Web searches at most.",
  },

  KB_AGENT_AUDIT_LOG_PATH: {
    type: text,
    section: AUDIT,
    default: ".corrective-rag/audit.jsonl",
    meaning: "Where each event is appended as one JSON line; `off` writes none.",
  },
  AUDIT_RECORD_INPUTS: {
    type: flag,
    section: AUDIT,
    default: "off",
    meaning:
      "Record what the grader saw, so that `audit replay` and `eval label` can work. The log then contains document text.",
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof VARIABLES;
