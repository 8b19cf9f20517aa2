import { z } from "zod";
import type { KnowledgeBase, Passage } from "../retrieval/knowledge-base.js";
import { pathMatcher } from "../retrieval/search-filter.js";
import { waitForTurn } from "../support/waiting.js";
import { oneLine } from "../text/one-line.js";
import { counted } from "../text/words.js";
import { evidenceFromHit } from "./make-evidence.js";
import { defineTool, type AgentTool } from "./tool.js";

const MAX_PASSAGES = 10;
/** Larger documents are skipped: their passages are read in one go. */
const MAX_DOCUMENT_BYTES = 5_000_000;
const MAX_SEARCH_IN_MS = 5_000;

const grepArgs = z.object({
  pattern: z.string().trim().min(1).max(200).describe("Literal text"),
  ignore_case: z.boolean().describe("True by default").optional(),
  path: z.string().min(1).describe("Only this file, this folder or this glob").optional(),
});

/** Finds passages that contain a text, also across line breaks, or whose headings do. */
export function createGrepSearchTool(knowledgeBase: KnowledgeBase): AgentTool {
  return defineTool({
    name: "grep_search",
    description:
      "Finds passages that contain a literal text: an identifier, an error message, a quotation.",
    strategy: "files",
    origin: "documents",
    args: grepArgs,
    async run({ pattern, ignore_case: ignoreCase = true, path }, input) {
      const { round, signal } = input;
      const normalized = (text: string): string =>
        ignoreCase ? oneLine(text).toLowerCase() : oneLine(text);
      const needle = normalized(pattern);
      const isInside = path ? pathMatcher(path) : () => true;
      const documents = (await knowledgeBase.documents()).filter((each) => isInside(each.path));
      const deadline = Date.now() + MAX_SEARCH_IN_MS;
      const found: { passage: Passage; hits: number }[] = [];
      let searched = 0;
      for (const { path, bytes } of documents) {
        if (Date.now() > deadline) break;
        if (bytes > MAX_DOCUMENT_BYTES) continue;
        // A local store answers without waiting, so nothing else, not even a timer, would run.
        await waitForTurn();
        signal.throwIfAborted();
        for (const passage of await knowledgeBase.passagesOf(path)) {
          const { heading = "", text } = passage;
          const hits = normalized(`${heading}\n${text}`).split(needle).length - 1;
          if (hits > 0) found.push({ passage, hits });
        }
        searched += 1;
      }
      const left = documents.length - searched;
      const unsearched = left > 0 ? `; ${left} not searched: too large, or out of time` : "";
      return {
        evidence: found
          .toSorted((a, b) => b.hits - a.hits)
          .slice(0, MAX_PASSAGES)
          .map(({ passage }) =>
            evidenceFromHit({ passage, scores: [] }, { tool: "grep_search", round }),
          ),
        summary: `${counted(found.length, "passage")} with "${pattern}"${unsearched}`,
      };
    },
  });
}
