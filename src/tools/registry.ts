/** The tools of one run by name, and what they can serve. Pure but for the tools themselves. */
import type { SEARCH_MODES, RunSettings } from "../settings/run-settings.js";
import { UserError } from "../support/errors.js";
import type { KnowledgeBase, SearchMode } from "../retrieval/knowledge-base.js";
import { createFindFileTool } from "./find-file.js";
import { createGrepSearchTool } from "./grep-search.js";
import { createReadFileTool } from "./read-file.js";
import { createSearchTool, type SearchToolOptions } from "./search-knowledge-base.js";
import type { RetrievalStrategy } from "../state/tool-history.js";
import type { AgentTool } from "./tool.js";

/**
 * The tools that a knowledge base can serve: a search for each of its modes, the preferred one first, and the file tools where it knows
 * documents.
 * @param searchMode `auto` offers every mode; another one offers it alone
 * @throws UserError when the knowledge base cannot serve the mode that was asked for
 */
export async function knowledgeBaseTools({
  searchMode,
  ...options
}: SearchToolOptions & { searchMode: (typeof SEARCH_MODES)[number] }): Promise<AgentTool[]> {
  const { knowledgeBase, timeoutInMs } = options;
  const searches = modesOf(knowledgeBase, searchMode).map((mode) =>
    createSearchTool(mode, options),
  );
  if (!(await knowsDocuments(knowledgeBase))) return searches;
  return [
    ...searches,
    ...[createReadFileTool, createGrepSearchTool, createFindFileTool].map((create) =>
      create({ knowledgeBase, timeoutInMs }),
    ),
  ];
}

/** Counting costs a large store some time, and tools are made several times a run: what was seen to hold documents is not asked again. */
const seenWithDocuments = new WeakSet<KnowledgeBase>();

/** Whether the file tools have anything to work on. */
export async function knowsDocuments(knowledgeBase: KnowledgeBase): Promise<boolean> {
  if (seenWithDocuments.has(knowledgeBase)) return true;
  const { documents } = await knowledgeBase.stats();
  if (documents > 0) seenWithDocuments.add(knowledgeBase);
  return documents > 0;
}

function modesOf(
  { modes, name }: KnowledgeBase,
  searchMode: (typeof SEARCH_MODES)[number],
): readonly SearchMode[] {
  if (searchMode === "auto") return modes;
  if (modes.includes(searchMode)) return [searchMode];
  throw new UserError(
    `the knowledge base ${name} cannot be searched in the mode ${searchMode}; it offers ${modes.join(", ")}`,
    "Set EMBEDDING_MODEL and ingest again for vector and hybrid search, or choose another search mode.",
  );
}

/** The tools by name. @throws UserError when two have one name, or a user's tool takes the name of one of the agent's */
export function registerTools(tools: readonly AgentTool[]): ReadonlyMap<string, AgentTool> {
  const byName = new Map<string, AgentTool>();
  for (const tool of tools) {
    if (byName.has(tool.name))
      throw new UserError(
        `there are two tools named ${tool.name}`,
        "Rename the tool that you passed in.",
      );
    byName.set(tool.name, tool);
  }
  return byName;
}

/** The strategies that the tools serve, in the order of the tools. The web is left out when the settings switch it off. */
export function strategiesOf(
  tools: readonly AgentTool[],
  { webSearch, switchedOff }: Pick<RunSettings, "webSearch" | "switchedOff">,
): RetrievalStrategy[] {
  const web = webSearch !== "off" && !switchedOff.includes("web");
  const strategies = tools.flatMap(({ strategy }) => strategy ?? []);
  return [...new Set(strategies)].filter((strategy) => strategy !== "web" || web);
}
