/** Tools over the text of documents as they were ingested: one reads it, one searches it. */
import { z } from "zod";
import type { DocumentRecord, KnowledgeBase, Passage } from "../retrieval/knowledge-base.js";
import { pathMatcher } from "../retrieval/search-filter.js";
import { waitForTurn } from "../support/waiting.js";
import { counted, oneLine } from "../text/words.js";
import { evidenceFromHit, nearestFirst } from "./make-evidence.js";
import { defineTool, type AgentTool } from "./tool.js";

/** Most passages returned from one file: those closest to the question. */
const MAX_READ = 8;
/** Most passages compared with the question, about 80 pages; a search covers longer documents. */
const MAX_COMPARED = 200;

const line = z.number().int().min(1);

const readArgs = z.object({
  path: z.string().describe("Path as shown in sources, or a file name that is unique"),
  start_line: line.describe("First line, from 1").optional(),
  end_line: line.describe("Last line, included").optional(),
});

/**
 * Reads a document as it was ingested. No file is ever opened, so a planner that was talked into
 * asking for `../../etc/passwd` gets nothing, and neither does one whose file became a link.
 */
export function createReadFileTool(knowledgeBase: KnowledgeBase): AgentTool {
  return defineTool({
    name: "read_file",
    description:
      "Reads a document by its path, whole or from line to line. " +
      "For when the question names a file.",
    strategy: "files",
    origin: "documents",
    args: readArgs,
    async run({ path: named, start_line: start = 1, end_line: end = Infinity }, input) {
      const { question, round } = input;
      if (end < start) throw new Error(`the range of lines ${start} to ${end} is reversed`);
      const { path } = findDocument(named, await knowledgeBase.documents());
      const all = await knowledgeBase.passagesOf(path);
      const asked = passagesWithin(all, start, end);
      const last = Math.max(...all.map(({ endLine = 0 }) => endLine));
      if (asked.length === 0 && all.length > 0)
        throw new Error(`${path} has no line ${start}: it ends at line ${last}`);
      const nearest = nearestFirst(asked.slice(0, MAX_COMPARED), ({ text }) => text, question);
      const evidence = nearest
        .slice(0, MAX_READ)
        .map(({ item }) =>
          evidenceFromHit({ passage: item, scores: [] }, { tool: "read_file", round }),
        );
      const left = asked.length - evidence.length;
      const without = left > 0 ? `; ${left} less relevant ones left out` : "";
      return { evidence, summary: `${counted(asked.length, "passage")} of ${path}${without}` };
    },
  });
}

/**
 * Finds the document that a planner means: by its path as shown, or by a file name or the end of a
 * path that only one document has.
 */
function findDocument(requested: string, documents: readonly DocumentRecord[]): DocumentRecord {
  // Some systems write the "ü" of a file name as two characters.
  const named = requested.trim().normalize("NFC");
  const target = named.startsWith("./") ? named.slice(2) : named;
  const pathOf = ({ path }: DocumentRecord): string => path.normalize("NFC");
  const exact = documents.filter((document) => pathOf(document) === target);
  const ending = documents.filter((document) => pathOf(document).endsWith(`/${target}`));
  const meant = exact.length > 0 || target === "" ? exact : ending;
  const [found, another] = meant;
  if (found !== undefined && another === undefined) return found;
  const nearest = nearestFirst(documents, ({ path, title }) => `${path} ${title}`, target);
  const similar =
    found === undefined ? nearest.flatMap(({ item, score }) => (score > 0 ? [item] : [])) : meant;
  const names = similar.slice(0, 5).map(({ path }) => path);
  const problem = found === undefined ? "is not in the knowledge base" : "is not unique";
  const hint = names.length === 0 ? "" : `; did you mean ${names.join(", ")}?`;
  throw new Error(`"${target.slice(0, 100)}" ${problem}${hint}`);
}

/**
 * Returns the passages with any of these lines. A heading counts as part of the passage below it.
 * Where a document has no lines, such as a PDF, all passages are returned.
 */
function passagesWithin(passages: readonly Passage[], start: number, end: number): Passage[] {
  let previousEnd = 0;
  return passages.filter(({ startLine, endLine }) => {
    if (startLine === undefined || endLine === undefined) return true;
    // The sheets of a workbook each count their rows from 1.
    if (startLine < previousEnd) previousEnd = 0;
    const isInside = endLine >= start && previousEnd < end;
    previousEnd = endLine;
    return isInside;
  });
}

const MAX_FOUND = 10;
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
          .slice(0, MAX_FOUND)
          .map(({ passage }) =>
            evidenceFromHit({ passage, scores: [] }, { tool: "grep_search", round }),
          ),
        summary: `${counted(found.length, "passage")} with "${pattern}"${unsearched}`,
      };
    },
  });
}
