import { RE2JS } from "re2js";
import { z } from "zod";
import type { KnowledgeBase, Passage } from "../retrieval/knowledge-base.js";
import { pathMatcher } from "../retrieval/search-filter.js";
import { takeTurn } from "../support/waiting.js";
import { counted } from "../text/words.js";
import { evidenceFromHit } from "./make-evidence.js";
import { defineTool, type AgentTool } from "./tool.js";

const MAX_PASSAGES = 10;
/** Larger documents are skipped: their passages are read in one go. */
const MAX_DOCUMENT_BYTES = 5_000_000;
const MAX_SEARCH_IN_MS = 5_000;

const grepArgs = z.object({
  pattern: z.string().min(1).max(200).describe("Literal text, or a pattern"),
  regex: z.boolean().describe("Take the pattern as a regular expression (RE2)").optional(),
  ignore_case: z.boolean().describe("True by default").optional(),
  path: z.string().min(1).describe("Only this file, this folder or this glob").optional(),
});

/** Finds passages with a line, or under a heading, that contains a text or matches a pattern. */
export function createGrepSearchTool(knowledgeBase: KnowledgeBase): AgentTool {
  return defineTool({
    name: "grep_search",
    description:
      "Finds passages of the documents that contain a literal text, such as an identifier, an error message or a quotation.",
    strategy: "files",
    external: false,
    args: grepArgs,
    async run({ pattern, regex = false, ignore_case: ignoreCase = true, path }, input) {
      const { round, signal } = input;
      const matches = lineMatcher(pattern, { regex, ignoreCase });
      const isInside = path ? pathMatcher(path) : () => true;
      const documents = (await knowledgeBase.documents()).filter((each) => isInside(each.path));
      const deadline = Date.now() + MAX_SEARCH_IN_MS;
      const found: { passage: Passage; hits: number }[] = [];
      let searched = 0;
      for (const { path, bytes } of documents) {
        if (Date.now() > deadline) break;
        if (bytes > MAX_DOCUMENT_BYTES) continue;
        // A local store answers without waiting, so nothing else, not even a timer, would run.
        await takeTurn();
        signal.throwIfAborted();
        for (const passage of await knowledgeBase.passagesOf(path)) {
          const hits = linesOf(passage).filter(matches).length;
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
        summary: `${counted(found.length, "passage")} in ${counted(searched, "document")} with "${pattern}"${unsearched}`,
      };
    },
  });
}

function linesOf({ heading, text }: Passage): string[] {
  return [...(heading === undefined ? [] : [heading]), ...text.split("\n")];
}

/** Longer lines are looked at up to here. */
const MAX_LINE_CHARACTERS = 2_000;
/** Instructions of a compiled pattern: time per character grows with them (`x{1000}` is many). */
const MAX_PROGRAM = 3_000;

/**
 * Returns a test for one line. A pattern comes from a planner, which may be a model: it runs on
 * RE2, whose time is linear in the line, and which has no lookaround and no back-references.
 * @throws Error if the pattern is not a regular expression of RE2
 */
export function lineMatcher(
  pattern: string,
  { regex, ignoreCase }: { regex: boolean; ignoreCase: boolean },
): (line: string) => boolean {
  if (!regex) {
    const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
    return (line) => (ignoreCase ? line.toLowerCase() : line).includes(wanted);
  }
  const expression = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  if (expression.programSize() > MAX_PROGRAM) throw new Error("the pattern repeats too much");
  return (line) => expression.test(line.slice(0, MAX_LINE_CHARACTERS));
}
