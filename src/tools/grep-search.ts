import { RE2JS } from "re2js";
import { z } from "zod";
import type { DocumentRecord, KnowledgeBase } from "../retrieval/knowledge-base.js";
import { pathMatcher } from "../retrieval/search-filter.js";
import {
  documentLines,
  evidenceFromLines,
  PathRefusedError,
  piecesOf,
  type DocumentLine,
  type Window,
} from "./document-lines.js";
import { defineTool, type AgentTool } from "./tool.js";

/** Lines shown before and after a hit. */
const LINES_AROUND = 3;
const MAX_MATCHES_PER_DOCUMENT = 50;
const MAX_PIECES = 10;
/** All documents of one search together; what is left is said. */
const MAX_TOTAL_BYTES = 50_000_000;
/** A timer cannot fire while lines are matched, so that the clock is looked at. */
const MAX_SEARCH_IN_MS = 5_000;

const grepArgs = z.object({
  pattern: z.string().min(1).max(200).describe("Literal text, or a pattern"),
  regex: z.boolean().describe("Take the pattern as a regular expression (RE2)").optional(),
  ignore_case: z.boolean().describe("True by default").optional(),
  path: z.string().min(1).describe("Only this file, this folder or this glob").optional(),
});

/** Finds lines that hold a text or match a pattern, with the lines around them. */
export function createGrepSearchTool(knowledgeBase: KnowledgeBase): AgentTool {
  return defineTool({
    name: "grep_search",
    description:
      "Finds lines of the documents that hold a literal text, such as an identifier, an error message or a quotation, and shows the lines around them.",
    strategy: "files",
    external: false,
    args: grepArgs,
    async run({ pattern, regex = false, ignore_case: ignoreCase = true, path }, input) {
      const { round, signal } = input;
      const matches = lineMatcher(pattern, { regex, ignoreCase });
      const isInside = path ? pathMatcher(path) : () => true;
      const all = await knowledgeBase.documents();
      const documents = all.filter((document) => isInside(document.path));
      const within = withinBytes(documents);
      const deadline = Date.now() + MAX_SEARCH_IN_MS;
      const found: FoundPiece[] = [];
      let searched = 0;
      for (const document of within) {
        if (Date.now() > deadline) break;
        // Files come in their own turns of the event loop, so that a time limit can fire.
        signal.throwIfAborted();
        const lines = await readableLines(document, knowledgeBase);
        for (const piece of piecesWith(lines, matches, deadline))
          found.push({ ...piece, document, lines });
        searched += 1;
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

/** The documents up to the first that is too much, all together. */
function withinBytes(documents: readonly DocumentRecord[]): readonly DocumentRecord[] {
  let bytes = 0;
  const tooMuch = documents.findIndex((document) => (bytes += document.bytes) > MAX_TOTAL_BYTES);
  return tooMuch === -1 ? documents : documents.slice(0, tooMuch);
}

/** One file that is gone or refused does not spoil the search of the others. */
async function readableLines(
  document: DocumentRecord,
  knowledgeBase: KnowledgeBase,
): Promise<readonly DocumentLine[]> {
  try {
    return await documentLines(document, { knowledgeBase });
  } catch (error) {
    if (error instanceof PathRefusedError) return [];
    throw error;
  }
}

interface FoundPiece {
  document: DocumentRecord;
  lines: readonly DocumentLine[];
  piece: Window;
  hits: number;
}

/** Returns the lines that match with those around them, windows that touch as one. */
function piecesWith(
  lines: readonly DocumentLine[],
  matches: (line: string) => boolean,
  deadline: number,
): Pick<FoundPiece, "piece" | "hits">[] {
  const positions: number[] = [];
  const windows: Window[] = [];
  for (const [at, { text }] of lines.entries()) {
    if (positions.length >= MAX_MATCHES_PER_DOCUMENT || Date.now() > deadline) break;
    if (!matches(text)) continue;
    positions.push(at);
    const from = Math.max(0, at - LINES_AROUND);
    const to = Math.min(lines.length - 1, at + LINES_AROUND);
    const last = windows.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = to;
    else windows.push({ from, to });
  }
  return windows
    .flatMap((window) => piecesOf(lines, window))
    .map((piece) => ({
      piece,
      hits: positions.filter((at) => at >= piece.from && at <= piece.to).length,
    }))
    .filter(({ hits }) => hits > 0);
}

/** Longer lines are looked at up to here. */
const MAX_LINE_CHARACTERS = 2_000;
/** Instructions of a compiled pattern: time per character grows with them (`x{1000}` is many). */
const MAX_PROGRAM = 3_000;

/**
 * Returns a test for one line. A pattern comes from a planner, which may be a model: it runs on
 * RE2, whose time is linear in the line, and which has no lookaround and no back-references.
 * @throws Error when the pattern is no regular expression
 */
export function lineMatcher(
  pattern: string,
  { regex, ignoreCase }: { regex: boolean; ignoreCase: boolean },
): (line: string) => boolean {
  if (!regex) {
    const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
    return (line) => (ignoreCase ? line.toLowerCase() : line).includes(wanted);
  }
  const expression = compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  if (expression.programSize() > MAX_PROGRAM) throw new Error("the pattern repeats too much");
  return (line) => expression.test(line.slice(0, MAX_LINE_CHARACTERS));
}

function compile(pattern: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(pattern, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unreadable";
    throw new Error(
      `the pattern is not a regular expression without lookaround and back-references: ${reason}`,
    );
  }
}
