/** Which tools a run has over its knowledge base. */
import type { KnowledgeBase, SearchMode } from "../retrieval/knowledge-base.js";
import type { RunSettings } from "../settings/run-settings.js";
import { UserError } from "../support/errors.js";
import { createGrepSearchTool, createReadFileTool } from "./file-tools.js";
import { createListTool } from "./list-passages.js";
import { createTableTool } from "./query-table.js";
import { createSearchTool, type SearchToolOptions } from "./search-knowledge-base.js";
import type { AgentTool } from "./tool.js";

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
