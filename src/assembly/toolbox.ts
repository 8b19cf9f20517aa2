/** Which tools a run has: those of its knowledge base, of the web, and the user's. */
import type { StructuredToolInterface } from "@langchain/core/tools";
import { LRUCache } from "lru-cache";
import type { RunSettings } from "../settings/run-settings.js";
import type { Toolbox } from "../nodes/parts.js";
import type { Reader } from "../reader/reader.js";
import type { Holdings, Reasoner } from "../reasoning/reasoner.js";
import type { Hit, KnowledgeBase, SearchMode } from "../retrieval/knowledge-base.js";
import { viewOf } from "../retrieval/view.js";
import { createGrepSearchTool, createReadFileTool } from "../tools/file-tools.js";
import { createListTool } from "../tools/list-passages.js";
import { createTableTool } from "../tools/query-table.js";
import { createSearchTool, type SearchToolOptions } from "../tools/search-knowledge-base.js";
import { UserError } from "../support/errors.js";
import { userTool, type AgentTool } from "../tools/tool.js";
import { createResultUrls, createWebFetchTool, createWebSearchTool } from "../tools/web-tools.js";
import type { FetchPage, WebSearch } from "../web/search-provider.js";

interface ToolboxOptions {
  knowledgeBase: () => Promise<KnowledgeBase>;
  webSearch: () => Promise<WebSearch | undefined>;
  fetchPage: FetchPage;
  /** The user's tools, and those of MCP servers. */
  tools: () => Promise<readonly StructuredToolInterface[]>;
  reasoner: () => Promise<Reasoner>;
  reader: () => Promise<Reader>;
}

/** Hypothetical answers (HyDE) per question, as in the design of the holistic workflow. */
const HYPOTHETICAL_ANSWERS = 3;

/** About 10 MB, at 20 passages each. */
const CACHED_SEARCHES = 500;

/** Gives each run its tools: those of the knowledge base, the web if allowed, the user's. */
export function createToolboxes({
  knowledgeBase,
  webSearch,
  fetchPage,
  tools,
  reasoner,
  reader,
}: ToolboxOptions): (settings: RunSettings) => Promise<Toolbox> {
  const cache = new LRUCache<string, Hit[]>({ max: CACHED_SEARCHES });
  const resultUrls = createResultUrls();
  return async (settings) => {
    const judge = await reader();
    const whole = await knowledgeBase();
    const opened = await viewOf(whole, settings);
    const canRead = await knowsDocuments(whole);
    // Each search of a run wants them, and the model writes them once.
    const hypotheticals = new Map<string, Promise<readonly string[]>>();
    const isWebAllowed = settings.webSearch !== "off" && !settings.switchedOff.includes("web");
    const search = isWebAllowed ? await webSearch() : undefined;
    const local = knowledgeBaseTools({
      knowledgeBase: opened,
      searchMode: settings.searchMode,
      canRead,
      cache,
      ...(opened.vectorModel !== undefined &&
        opened.vectorModel === judge.model && {
          remember: (passages, vectors) => judge.remember?.(passages, vectors),
        }),
      async hypothesize(question, scope) {
        const writer = await reasoner();
        const written =
          hypotheticals.get(question) ??
          writer.hypothesize({ question, count: HYPOTHETICAL_ANSWERS }, scope);
        hypotheticals.set(question, written);
        return written;
      },
    });
    const web: AgentTool[] = search
      ? [
          createWebSearchTool({ webSearch: search, resultUrls }),
          createWebFetchTool({ fetchPage, resultUrls }),
        ]
      : [];
    const usersTools = (await tools()).map((tool) => userTool(tool));
    const all = [...local, ...web, ...usersTools];
    requireUniqueNames(all);
    return {
      tools: all,
      strategies: [...new Set(all.flatMap(({ strategy }) => strategy ?? []))],
      web: web.length > 0,
      providers: search?.providers ?? [],
      holdings: () => holdingsOf(opened, { counts: "put" in whole }),
    };
  };
}

/**
 * Returns a search tool for each mode of the knowledge base, the preferred one first, and the file
 * tools if it knows documents.
 * @param canRead the knowledge base knows documents: see `knowsDocuments`
 * @param searchMode `auto` offers every mode, any other value that mode alone
 * @throws UserError if the knowledge base does not support the mode
 */
export function knowledgeBaseTools({
  searchMode,
  canRead,
  ...options
}: SearchToolOptions & Pick<RunSettings, "searchMode"> & { canRead: boolean }): AgentTool[] {
  const { knowledgeBase } = options;
  const searches = modesOf(knowledgeBase, searchMode).map((mode) =>
    createSearchTool(mode, options),
  );
  if (knowledgeBase.modes.includes("keyword")) searches.push(createListTool(knowledgeBase));
  if (!canRead) return searches;
  return [
    ...searches,
    createReadFileTool(knowledgeBase),
    createGrepSearchTool(knowledgeBase),
    createTableTool(knowledgeBase),
  ];
}

/** Counting is slow in a large store, so one that had documents is not asked again. */
const seenWithDocuments = new WeakSet<KnowledgeBase>();

/** True if the file tools have anything to work on. */
export async function knowsDocuments(knowledgeBase: KnowledgeBase): Promise<boolean> {
  if (seenWithDocuments.has(knowledgeBase)) return true;
  const { documents } = await knowledgeBase.stats();
  if (documents > 0) seenWithDocuments.add(knowledgeBase);
  return documents > 0;
}

function modesOf(
  { modes, name }: KnowledgeBase,
  searchMode: RunSettings["searchMode"],
): readonly SearchMode[] {
  if (searchMode === "auto") return modes;
  if (modes.includes(searchMode)) return [searchMode];
  throw new UserError(
    `${name} has no ${searchMode} search; it offers ${modes.join(", ")}`,
    "for vector and hybrid search set CRAG_EMBEDDING_MODEL and ingest again",
  );
}

/** @throws UserError if two tools have the same name */
export function requireUniqueNames(tools: readonly AgentTool[]): void {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new UserError(`there are two tools named ${twice}`, "rename the tool that you passed in");
}

async function holdingsOf(
  knowledgeBase: KnowledgeBase,
  { counts }: { counts: boolean },
): Promise<Holdings> {
  const [{ documents, passages }, records] = await Promise.all([
    knowledgeBase.stats(),
    knowledgeBase.documents(),
  ]);
  const listed = records
    .map(({ title, path }) => ({ title, path }))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { name: knowledgeBase.name, documents, passages, counted: passages > 0 || counts, listed };
}
