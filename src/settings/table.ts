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
  setting,
  someWords,
  text,
  type GivenOf,
  type SettingsTable,
  type ValuesOf,
} from "./setting.js";
import { GRADING_SETTINGS } from "./table/grading.js";
import { KNOWLEDGE_SETTINGS, RETRIEVAL_SETTINGS } from "./table/knowledge.js";
import { MODEL_SETTINGS } from "./table/model.js";
import { WEB_SETTINGS } from "./table/web.js";

/** Limits of a run. */
export const BUDGET_SETTINGS = {
  budget: {
    description: "Limits of a run.",
    settings: {
      modelCalls: setting(integer(0, 10_000), "Maximum number of model calls.", {
        scope: "run",
        defaultMeaning: "12; 24 in quality thorough",
      }),
      tokens: setting(
        integer(0, 100_000_000),
        "Maximum number of tokens, input and output together.",
        {
          scope: "run",
          default: 100_000,
        },
      ),
      seconds: setting(seconds, "Time limit.", { scope: "run", default: 60 }),
      webSearches: setting(integer(0, 1_000), "Maximum number of web searches.", {
        scope: "run",
        default: 3,
      }),
    },
  },
} as const satisfies SettingsTable;

/** The log of runs. */
export const AUDIT_SETTINGS = {
  auditLog: setting(
    text.overwrite((path) => (path.toLowerCase() === "off" ? "off" : path)),
    "File to which each event is appended as one JSON line; off writes none.",
    {
      aliases: ["KB_AGENT_AUDIT_LOG_PATH"],
      default: ".corrective-rag/audit.jsonl",
    },
  ),
  auditRecordInputs: setting(
    flag,
    "Record what the grader saw, so that `eval label` can work. The log then contains document text.",
    { default: false },
  ),
} as const satisfies SettingsTable;

/** The API server. */
export const SERVER_SETTINGS = {
  indexRoots: setting(someWords, "Folders that the indexer may read.", {
    default: ["."],
    defaultMeaning: "the folder that the server was started in",
  }),
  apiKeys: setting(someWords, "Keys; a request to the API or the page must send one of them.", {
    secret: true,
    defaultMeaning: "none: everyone who reaches the server may use it",
  }),
  allowedOrigins: setting(z.array(origin), "Further origins whose pages may use the server.", {
    defaultMeaning: "the page's own and Studio's",
  }),
  allowedHosts: setting(z.array(host), "Further host names of the server.", {
    defaultMeaning: "this machine's own names",
  }),
  webhookOrigins: setting(z.array(origin), "Origins to which a run may post its result."),
  maxBodyBytes: setting(integer(1_024, 1_073_741_824), "Maximum size of a request in bytes.", {
    default: 1_048_576,
  }),
  maxUploadBytes: setting(
    integer(1_024, 1_073_741_824),
    "Maximum size of an uploaded file in bytes.",
    {
      default: 52_428_800,
    },
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
