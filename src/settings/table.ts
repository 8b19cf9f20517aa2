/**
 * Every setting there is, once. The types, the parser of the environment, the schema of a run's context with its form in Studio,
 * `.env.example` and the page docs/configuration.md are made from this table.
 */
import type { GivenOf, SettingsTable, ValuesOf } from "./setting.js";
import { GRADING_SETTINGS } from "./table/grading.js";
import { KNOWLEDGE_SETTINGS, RETRIEVAL_SETTINGS } from "./table/knowledge.js";
import { MODEL_SETTINGS } from "./table/model.js";
import { AUDIT_SETTINGS, BUDGET_SETTINGS, SERVER_SETTINGS } from "./table/run.js";
import { WEB_SETTINGS } from "./table/web.js";

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

/** The table in sections, as the documentation shows it. */
export const SETTING_SECTIONS: readonly { title: string; table: SettingsTable }[] = [
  {
    title: "Model (none is needed: without a key and without a base URL the agent runs embedded)",
    table: MODEL_SETTINGS,
  },
  { title: "Knowledge base", table: KNOWLEDGE_SETTINGS },
  { title: "Retrieval", table: RETRIEVAL_SETTINGS },
  { title: "Grading and correction", table: GRADING_SETTINGS },
  {
    title: "Web search (off unless a provider has a key or a URL, or is named)",
    table: WEB_SETTINGS,
  },
  { title: "Budget of a run", table: BUDGET_SETTINGS },
  { title: "Audit log", table: AUDIT_SETTINGS },
  { title: "Server", table: SERVER_SETTINGS },
];

/** Complete settings of an agent. */
export type Settings = ValuesOf<typeof SETTINGS>;

/** Settings as code gives them, all optional. */
export type SettingsInput = GivenOf<typeof SETTINGS>;
