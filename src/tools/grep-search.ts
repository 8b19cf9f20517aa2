import { z } from "zod";
import type { DocumentRecord, KnowledgeBase } from "../retrieval/knowledge-base.js";
import { pathMatcher } from "../retrieval/path-pattern.js";
import type { Evidence } from "../state/evidence.js";
import { documentLines } from "./document-lines.js";
import { lineMatcher } from "./line-matcher.js";
import { evidenceFromLines, mergedWindows, piecesOf } from "./line-windows.js";
import { PathRefusedError } from "./path-guard.js";
import type { AgentTool } from "./tool.js";

/** Lines shown before and after a hit. */
const LINES_AROUND = 3;
const MAX_MATCHES_PER_DOCUMENT = 50;
const MAX_PIECES = 10;
/** All documents of one search together; what is left is said. */
const MAX_TOTAL_BYTES = 50_000_000;

/** A timer cannot fire while lines are matched, so that the clock is looked at. */
const MAX_SEARCH_IN_MS = 5_000;

const argsSchema = z.object({
  pattern: z.string().min(1).max(200),
  regex: z.boolean().nullish(),
  ignore_case: z.boolean().nullish(),
  path: z.string().min(1).nullish(),
});

/** Finds lines that hold a text or match a pattern, with the lines around them; overlapping windows are one. */
export function createGrepSearchTool({
  knowledgeBase,
  timeoutInMs = 10_000,
}: {
  knowledgeBase: KnowledgeBase;
  timeoutInMs?: number;
}): AgentTool {
  return {
    name: "grep_search",
    description:
      "Finds lines of the documents that hold a literal text, such as an identifier, an error message or a quotation, and shows the lines around them.",
    strategy: "files",
    external: false,
    parameters: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "Literal text, or a simple pattern when regex is true" },
        regex: { type: "boolean", description: "Take the pattern as a regular expression without groups that repeat" },
        ignore_case: { type: "boolean", description: "True by default" },
        path: { type: "string", description: "Only this path, this folder (ends in /) or this glob" },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    timeoutInMs,
    async run({ args, round, signal }) {
      const parsed = argsSchema.safeParse(args);
      if (!parsed.success) throw new Error("grep_search needs a pattern of at most 200 characters");
      const { pattern, regex, ignore_case: ignoreCase, path } = parsed.data;
      const matches = lineMatcher(pattern, { regex: regex === true, ignoreCase: ignoreCase !== false });
      const within = path ? pathMatcher(path) : () => true;
      const inside = (await knowledgeBase.documents()).filter((document) => within(document.path));
      const documents = await likeliestFirst(inside, { pattern, knowledgeBase });
      const found: { evidence: Evidence; hits: number }[] = [];
      const deadline = Date.now() + MAX_SEARCH_IN_MS;
      let bytes = 0;
      let searched = 0;
      for (const document of documents) {
        // Each document is its own turn of the event loop, so that a time limit can fire between two of them.
        signal.throwIfAborted();
        if (bytes + document.bytes > MAX_TOTAL_BYTES || Date.now() > deadline) break;
        bytes += document.bytes;
        searched += 1;
        found.push(...(await grepDocument(document, { knowledgeBase, matches, deadline, round, signal })));
      }
      // A window that holds more hits says more.
      const best = found.toSorted((a, b) => b.hits - a.hits).slice(0, MAX_PIECES);
      const left = documents.length - searched;
      return {
        evidence: best.map(({ evidence }) => evidence),
        summary: `${found.length} places in ${searched} documents hold "${pattern}"${left > 0 ? `; ${left} documents not searched: too large together` : ""}`,
      };
    },
  };
}

/** With so many documents or fewer the order in which they are read makes no difference. */
const MANY_DOCUMENTS = 50;

/** Size and time may not suffice for all documents: those come first in which the index finds the words of the pattern. */
async function likeliestFirst(
  documents: readonly DocumentRecord[],
  { pattern, knowledgeBase }: { pattern: string; knowledgeBase: KnowledgeBase },
): Promise<readonly DocumentRecord[]> {
  if (documents.length <= MANY_DOCUMENTS || !knowledgeBase.modes.includes("keyword")) return documents;
  const hits = await knowledgeBase.search("keyword", { query: pattern, limit: 2 * MANY_DOCUMENTS, expand: false });
  const rank = new Map([...new Set(hits.map(({ passage }) => passage.path))].map((path, position) => [path, position]));
  return documents.toSorted((a, b) => (rank.get(a.path) ?? Infinity) - (rank.get(b.path) ?? Infinity) || 0);
}

async function grepDocument(
  document: DocumentRecord,
  {
    knowledgeBase,
    matches,
    deadline,
    round,
    signal,
  }: { knowledgeBase: KnowledgeBase; matches: (line: string) => boolean; deadline: number; round: number; signal: AbortSignal },
): Promise<{ evidence: Evidence; hits: number }[]> {
  let lines;
  try {
    lines = await documentLines(document, { knowledgeBase, signal });
  } catch (error) {
    // One file that is gone or refused does not spoil the search of the others.
    if (error instanceof PathRefusedError) return [];
    throw error;
  }
  const positions: number[] = [];
  for (let at = 0; at < lines.length && positions.length < MAX_MATCHES_PER_DOCUMENT; at += 1) {
    if (Date.now() > deadline) break;
    if (matches(lines[at]?.text ?? "")) positions.push(at);
  }
  return mergedWindows(positions, { around: LINES_AROUND, count: lines.length })
    .flatMap((window) => piecesOf(lines, window))
    .map((piece) => ({
      evidence: evidenceFromLines(document, lines, piece, { tool: "grep_search", round }),
      hits: positions.filter((position) => position >= piece.from && position <= piece.to).length,
    }))
    .filter(({ hits }) => hits > 0);
}
