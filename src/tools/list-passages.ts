/** Complete lists: every passage that mentions what a question for "all" names, and a count. */
import { z } from "zod";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";
import type { ToolHistoryEntry } from "../state/run-record.js";
import { analyse, vocabularyOf } from "../text/analyse.js";
import { counted, cutText } from "../text/words.js";
import { evidenceFromHit } from "./make-evidence.js";
import { defineTool, type AgentTool } from "./tool.js";

export const LIST_TOOL = "list_passages";

const MOST_LISTED = 50;
/** Passages with any of the words that are looked through for those with all of them. */
const MOST_SEARCHED = 1_000;

/**
 * Of 24,237 questions on nineteen sources it takes 23, of which 7 ask for one thing or for a way
 * ("Which of the two keys can I show?").
 */
const ASKS_FOR_ALL = new RegExp(
  String.raw`^\W*(?:please\s+|(?:can|could) you\s+)?(?:` +
    String.raw`(?:list|enumerate)\s+(?:of|the|all|every|each)|` +
    String.raw`(?:show|find|give|name|tell)(?:\s+me)?\s+(?:all|every)|` +
    String.raw`(?:what|who|which) (?:are|were) all|(?:which|who) of|all (?:the|that|those))` +
    String.raw`(?:(?: the)? mentions? of)?\b`,
  "iu",
);

/**
 * True for a question that asks for every passage, not the nearest few, in English.
 * @example asksForAll("List every setting that limits a run.") // true
 */
export function asksForAll(question: string): boolean {
  return ASKS_FOR_ALL.test(question);
}

const listArgs = z.object({
  query: z.string().trim().min(1).max(400).describe("What all are about"),
});

export function createListTool(knowledgeBase: KnowledgeBase): AgentTool {
  return defineTool({
    name: LIST_TOOL,
    description: "Finds every passage that mentions all words of a query, and counts them.",
    origin: "documents",
    args: listArgs,
    async run({ query }, { round, signal }) {
      const words = analyse(query.replace(ASKS_FOR_ALL, "")).filter(({ stop }) => !stop);
      const asked = words.map(({ text }) => text).join(" ");
      const request = { query: asked, limit: MOST_SEARCHED, signal };
      const hits = asked === "" ? [] : await knowledgeBase.search("keyword", request);
      const holding = (sought: typeof words): typeof hits =>
        hits.filter(({ passage: { title, heading = "", text } }) => {
          const vocabulary = vocabularyOf(`${title}\n${heading}\n${text}`);
          return sought.every(({ term }) => vocabulary.has(term));
        });
      // "All places where X is used": the first word says what is listed, and may be in no passage.
      const [, ...others] = words;
      const isWhole = others.length === 0 || holding(words).length > 0;
      const sought = isWhole ? words : others;
      const withAll = holding(sought);
      const named = sought.map(({ text }) => text).join(" ");
      const all = [...new Map(withAll.map((hit) => [hit.passage.text.trim(), hit])).values()];
      // There may be more than were looked through.
      const isEstimate = hits.length >= MOST_SEARCHED;
      const total = all.length;
      const count = `${isEstimate ? "About " : ""}${counted(total, "passage")}`;
      const mention = `${count} ${total === 1 ? "mentions" : "mention"} "${cutText(named, 80)}"`;
      return {
        listed: { mention, total, is_estimate: isEstimate },
        evidence: all
          .slice(0, MOST_LISTED)
          .map((hit) => evidenceFromHit(hit, { tool: LIST_TOOL, round })),
        summary: mention,
      };
    },
  });
}

/** Returns what a run listed; undefined if no list was asked for, or at most one passage fits. */
export function listedIn(history: readonly ToolHistoryEntry[]) {
  const call = history.find(({ tool, status }) => tool === LIST_TOOL && status === "ok");
  if (call?.listed === undefined || call.listed.total < 2) return undefined;
  const { mention, total, is_estimate: isEstimate } = call.listed;
  return {
    ids: new Set(call.evidence_ids),
    /** The words that all of them mention. */
    named: mention.slice(mention.indexOf('"')),
    /**
     * Says in a sentence whether that is all.
     * @param count passages that a person sees, or that a model reads
     */
    coverage(count: number, verb: "listed" | "read"): string {
      const all = count < total || isEstimate ? `the first ${count}` : "all";
      return `${mention}; ${all} ${verb === "listed" ? "are listed" : "were read"}.`;
    },
  };
}
