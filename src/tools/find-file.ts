import { createHash } from "node:crypto";
import { z } from "zod";
import type { DocumentRecord, KnowledgeBase } from "../retrieval/knowledge-base.js";
import { isGlob } from "../retrieval/glob.js";
import { pathMatcher } from "../retrieval/path-pattern.js";
import type { Evidence } from "../state/evidence.js";
import { searchTerms } from "../text/search-terms.js";
import { evidenceFromHit } from "./evidence-from-hit.js";
import type { AgentTool } from "./tool.js";

/** Documents named in the list, and documents whose beginning is shown. */
const MAX_LISTED = 20;
const MAX_SHOWN = 3;

const argsSchema = z.object({ name: z.string().trim().min(1).max(300) });

/** Finds documents by name, title or glob: a list of them, and how the best begin. */
export function createFindFileTool({
  knowledgeBase,
  timeoutInMs = 10_000,
}: {
  knowledgeBase: KnowledgeBase;
  timeoutInMs?: number;
}): AgentTool {
  return {
    name: "find_file",
    description:
      "Finds documents of the knowledge base by file name, words of their path or title, or a glob such as docs/**/*.md.",
    strategy: "files",
    external: false,
    parameters: {
      type: "object",
      properties: { name: { type: "string", description: "File name, words, or a glob" } },
      required: ["name"],
      additionalProperties: false,
    },
    timeoutInMs,
    async run({ args, question, round }) {
      const parsed = argsSchema.safeParse(args);
      if (!parsed.success) throw new Error("find_file needs a name");
      const { found, byWords } = matching(parsed.data.name, await knowledgeBase.documents());
      if (found.length === 0) return { evidence: [], summary: "no such document" };
      const beginnings = await Promise.all(
        found
          .slice(0, MAX_SHOWN)
          .map(async ({ path }) => (await knowledgeBase.passagesOf(path)).slice(0, 1)),
      );
      return {
        evidence: [
          ...beginnings
            .flat()
            .map((passage) =>
              evidenceFromHit({ passage, scores: [] }, { tool: "find_file", round }),
            ),
          // Sizes and dates of files answer questions about files, and are mistaken for an answer to any other.
          ...(byWords && !ASKS_FOR_DOCUMENTS.test(question) ? [] : [listing(found, round)]),
        ],
        summary: `${found.length} ${found.length === 1 ? "document" : "documents"}`,
      };
    },
  };
}

const ASKS_FOR_DOCUMENTS =
  /(?<!\p{L})(?:files?|folders?|documents?|documentation|docs|pdfs?|datei(?:en)?|ordner|dokumente?n?|fichiers?|archivos?|documentos?)(?!\p{L})|文件|文档|資料|ファイル/iu;

interface Found {
  found: DocumentRecord[];
  /** By words of path and title: nobody named these documents. */
  byWords: boolean;
}

/** By glob; else by file name or end of path; else by the words of path and title, those with most words first. */
function matching(name: string, documents: readonly DocumentRecord[]): Found {
  if (isGlob(name)) {
    const matches = pathMatcher(name.includes("/") ? name : `{${name},**/${name}}`);
    return { found: documents.filter(({ path }) => matches(path)), byWords: false };
  }
  const wanted = name.toLowerCase().replace(/^\.?\//, "");
  const exact = documents.filter(
    ({ path }) => path.toLowerCase() === wanted || path.toLowerCase().endsWith(`/${wanted}`),
  );
  if (exact.length > 0) return { found: exact, byWords: false };
  const terms = new Set(searchTerms(name));
  const found = documents
    .map((document) => ({
      document,
      shared: new Set(
        searchTerms(`${document.path} ${document.title}`).filter((term) => terms.has(term)),
      ).size,
    }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .map(({ document }) => document);
  return { found, byWords: true };
}

/** Without the name that was asked for: a judge would take the question's own words for evidence. */
function listing(found: readonly DocumentRecord[], round: number): Evidence {
  const lines = found.slice(0, MAX_LISTED).map(({ path, title, bytes, modifiedAt }) => {
    const changed = modifiedAt === undefined ? "" : `, changed ${modifiedAt.slice(0, 10)}`;
    return `- ${path}: "${title}", ${bytes} bytes${changed}`;
  });
  const more = found.length > MAX_LISTED ? `\n${found.length - MAX_LISTED} more` : "";
  const text = `${found.length === 1 ? "One document" : `${found.length} documents`} found by name or title:\n${lines.join("\n")}${more}`;
  return {
    id: `find_file:${createHash("sha256").update(text).digest("hex").slice(0, 16)}`,
    text,
    title: "Documents of the knowledge base",
    source: { kind: "tool", path: "find_file" },
    tool: "find_file",
    round,
    scores: [],
    status: "ungraded",
  };
}
