/** The calls of a round, without a model. Pure. */
import { isRecord } from "../../support/json.js";
import { DOCUMENT_FORMATS, kindOfFile } from "../../formats/document-formats.js";
import { addressOf, isFromWeb } from "../../state/evidence.js";
import { callKey, type PlannedCall } from "../../state/run-record.js";
import { searchTerms } from "../../text/analyse.js";
import { quotationsIn } from "../../text/literals.js";
import { isUserTool, type PlanInput, type ToolDescription } from "../reasoner.js";
import { asksForAll, LIST_TOOL } from "../../tools/list-passages.js";
import { TABLE_TOOL } from "../../tools/query-table.js";
import { asksOfTable } from "../../tools/read-table-question.js";
import { SHEETS } from "../../tools/tables.js";
import { WEB_SEARCH_TOOL } from "../../tools/web-tools.js";
import { localQueries, webQuery } from "./queries.js";

/** Variants of one call, of which the first that was not made before is taken. */
type Ways = readonly PlannedCall[];
type Strategy = PlanInput["strategies"][number];

/**
 * - Searches ask the whole question first, and in later rounds what is still missing.
 * - Paths in the question are read.
 * - Whatever leaves this machine (the web, users' tools) is made of the question's words only.
 * - A tool that the grader asked for is called first. No call is made twice in a run.
 */
export function plan(input: PlanInput): PlannedCall[] {
  const made = new Set(input.history.map(callKey));
  const calls: PlannedCall[] = [];
  const needed = input.tools.find(({ name }) => name === input.toolNeeded);
  const candidates = [
    ...(needed?.strategy ? callsOfStrategy(needed.strategy, input) : []),
    ...(needed && !needed.strategy ? waysToCall(needed, input) : []),
    ...input.strategies.flatMap((strategy) => callsOfStrategy(strategy, input)),
    ...listCalls(input),
    ...pageCalls(input),
    ...userToolCalls(input),
  ];
  for (const ways of candidates) {
    const call = ways.find((way) => !made.has(callKey(way)));
    // Its variants are the same query in other words.
    const isSecondSearch =
      call?.tool === WEB_SEARCH_TOOL && calls.some(({ tool }) => tool === WEB_SEARCH_TOOL);
    if (call === undefined || isSecondSearch) continue;
    made.add(callKey(call));
    calls.push(call);
  }
  return calls;
}

function callsOfStrategy(strategy: Strategy, input: PlanInput): Ways[] {
  switch (strategy) {
    case "keyword":
    case "vector":
    case "hybrid":
      return [searches(`${strategy}_search`, input)];
    case "files":
      return mentionedPaths(input.standaloneQuestion).map((path) => [
        { tool: "read_file", args: { path } },
      ]);
    case "web":
      return [
        [input.purpose, "first" as const, "refine" as const].map((purpose) => ({
          tool: WEB_SEARCH_TOOL,
          args: { query: webQuery(input.outgoingQuestion, purpose) },
        })),
      ];
    default:
      return strategy satisfies never;
  }
}

function searches(tool: string, input: PlanInput): Ways {
  const wasUsed = input.history.some((entry) => entry.tool === tool);
  // A search not used yet has all queries still to ask.
  const asked = localQueries(wasUsed ? input : { ...input, judge: undefined });
  return asked.map(([query, ...queries]) => ({
    tool,
    args: { query, ...(queries.length > 0 && { queries }) },
  }));
}

/** Endings of files that people name without a folder; Node.js is no file. */
const ENDINGS = new Set([
  ...Object.values(DOCUMENT_FORMATS).flatMap(({ endings }) => endings),
  ..."rst adoc doc xml yaml yml toml ini cfg conf env log tex sql py ts tsx jsx mjs cjs".split(" "),
  ..."java go rs rb php cs cpp hpp sh ps1 kt swift".split(" "),
]);
/** Longer texts are pasted; the question stands at the beginning. */
const MAX_CHARACTERS = 2_000;

/** Finds files that the question names, `docs/setup.md` or `"my notes.txt"`; no URLs. */
export function mentionedPaths(text: string): string[] {
  const question = text.slice(0, MAX_CHARACTERS);
  const isKnown = (name: string): boolean => {
    const dot = name.lastIndexOf(".");
    return dot > 0 && ENDINGS.has(name.slice(dot + 1).toLowerCase());
  };
  const quoted = quotationsIn(question).flatMap(({ text: name }) => (isKnown(name) ? [name] : []));
  // Of an address remains what begins with two slashes.
  const bare = question
    .split(/[\s,;:!?"'`“”„«»<>()[\]{}]+/u)
    .map((word) => (word.endsWith(".") ? word.slice(0, -1) : word))
    .filter((word) => isKnown(word) && !word.startsWith("//"))
    .filter((path) => !quoted.some((longer) => longer.includes(path)));
  const paths = [...quoted, ...bare];
  return [...new Set(paths.map((path) => (path.startsWith("./") ? path.slice(2) : path)))];
}

/** Finds all that there is where a question wants it; asks tables where it counts or sums. */
function listCalls({ standaloneQuestion: query, purpose, strategies }: PlanInput): Ways[] {
  const isSearch = strategies.some((strategy) => strategy !== "web" && strategy !== "files");
  const isTable = mentionedPaths(query).some((path) => SHEETS.has(kindOfFile(path)));
  if (purpose !== "first" || !(isSearch || isTable)) return [];
  return [
    ...(asksForAll(query) ? [[{ tool: LIST_TOOL, args: { query } }]] : []),
    ...(asksOfTable(query) ? [[{ tool: TABLE_TOOL, args: {} }]] : []),
  ];
}

/** In later rounds, reads a page behind a web result that was kept. */
function pageCalls({ purpose, kept }: PlanInput): Ways[] {
  if (purpose === "first") return [];
  const [page] = kept.filter(isFromWeb);
  return page ? [[{ tool: "web_fetch", args: { url: addressOf(page.source) } }]] : [];
}

const MAX_USER_TOOLS = 2;

/** Calls users' tools that share a word with the question, and when re-retrieving, untried ones. */
function userToolCalls(input: PlanInput): Ways[] {
  const asked = new Set(searchTerms(input.standaloneQuestion));
  const called = new Set(input.history.map(({ tool }) => tool));
  return input.tools
    .filter(isUserTool)
    .filter(
      ({ name, description }) =>
        (input.purpose === "re_retrieve" && !called.has(name)) ||
        searchTerms(`${name} ${description}`).some((term) => asked.has(term)),
    )
    .slice(0, MAX_USER_TOOLS)
    .flatMap((tool) => waysToCall(tool, input));
}

/** Puts the question in the one parameter that a tool has or requires; no call if it needs more. */
function waysToCall(
  { name, parameters: { properties, required } }: ToolDescription,
  { outgoingQuestion, question }: PlanInput,
): Ways[] {
  const known = isRecord(properties) ? properties : {};
  const needed: unknown[] = Array.isArray(required) ? required : Object.keys(known);
  const key = String(needed[0]);
  const schema = known[key];
  if (needed.length !== 1 || !isRecord(schema) || schema["type"] !== "string") return [];
  return [[outgoingQuestion, question].map((text) => ({ tool: name, args: { [key]: text } }))];
}
