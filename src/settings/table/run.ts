import type { SettingsTable } from "../setting.js";
import { flag, integer, seconds, text, words } from "./shapes.js";

/** What a run may spend. */
export const BUDGET_SETTINGS = {
  budget: {
    description: "What a run may spend.",
    settings: {
      modelCalls: {
        schema: integer(0, 10_000),
        scope: "run",
        defaultMeaning: "12; 24 in quality thorough",
        description: "Model calls at most.",
      },
      tokens: {
        schema: integer(0, 100_000_000),
        scope: "run",
        default: 100_000,
        description: "Tokens at most, input and output together.",
      },
      seconds: {
        schema: seconds,
        scope: "run",
        default: 60,
        description: "Seconds at most.",
      },
      webSearches: {
        schema: integer(0, 1_000),
        scope: "run",
        default: 3,
        description: "Web searches at most.",
      },
    },
  },
} as const satisfies SettingsTable;

/** What is written down of a run. */
export const AUDIT_SETTINGS = {
  auditLog: {
    schema: text,
    scope: "process",
    aliases: ["KB_AGENT_AUDIT_LOG_PATH"],
    default: ".corrective-rag/audit.jsonl",
    description: "Where each event is appended as one JSON line; off writes none.",
  },
  auditRecordInputs: {
    schema: flag,
    scope: "process",
    default: false,
    description:
      "Record what the grader saw, so that `audit replay` and `eval label` can work. The log then contains document text.",
  },
} as const satisfies SettingsTable;

/** The API server. */
export const SERVER_SETTINGS = {
  indexRoots: {
    schema: words,
    scope: "process",
    default: ["."],
    defaultMeaning: "the folder that the server was started in",
    description: "Folders in which the documents must lie that the indexer is asked to read.",
  },
  apiKeys: {
    schema: words,
    scope: "process",
    secret: true,
    defaultMeaning: "none: whoever reaches the server may use it",
    description: "Keys of which a request to the API or the page must show one.",
  },
  allowedOrigins: {
    schema: words,
    scope: "process",
    defaultMeaning: "the page's own and Studio's",
    description: "Further origins whose pages may use the server.",
  },
  allowedHosts: {
    schema: words,
    scope: "process",
    defaultMeaning: "this machine's own names",
    description: "Further names under which the server is reached.",
  },
  webhookOrigins: {
    schema: words,
    scope: "process",
    description: "Origins that a run may call when it has ended.",
  },
  maxBodyBytes: {
    schema: integer(1_024, 1_073_741_824),
    scope: "process",
    default: 1_048_576,
    description: "Bytes of a request at most.",
  },
  maxUploadBytes: {
    schema: integer(1_024, 1_073_741_824),
    scope: "process",
    default: 52_428_800,
    description: "Bytes of an uploaded file at most.",
  },
  maxQuestionBytes: {
    schema: integer(64, 16_777_216),
    scope: "process",
    default: 16_384,
    description: "Bytes of a question, and of each message, at most.",
  },
} as const satisfies SettingsTable;
