import { z } from "zod";
import type { DocumentRecord, KnowledgeBase } from "../retrieval/knowledge-base.js";
import { isGlob, pathMatcher } from "../retrieval/search-filter.js";
import type { Evidence } from "../state/evidence.js";
import { evidenceFromHit, evidenceId, makeEvidence, nearestFirst } from "./make-evidence.js";
import { defineTool, type AgentTool } from "./tool.js";
import { counted } from "../text/words.js";

/** Documents named in the list, and documents whose beginning is shown. */
const MAX_LISTED = 20;
const MAX_SHOWN = 3;

/** Finds documents by name, title or glob: how the best begin, and a list of those named. */
export function createFindFileTool({
  knowledgeBase,
  timeoutInMs = 10_000,
}: {
  knowledgeBase: KnowledgeBase;
  timeoutInMs?: number;
}): AgentTool {
  return defineTool({
    name: "find_file",
    description:
      "Finds documents of the knowledge base by file name, words of their path or title, or a glob such as docs/**/*.md.",
    strategy: "files",
    external: false,
    timeoutInMs,
    args: z.object({
      name: z.string().trim().min(1).max(300).describe("File name, words, or a glob"),
    }),
    async run({ name }, { round }) {
      const documents = await knowledgeBase.documents();
      const named = byName(name, documents);
      const byWords = nearestFirst(documents, ({ path, title }) => `${path} ${title}`, name);
      const found =
        named.length > 0 || isGlob(name)
          ? named
          : byWords.filter(({ score }) => score > 0).map(({ item }) => item);
      if (found.length === 0) return { evidence: [], summary: "no such document" };
      const beginnings = await Promise.all(
        found.slice(0, MAX_SHOWN).map(({ path }) => knowledgeBase.passagesOf(path)),
      );
      const shown = beginnings.flatMap(([passage]) =>
        passage ? [evidenceFromHit({ passage, scores: [] }, { tool: "find_file", round })] : [],
      );
      return {
        // Sizes and dates answer questions about files, and look like an answer to others.
        evidence: named.length > 0 ? [...shown, listing(found, round)] : shown,
        summary: counted(found.length, "document"),
      };
    },
  });
}

/** By glob, else by file name or end of path. */
function byName(name: string, documents: readonly DocumentRecord[]): readonly DocumentRecord[] {
  if (isGlob(name)) {
    const matches = pathMatcher(name.includes("/") ? name : `{${name},**/${name}}`);
    return documents.filter(({ path }) => matches(path));
  }
  const wanted = name.toLowerCase().replace(/^\.?\//, "");
  return documents.filter(({ path }) => `/${path.toLowerCase()}`.endsWith(`/${wanted}`));
}

/** Without the name that was asked for: a judge would take the question's words for evidence. */
function listing(found: readonly DocumentRecord[], round: number): Evidence {
  const lines = found.slice(0, MAX_LISTED).map(({ path, title, bytes, modifiedAt }) => {
    const changed = modifiedAt === undefined ? "" : `, changed ${modifiedAt.slice(0, 10)}`;
    return `- ${path}: "${title}", ${bytes} bytes${changed}`;
  });
  const more = found.length > MAX_LISTED ? `\n${found.length - MAX_LISTED} more` : "";
  const text = `${counted(found.length, "document")} found by name:\n${lines.join("\n")}${more}`;
  return makeEvidence(
    {
      id: evidenceId("find_file", text),
      text,
      title: "Documents of the knowledge base",
      source: { kind: "tool", path: "find_file" },
    },
    { tool: "find_file", round },
  );
}
