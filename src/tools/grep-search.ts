import { z } from "zod";
import type { DocumentRecord, KnowledgeBase } from "../retrieval/knowledge-base.js";
import { pathMatcher } from "../retrieval/search-filter.js";
import { documentLines, PathRefusedError, type DocumentLine } from "./document-lines.js";
import { lineMatcher } from "./line-matcher.js";
import { evidenceFromLines, mergedWindows, piecesOf, type Window } from "./line-windows.js";

import { defineTool, type AgentTool } from "./tool.js";

/** Lines shown before and after a hit. */
const LINES_AROUND = 3;
const MAX_MATCHES_PER_DOCUMENT = 50;
const MAX_PIECES = 10;
/** All documents of one search together; what is left is said. */
const MAX_TOTAL_BYTES = 50_000_000;

/** Files read side by side: most of the time of a search is waiting for them. */
const READ_AT_ONCE = 8;

/** A timer cannot fire while lines are matched, so that the clock is looked at. */
const MAX_SEARCH_IN_MS = 5_000;

/** Finds lines that hold a text or match a pattern, with the lines around them. */
export function createGrepSearchTool({
  knowledgeBase,
  timeoutInMs = 10_000,
}: {
  knowledgeBase: KnowledgeBase;
  timeoutInMs?: number;
}): AgentTool {
  const linesOf = readOnceAtATime(knowledgeBase);
  return defineTool({
    name: "grep_search",
    description:
      "Finds lines of the documents that hold a literal text, such as an identifier, an error message or a quotation, and shows the lines around them.",
    strategy: "files",
    external: false,
    timeoutInMs,
    args: z.object({
      pattern: z.string().min(1).max(200).describe("Literal text, or a pattern"),
      regex: z.boolean().describe("Take the pattern as a regular expression (RE2)").optional(),
      ignore_case: z.boolean().describe("True by default").optional(),
      path: z
        .string()
        .min(1)
        .describe("Only this path, this folder (ends in /) or this glob")
        .optional(),
    }),
    async run({ pattern, regex, ignore_case: ignoreCase, path }, { round, signal }) {
      const matches = lineMatcher(pattern, {
        regex: regex === true,
        ignoreCase: ignoreCase !== false,
      });
      const isInside = path ? pathMatcher(path) : () => true;
      const inside = (await knowledgeBase.documents()).filter((document) =>
        isInside(document.path),
      );
      const documents = await likeliestFirst(inside, { pattern, knowledgeBase });
      const within = withinBytes(documents);
      const found: FoundPiece[] = [];
      const deadline = Date.now() + MAX_SEARCH_IN_MS;
      let searched = 0;
      while (searched < within.length && Date.now() <= deadline) {
        // Files come in their own turns of the event loop, so that a time limit can fire between two of them.
        signal.throwIfAborted();
        const next = within.slice(searched, searched + READ_AT_ONCE);
        const pieces = await Promise.all(
          next.map((document) => grepDocument(document, { linesOf, matches, deadline })),
        );
        found.push(...pieces.flat());
        searched += next.length;
      }
      // A window that holds more hits says more.
      const best = found.toSorted((a, b) => b.hits - a.hits).slice(0, MAX_PIECES);
      const left = documents.length - searched;
      const unsearched = left > 0 ? `; ${left} documents not searched: too large together` : "";
      return {
        evidence: best.map(({ document, lines, piece }) =>
          evidenceFromLines(document, lines, piece, { tool: "grep_search", round }),
        ),
        summary: `${found.length} places in ${searched} documents hold "${pattern}"${unsearched}`,
      };
    },
  });
}

/** With so many documents or fewer the order in which they are read makes no difference. */
const MANY_DOCUMENTS = 50;

/** Size and time may not suffice for all documents: those come first in which the index finds the words of the pattern. */
async function likeliestFirst(
  documents: readonly DocumentRecord[],
  { pattern, knowledgeBase }: { pattern: string; knowledgeBase: KnowledgeBase },
): Promise<readonly DocumentRecord[]> {
  if (documents.length <= MANY_DOCUMENTS || !knowledgeBase.modes.includes("keyword"))
    return documents;
  const hits = await knowledgeBase.search("keyword", {
    query: pattern,
    limit: 2 * MANY_DOCUMENTS,
  });
  const rank = new Map(
    [...new Set(hits.map(({ passage }) => passage.path))].map((path, position) => [path, position]),
  );
  return documents.toSorted(
    (a, b) => (rank.get(a.path) ?? Infinity) - (rank.get(b.path) ?? Infinity) || 0,
  );
}

/** The documents up to the first that is too much, all together. */
function withinBytes(documents: readonly DocumentRecord[]): readonly DocumentRecord[] {
  let bytes = 0;
  const tooMuch = documents.findIndex((document) => (bytes += document.bytes) > MAX_TOTAL_BYTES);
  return tooMuch === -1 ? documents : documents.slice(0, tooMuch);
}

type LinesOf = (document: DocumentRecord) => Promise<readonly DocumentLine[]>;

/** Several patterns of one round go through the same files side by side: a file that is just being read is not read twice. */
function readOnceAtATime(knowledgeBase: KnowledgeBase): LinesOf {
  const underWay = new Map<string, Promise<readonly DocumentLine[]>>();
  return (document) => {
    const known = underWay.get(document.path);
    if (known !== undefined) return known;
    const reading = documentLines(document, { knowledgeBase }).finally(() =>
      underWay.delete(document.path),
    );
    underWay.set(document.path, reading);
    return reading;
  };
}

/** Lines of a document that hold the pattern, with those around them. */
interface FoundPiece {
  document: DocumentRecord;
  lines: readonly DocumentLine[];
  piece: Window;
  hits: number;
}

async function grepDocument(
  document: DocumentRecord,
  {
    linesOf,
    matches,
    deadline,
  }: { linesOf: LinesOf; matches: (line: string) => boolean; deadline: number },
): Promise<FoundPiece[]> {
  let lines: readonly DocumentLine[];
  try {
    lines = await linesOf(document);
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
      document,
      lines,
      piece,
      hits: positions.filter((position) => position >= piece.from && position <= piece.to).length,
    }))
    .filter(({ hits }) => hits > 0);
}
