import { z } from "zod";
import type { DocumentRecord, KnowledgeBase } from "../retrieval/knowledge-base.js";
import type { Evidence } from "../state/evidence.js";
import { searchTerms } from "../text/search-terms.js";
import { documentLines, resolveIndexed, type DocumentLine } from "./document-lines.js";
import { evidenceFromLines, piecesOf, type Window } from "./line-windows.js";

import { defineTool, type AgentTool } from "./tool.js";

/** Pieces of one file at most: those that have most to do with the question. */
const MAX_PIECES = 8;

const line = z.number().int().min(1);

/**
 * Reads a document of the knowledge base, whole or by lines. Only what was indexed can be read.
 * @param maxBytes larger files are refused
 */
export function createReadFileTool({
  knowledgeBase,
  maxBytes,
  timeoutInMs = 10_000,
}: {
  knowledgeBase: KnowledgeBase;
  maxBytes?: number;
  timeoutInMs?: number;
}): AgentTool {
  return defineTool({
    name: "read_file",
    description:
      "Reads a document of the knowledge base by its path, whole or from one line to another. For when the question names a file.",
    strategy: "files",
    external: false,
    timeoutInMs,
    args: z.object({
      path: z.string().describe("Path as shown in sources, or a file name that is unique"),
      start_line: line.describe("First line, from 1").optional(),
      end_line: line.describe("Last line, included").optional(),
    }),
    async run({ path, start_line: start, end_line: end }, { question, round, signal }) {
      const document = resolveIndexed(path, await knowledgeBase.documents());
      const lines = await documentLines(document, {
        knowledgeBase,
        signal,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      });
      const window = windowOf(document, lines, start, end);
      const told = piecesOf(lines, window)
        .map((piece) => evidenceFromLines(document, lines, piece, { tool: "read_file", round }))
        .filter(({ text }) => text.trim() !== "");
      const evidence = nearest(told, question);
      const left = told.length - evidence.length;
      const without = left > 0 ? `; ${left} parts with less to do with the question left out` : "";
      const summary = `${window.to - window.from + 1} lines of ${document.path}${without}`;
      return { evidence, summary };
    },
  });
}

function windowOf(
  { path }: DocumentRecord,
  lines: readonly DocumentLine[],
  start: number | undefined,
  end: number | undefined,
): Window {
  if (start === undefined && end === undefined) return { from: 0, to: lines.length - 1 };
  if (start !== undefined && end !== undefined && end < start)
    throw new Error(`lines ${start} to ${end} are the wrong way round`);
  const numbered = lines.every(({ line }) => line !== undefined);
  const inside = (at: number): boolean => {
    const line = numbered ? (lines[at]?.line ?? 0) : at + 1;
    return line >= (start ?? 1) && line <= (end ?? Infinity);
  };
  const positions = lines.map((_, at) => at).filter(inside);
  const [from] = positions;
  const to = positions.at(-1);
  if (from === undefined || to === undefined)
    throw new Error(
      `${path} has no line ${start ?? end}: it ends at line ${lines.at(-1)?.line ?? lines.length}`,
    );
  return { from, to };
}

/** The pieces that share most words with the question, best first; in reading order where that does not tell them apart. */
function nearest(pieces: readonly Evidence[], question: string): Evidence[] {
  const asked = new Set(searchTerms(question));
  const shares = new Map(
    pieces.map((piece) => [
      piece.id,
      new Set(searchTerms(piece.text).filter((term) => asked.has(term))).size,
    ]),
  );
  return pieces
    .toSorted((a, b) => (shares.get(b.id) ?? 0) - (shares.get(a.id) ?? 0))
    .slice(0, MAX_PIECES);
}
