/** The tools of one run by name, and what they can serve. */
import type { KnowledgeBase, SearchMode } from "../retrieval/knowledge-base.js";
import type { RunSettings } from "../settings/run-settings.js";
import type { RetrievalStrategy } from "../state/run-record.js";
import { UserError } from "../support/errors.js";
import { createGrepSearchTool } from "./grep-search.js";
import { createReadFileTool } from "./read-file.js";
import { createSearchTool, type SearchToolOptions } from "./search-knowledge-base.js";
import type { AgentTool } from "./tool.js";
import { isWebAllowed } from "./web-fetch.js";

/**
 * Returns the tools that a knowledge base can serve: a search for each of its modes, the preferred
 * one first, and the file tools where it knows documents.
 * @param searchMode `auto` offers every mode; another one offers it alone
 * @throws UserError when the knowledge base cannot serve the mode that was asked for
 */
export async function knowledgeBaseTools({
  searchMode,
  ...options
}: SearchToolOptions & Pick<RunSettings, "searchMode">): Promise<AgentTool[]> {
  const { knowledgeBase } = options;
  const searches = modesOf(knowledgeBase, searchMode).map((mode) =>
    createSearchTool(mode, options),
  );
  if (!(await knowsDocuments(knowledgeBase))) return searches;
  return [...searches, createReadFileTool(knowledgeBase), createGrepSearchTool(knowledgeBase)];
}

/** Counting costs a large store some time: what was seen to hold documents is not asked again. */
const seenWithDocuments = new WeakSet<KnowledgeBase>();

/** True where the file tools have anything to work on. */
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
    `the knowledge base ${name} cannot be searched in the mode ${searchMode}; it offers ${modes.join(", ")}`,
    "Set CRAG_EMBEDDING_MODEL and ingest again for vector and hybrid search, or choose another search mode.",
  );
}

/** @throws UserError when two have one name, or a user's tool takes the name of the agent's */
export function requireUniqueNames(tools: readonly AgentTool[]): void {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new UserError(
      `there are two tools named ${twice}`,
      "Rename the tool that you passed in.",
    );
}

/** Returns the strategies that the tools serve, in their order; without the web where it is off. */
export function strategiesOf(
  tools: readonly AgentTool[],
  settings: Pick<RunSettings, "webSearch" | "switchedOff">,
): RetrievalStrategy[] {
  const strategies = tools.flatMap(({ strategy }) => strategy ?? []);
  return [...new Set(strategies)].filter((each) => each !== "web" || isWebAllowed(settings));
}
