/**
 * Mistakes that a caller's compiler would have shown, for callers who have none: unknown names, and values that are not allowed. Objects
 * are told by what is called on them, because other versions of LangChain bring classes of their own.
 */
import { PROFILE_NAMES } from "../settings/run-settings.js";
import { entriesOf, isGroup, type SettingsTable } from "../settings/setting.js";
import { SETTINGS, type SettingsInput } from "../settings/table.js";
import { WEB_SEARCH_MODES } from "../settings/table/web.js";
import { UserError } from "../support/errors.js";
import { nearestName } from "../support/nearest-name.js";
import type { AssembleOptions } from "./options.js";

interface OptionShape {
  fits: (value: unknown) => boolean;
  /** What would be right. */
  wants: string;
}

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
const isFunction = (value: unknown): boolean => typeof value === "function";
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
const has =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    isObject(value) && names.some((name) => isFunction(Reflect.get(Object(value), name)));
const oneOf =
  (names: readonly string[]) =>
  (value: unknown): boolean =>
    typeof value === "string" && names.includes(value);
const either =
  (...checks: readonly ((value: unknown) => boolean)[]) =>
  (value: unknown): boolean =>
    checks.some((fits) => fits(value));
const listOf =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);
const isTool = (value: unknown): boolean =>
  has("invoke")(value) && isText(Reflect.get(Object(value), "name"));
const isWebSource = either(has("search"), isTool);

const CHAT_MODEL = {
  fits: either(isText, has("invoke")),
  wants: `"provider:name" or a LangChain chat model; "embedded" is none`,
};

const SHAPES: Readonly<Record<keyof AssembleOptions, OptionShape>> = {
  model: CHAT_MODEL,
  judgeModel: CHAT_MODEL,
  prompts: { fits: isObject, wants: "prompts by name: functions, or { instructions }" },
  knowledgeBase: {
    fits: either(isText, has("search")),
    wants: "a folder's path or a knowledge base",
  },
  retriever: { fits: has("invoke"), wants: "a LangChain retriever" },
  vectorStore: {
    fits: has("similaritySearchWithScore", "similaritySearchVectorWithScore"),
    wants: "a LangChain vector store",
  },
  embeddings: { fits: has("embedDocuments"), wants: "LangChain embeddings" },
  reader: { fits: has("relevance"), wants: "a reader, createReader() for instance" },
  reranker: { fits: has("score"), wants: "a reranker with a method score" },
  profile: {
    fits: either(oneOf(PROFILE_NAMES), isObject),
    wants: `one of ${PROFILE_NAMES.join(", ")}, or a profile of your own`,
  },
  policy: { fits: isFunction, wants: "a function of a sentence" },
  budget: { fits: isObject, wants: "limits by name, { modelCalls: 6 } for instance" },
  tools: { fits: listOf(isTool), wants: "a list of LangChain tools, each with a name" },
  webSearch: {
    fits: either(oneOf(WEB_SEARCH_MODES), isWebSource, listOf(isWebSource)),
    wants: `${WEB_SEARCH_MODES.join(", ")}, a search provider or a LangChain tool, or a list of them`,
  },
  settings: { fits: isObject, wants: "settings by name, { topK: 8 } for instance" },
  environment: { fits: isObject, wants: "variables by name" },
  checkpointer: {
    fits: either((value) => value === false, has("getTuple")),
    wants: "a checkpointer, or false",
  },
  store: { fits: has("put"), wants: "a store of LangGraph" },
  callbacks: { fits: isObject, wants: "a list of callback handlers" },
  onEvent: { fits: isFunction, wants: "a function of an event" },
  now: { fits: isFunction, wants: "a function that gives milliseconds" },
};

/** @throws UserError for an option that does not exist or is not what it must be, and for two sources of evidence where there can be one */
export function checkOptions(options: AssembleOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (!isOption(name)) throw unknownOption(name);
    const { fits, wants } = SHAPES[name];
    if (value !== undefined && !fits(value))
      throw new UserError(
        `the option ${name} of createCorrectiveRag is ${shown(value)}`,
        `it must be ${wants}`,
      );
  }
  const sources = (["knowledgeBase", "retriever", "vectorStore"] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (sources.length > 1)
    throw new UserError(
      `createCorrectiveRag was given ${sources.join(" and ")}`,
      "one of them is searched: leave out the others",
    );
  checkSettings(options.settings ?? {});
}

function isOption(name: string): name is keyof AssembleOptions {
  return Object.hasOwn(SHAPES, name);
}

function unknownOption(name: string): UserError {
  const meant = nearestName(name, Object.keys(SHAPES));
  const hint =
    name in SETTINGS
      ? `settings go into settings: { settings: { ${name}: … } }`
      : meant === undefined
        ? `there are: ${Object.keys(SHAPES).join(", ")}`
        : `did you mean ${meant}?`;
  return new UserError(`createCorrectiveRag has no option "${name}"`, hint);
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  if (Array.isArray(value)) return "a list of other things";
  return isObject(value) ? "something else" : String(value);
}

/** @throws UserError for a setting that does not exist, or whose value is not allowed */
function checkSettings(given: SettingsInput): void {
  for (const [key, value] of Object.entries(given)) checkNames(SETTINGS, key, value);
  for (const { path, setting } of entriesOf(SETTINGS)) {
    const [key, inner] = path;
    const own: unknown = Reflect.get(given, key);
    const value: unknown = inner === undefined ? own : Reflect.get(Object(own), inner);
    if (value === undefined) continue;
    const checked = setting.schema.safeParse(value);
    if (!checked.success)
      throw new UserError(
        `the setting ${path.join(".")} is not valid: ${checked.error.issues[0]?.message ?? ""}`,
        "see docs/configuration.md",
      );
  }
}

function checkNames(table: SettingsTable, key: string, value: unknown): void {
  const row = Object.hasOwn(table, key) ? table[key] : undefined;
  if (row === undefined) {
    const meant = nearestName(key, Object.keys(table));
    throw new UserError(
      `there is no setting "${key}"${meant === undefined ? "" : `: did you mean ${meant}?`}`,
      "see docs/configuration.md",
    );
  }
  if (isGroup(row))
    for (const name of Object.keys(Object(value) as object))
      checkNames(row.settings, name, undefined);
}
