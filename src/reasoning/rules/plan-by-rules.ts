/** The calls of a round, without a model. Pure. */
import type { RetrievalStrategy } from "../../state/tool-history.js";
import { callKey, type PlannedCall } from "../../state/tool-history.js";
import { quotedPhrases } from "../../text/entities.js";
import type { Plan, PlanInput } from "../reasoner.js";
import { externalCalls } from "./external-calls.js";
import { localQueries, tellingWords } from "./local-queries.js";
import { webQueryByRules } from "./web-query-by-rules.js";
import {
  mentionedFolder,
  mentionedIdentifiers,
  mentionedLines,
  mentionedPaths,
} from "./mentions.js";

/** Calls of one round at most. */
const MAX_CALLS = 6;
const MAX_GREPS = 2;
/** What `grep_search` takes. */
const LONGEST_PATTERN = 200;

/**
 * - Searches of the knowledge base ask the whole question first, and what is still missing when the round refines.
 * - Paths that the question names are read or looked for; identifiers and quoted phrases are looked up literally.
 * - What leaves this machine (the web, the user's tools) is made of the question's own words alone; hints and evidence shape local searches only.
 * - No call of this run is made twice.
 * - A tool that the grader asked for is called first.
 */
export function planByRules(input: PlanInput): Plan {
  const named = new Set(input.tools.map(({ name }) => name));
  const made = new Set(input.history.map(callKey));
  const calls: PlannedCall[] = [];
  // The first of several ways to call a tool that is new; where all were tried there is no call.
  const take = (ways: readonly PlannedCall[]): void => {
    const call = ways.find((way) => named.has(way.tool) && !made.has(callKey(way)));
    if (!call || calls.length >= MAX_CALLS) return;
    made.add(callKey(call));
    calls.push(call);
  };
  if (input.toolNeeded !== undefined)
    for (const ways of callsOfTool(input.toolNeeded, input)) take(ways);
  for (const strategy of input.strategies)
    for (const ways of callsOfStrategy(strategy, input)) take(ways);
  for (const ways of literalCalls(input)) take(ways);
  for (const ways of externalCalls(input)) take(ways);
  return { calls, reason: reasonOf(input, calls) };
}

type Ways = readonly PlannedCall[];

const SEARCH_TOOLS = {
  keyword: "keyword_search",
  vector: "vector_search",
  hybrid: "hybrid_search",
} as const;

function callsOfStrategy(strategy: RetrievalStrategy, input: PlanInput): Ways[] {
  switch (strategy) {
    case "keyword":
    case "vector":
    case "hybrid":
      return searches(SEARCH_TOOLS[strategy], input);
    case "files":
      return files(input);
    case "web":
      return webSearches(input);
    default:
      return strategy satisfies never;
  }
}

/** A tool that was asked for by name. */
function callsOfTool(tool: string, input: PlanInput): Ways[] {
  const strategy = input.tools.find(({ name }) => name === tool)?.strategy;
  if (strategy !== undefined)
    return callsOfStrategy(strategy, input).filter((ways) => ways.some((way) => way.tool === tool));
  return externalCalls({
    ...input,
    purpose: "re_retrieve",
    tools: input.tools.filter(({ name }) => name === tool),
  });
}

function searches(tool: string, input: PlanInput): Ways[] {
  const wasUsed = input.history.some((entry) => entry.tool === tool);
  // What one search has nothing to ask about any more is still to be asked of another.
  const ways = localQueries(wasUsed ? input : { ...input, judge: undefined }).map(
    ([query, ...more]): PlannedCall => ({
      tool,
      args: { query, ...(more.length > 0 && { queries: more }) },
    }),
  );
  const folder = mentionedFolder(input.standaloneQuestion);
  const inFolder =
    folder === undefined || input.purpose !== "first"
      ? []
      : [ways.map((way): PlannedCall => ({ ...way, args: { ...way.args, path: folder } }))];
  return [...inFolder, ways];
}

/** The files that the question names; without any, those whose name or text holds its most telling words. */
function files(input: PlanInput): Ways[] {
  const question = input.standaloneQuestion;
  const paths = mentionedPaths(question);
  const lines = mentionedLines(question);
  const range = lines && { start_line: lines.start, end_line: lines.end };
  if (paths.length > 0) {
    return paths.map((path) => [
      { tool: "read_file", args: { path, ...range } },
      { tool: "find_file", args: { name: path } },
    ]);
  }
  const words = tellingWords(question);
  return [
    ...(words.length > 0 ? [[{ tool: "find_file", args: { name: words.join(" ") } }]] : []),
    ...words
      .slice(0, MAX_GREPS)
      .map((pattern): Ways => [{ tool: "grep_search", args: { pattern } }]),
  ];
}

/** Identifiers and quoted phrases are looked up as they stand, beside the search. A round that only reads files needs no more. */
function literalCalls(input: PlanInput): Ways[] {
  if (input.strategies.every((strategy) => strategy === "web" || strategy === "files")) return [];
  const phrases = [
    ...mentionedIdentifiers(input.standaloneQuestion),
    ...quotedPhrases(input.standaloneQuestion),
  ];
  return [...new Set(phrases)]
    .filter(({ length }) => length <= LONGEST_PATTERN)
    .slice(0, MAX_GREPS)
    .map((pattern): Ways => [{ tool: "grep_search", args: { pattern } }]);
}

/** Of the question's own words: keywords, or the whole question when these were asked already. */
function webSearches({ standaloneQuestion: question, purpose }: PlanInput): Ways[] {
  const queries = [
    webQueryByRules(question, purpose),
    webQueryByRules(question, "first"),
    webQueryByRules(question, "refine"),
  ];
  return [queries.map((query): PlannedCall => ({ tool: "web_search", args: { query } }))];
}

const PURPOSES: Readonly<Record<PlanInput["purpose"], string>> = {
  first: "the first search",
  refine: "looking for what is still missing",
  re_retrieve: "another way to search",
  guard: "looking for what the answer lacked",
};

function reasonOf({ purpose }: PlanInput, calls: readonly PlannedCall[]): string {
  const tools = [...new Set(calls.map(({ tool }) => tool))].join(", ");
  return calls.length === 0
    ? `${PURPOSES[purpose]}: every call that the rules know was made`
    : `${PURPOSES[purpose]}: ${tools}`;
}
