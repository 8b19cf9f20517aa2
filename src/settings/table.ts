/**
 * Every setting, once. The types, the parser of the environment, the schema of a run's context and
 * its form in Studio, `.env.example` and docs/configuration.md are derived from it.
 */
import { z } from "zod";
import {
  entriesOf,
  flag,
  host,
  integer,
  origin,
  seconds,
  perRun,
  setting,
  someWords,
  text,
  url,
  type GivenOf,
  type SettingsTable,
  type ValuesOf,
} from "./setting.js";
import { GRADING_SETTINGS } from "./table/grading.js";
import { KNOWLEDGE_SETTINGS, RETRIEVAL_SETTINGS } from "./table/knowledge.js";
import { WEB_SETTINGS } from "./table/web.js";

/** The language model. Without a model, a key and a base URL the agent runs embedded. */
export const MODEL_SETTINGS = {
  model: perRun(
    text,
    "Model that writes and judges: a name at the endpoint, or provider:name (openai:gpt-4o).",
    {
      aliases: ["LLM_MODEL"],
      defaultMeaning: "gpt-4o-mini if there is a key or a base URL, else none",
      contextOnly: true,
      nodes: ["synthesize"],
    },
  ),
  quickModel: setting(text, "Cheaper model for quality quick.", {
    aliases: ["LLM_MODEL_QUICK"],
    defaultMeaning: "the model",
  }),
  judgeModel: perRun(text, "Model that judges the evidence.", {
    defaultMeaning: "the model",
    contextOnly: true,
    nodes: ["grade_evidence"],
  }),
  thoroughJudgeModel: setting(
    text,
    "Stronger model that judges in quality thorough, unless a judge is named.",
    {
      aliases: ["LLM_MODEL_EVALUATION"],
      defaultMeaning: "gpt-4o at OpenAI itself if no model is named, else the model",
    },
  ),
  openaiApiKey: setting(text, "Key of the model endpoint.", {
    env: "OPENAI_API_KEY",
    secret: true,
  }),
  openaiBaseUrl: setting(
    url,
    "Any OpenAI-compatible endpoint: Ollama (http://localhost:11434/v1), vLLM, a gateway.",
    { env: "OPENAI_BASE_URL", defaultMeaning: "OpenAI's own" },
  ),
  maxAnswerTokens: perRun(integer(16, 32_000), "Maximum length of an answer in tokens.", {
    default: 500,
    nodes: ["synthesize"],
  }),
  modelTimeoutSeconds: setting(seconds, "Time limit of one model call.", { default: 30 }),
  modelFallback: perRun(
    z.enum(["on", "off"]),
    "When the endpoint fails. on: the embedded reasoner takes over, with a warning. off: an error.",
    { default: "on" },
  ),
  selfConsistency: perRun(
    flag,
    "Write two answers at different temperatures; if they disagree, search once more.",
    { defaultMeaning: "on in quality thorough, else off", nodes: ["synthesize"] },
  ),
  guard: perRun(
    z.enum(["strict", "standard", "mark", "off"]),
    "standard: sentences without support are marked; withdrawn is only what cannot stay. " +
      "strict: whatever no source supports is withdrawn. " +
      "mark: nothing is withdrawn. off: no check.",
    { default: "standard", nodes: ["guard_answer"] },
  ),
  sourcesInText: perRun(
    flag,
    "Append the sources to the text of the answer, for chat clients that show no citations.",
    { default: false, nodes: ["guard_answer"] },
  ),
} as const satisfies SettingsTable;

/** Limits of a run. */
export const BUDGET_SETTINGS = {
  budget: {
    description: "Limits of a run.",
    settings: {
      modelCalls: perRun(integer(0, 10_000), "Maximum number of model calls.", {
        defaultMeaning: "12; 24 in quality thorough",
      }),
      tokens: perRun(
        integer(0, 100_000_000),
        "Maximum number of tokens, input and output together.",
        { default: 100_000 },
      ),
      seconds: perRun(seconds, "Time limit.", { default: 60 }),
      webSearches: perRun(integer(0, 1_000), "Maximum number of web searches.", { default: 3 }),
    },
  },
} as const satisfies SettingsTable;

/** What runs leave behind. */
export const AUDIT_SETTINGS = {
  auditLog: setting(
    text.overwrite((path) => (path.toLowerCase() === "off" ? "off" : path)),
    "File to which each event is appended as one JSON line; off writes none.",
    { aliases: ["KB_AGENT_AUDIT_LOG_PATH"], default: ".corrective-rag/audit.jsonl" },
  ),
  auditRecordInputs: setting(
    flag,
    "Record what the grader saw, for `eval label`. The log then contains document text.",
    { default: false },
  ),
  checkpoints: setting(
    z.enum(["turn", "step"]),
    "turn: checkpoints before and after a run. step: every step, which takes four times the space.",
    { default: "turn" },
  ),
} as const satisfies SettingsTable;

/** The servers. */
export const SERVER_SETTINGS = {
  indexRoots: setting(someWords, "Folders that the indexer may read.", {
    default: ["."],
    defaultMeaning: "the folder that the server was started in",
  }),
  apiKeys: setting(
    someWords,
    "Keys of clients, `name:key` or just `key`; a request must send one of them.",
    { secret: true, defaultMeaning: "none: the server serves its own machine only" },
  ),
  admins: setting(
    someWords,
    "Who may change documents and read `/metrics`: names of keys, subjects or groups of tokens.",
    { defaultMeaning: "everybody who may use the server" },
  ),
  jwtJwksUrl: setting(url, "Where an identity provider publishes the keys of its tokens (JWKS)."),
  jwtIssuer: setting(text, "Issuer that a token must name."),
  jwtAudience: setting(text, "Audience that a token must name."),
  jwtAlgorithm: setting(
    z.enum(["RS256", "PS256", "ES256", "EdDSA"]),
    "Algorithm that a token must be signed with.",
    { default: "RS256" },
  ),
  databaseUrl: setting(
    text.refine(
      (address) => ["postgres:", "postgresql:"].some((start) => address.startsWith(`${start}//`)),
      {
        error: "a URL that begins with postgres://",
      },
    ),
    "Postgres database for threads and runs; without one a SQLite file holds them.",
    { secret: true, env: "DATABASE_URL" },
  ),
  dataDir: setting(text, "Folder of the SQLite file of threads and runs.", {
    default: ".corrective-rag",
  }),
  maxRuns: setting(integer(1, 1_000), "Questions that the server answers at a time.", {
    default: 8,
  }),
  maxRunsPerClient: setting(
    integer(1, 100_000),
    "Questions of one client that may wait or run at a time.",
    { default: 100 },
  ),
  allowedOrigins: setting(z.array(origin), "Further origins whose pages may use the server.", {
    defaultMeaning: "the page's own; for `dev` Studio's, too",
  }),
  allowedHosts: setting(z.array(host), "Further host names of the server.", {
    defaultMeaning: "this machine's own names",
  }),
  maxBodyBytes: setting(integer(1_024, 1_073_741_824), "Maximum size of a request in bytes.", {
    default: 1_048_576,
  }),
  maxUploadBytes: setting(
    integer(1_024, 1_073_741_824),
    "Maximum size of an uploaded file in bytes.",
    { default: 52_428_800 },
  ),
  maxQuestionBytes: setting(
    integer(64, 16_777_216),
    "Maximum size of a question, and of each message, in bytes.",
    { default: 16_384 },
  ),
} as const satisfies SettingsTable;

export const SETTINGS = {
  ...MODEL_SETTINGS,
  ...KNOWLEDGE_SETTINGS,
  ...RETRIEVAL_SETTINGS,
  ...GRADING_SETTINGS,
  ...WEB_SETTINGS,
  ...BUDGET_SETTINGS,
  ...AUDIT_SETTINGS,
  ...SERVER_SETTINGS,
} as const satisfies SettingsTable;

/** All settings, those of groups included. */
export const ENTRIES = entriesOf(SETTINGS);

/** Complete settings of an agent. */
export type Settings = ValuesOf<typeof SETTINGS>;

/** Settings as code gives them, all optional. */
export type SettingsInput = GivenOf<typeof SETTINGS>;
