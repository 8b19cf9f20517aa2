import { z } from "zod";
import type { DocumentRecord, KnowledgeBase } from "../retrieval/knowledge-base.js";
import {
  documentLines,
  evidenceFromLines,
  piecesOf,
  resolveIndexed,
  type DocumentLine,
  type Window,
} from "./document-lines.js";
import { nearestFirst } from "./make-evidence.js";
import { defineTool, type AgentTool } from "./tool.js";

/** Pieces of one file at most: those that have most to do with the question. */
const MAX_PIECES = 8;

const line = z.number().int().min(1);

const readArgs = z.object({
  path: z.string().describe("Path as shown in sources, or a file name that is unique"),
  start_line: line.describe("First line, from 1").optional(),
  end_line: line.describe("Last line, included").optional(),
});

/** Reads a document of the knowledge base, whole or by lines. Only what was indexed can be read. */
export function createReadFileTool(knowledgeBase: KnowledgeBase): AgentTool {
  return defineTool({
    name: "read_file",
    description:
      "Reads a document of the knowledge base by its path, whole or from one line to another. For when the question names a file.",
    strategy: "files",
    external: false,
    args: readArgs,
    async run({ path, start_line: start = 1, end_line: end = Infinity }, input) {
      const { question, round, signal } = input;
      if (end < start) throw new Error(`lines ${start} to ${end} are the wrong way round`);
      const document = resolveIndexed(path, await knowledgeBase.documents());
      const lines = await documentLines(document, { knowledgeBase, signal });
      const window = windowOf(document, lines, start, end);
      const told = piecesOf(lines, window)
        .map((piece) => evidenceFromLines(document, lines, piece, { tool: "read_file", round }))
        .filter(({ text }) => text.trim() !== "");
      const evidence = nearestFirst(told, ({ text }) => text, question)
        .slice(0, MAX_PIECES)
        .map(({ item }) => item);
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
  start: number,
  end: number,
): Window {
  if (start === 1 && end === Infinity) return { from: 0, to: lines.length - 1 };
  const isNumbered = lines.every((it) => it.line !== undefined);
  const numberOf = (at: number): number => (isNumbered ? (lines[at]?.line ?? 0) : at + 1);
  const inside = lines
    .map((_, at) => at)
    .filter((at) => numberOf(at) >= start && numberOf(at) <= end);
  const [from] = inside;
  const to = inside.at(-1);
  if (from === undefined || to === undefined)
    throw new Error(`${path} has no line ${start}: it ends at line ${numberOf(lines.length - 1)}`);
  return { from, to };
}
