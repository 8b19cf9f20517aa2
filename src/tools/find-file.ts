import { z } from "zod";
import type { DocumentRecord, KnowledgeBase } from "../retrieval/knowledge-base.js";
import { isGlob, pathMatcher } from "../retrieval/search-filter.js";
import type { Evidence } from "../state/evidence.js";
import { searchTerms } from "../text/search-terms.js";
import { evidenceFromHit, evidenceId, makeEvidence } from "./make-evidence.js";
import { counted, defineTool, type AgentTool } from "./tool.js";

/** Documents named in the list, and documents whose beginning is shown. */
const MAX_LISTED = 20;
const MAX_SHOWN = 3;

/** Finds documents by name, title or glob: a list of them, and how the best begin. */
export function createFindFileTool({
  knowledgeBase,
  timeoutInMs = 10_000,
}: {
  knowledgeBase: KnowledgeBase;
  timeoutInMs?: number;
}): AgentTool {
  return defineTool({
    name: "find_file",
    description:
      "Finds documents of the knowledge base by file name, words of their path or title, or a glob such as docs/**/*.md.",
    strategy: "files",
    external: false,
    timeoutInMs,
    args: z.object({
      name: z.string().trim().min(1).max(300).describe("File name, words, or a glob"),
    }),
    async run({ name }, { question, round }) {
      const { found, byWords } = matching(name, await knowledgeBase.documents());
      if (found.length === 0) return { evidence: [], summary: "no such document" };
      const beginnings = await Promise.all(
        found.slice(0, MAX_SHOWN).map(({ path }) => knowledgeBase.passagesOf(path)),
      );
      const shown = beginnings.flatMap(([passage]) =>
        passage ? [evidenceFromHit({ passage, scores: [] }, { tool: "find_file", round })] : [],
      );
      // Sizes and dates of files answer questions about files, and look like an answer to others.
      const isAskedFor = !byWords || ASKS_FOR_DOCUMENTS.test(question);
      return {
        evidence: isAskedFor ? [...shown, listing(found, round)] : shown,
        summary: counted(found.length, "document"),
      };
    },
  });
}

const ASKS_FOR_DOCUMENTS =
  /(?<!\p{L})(?:files?|folders?|documents?|documentation|docs|pdfs?|datei(?:en)?|ordner|dokumente?n?|fichiers?|archivos?|documentos?)(?!\p{L})|文件|文档|資料|ファイル/iu;

interface Found {
  found: readonly DocumentRecord[];
  /** By words of path and title: nobody named these documents. */
  byWords: boolean;
}

/** By glob; else by file name or end of path; else by words of path and title, most words first. */
function matching(name: string, documents: readonly DocumentRecord[]): Found {
  if (isGlob(name)) {
    const matches = pathMatcher(name.includes("/") ? name : `{${name},**/${name}}`);
    return { found: documents.filter(({ path }) => matches(path)), byWords: false };
  }
  const wanted = name.toLowerCase().replace(/^\.?\//, "");
  const exact = documents.filter(({ path }) => `/${path.toLowerCase()}`.endsWith(`/${wanted}`));
  if (exact.length > 0) return { found: exact, byWords: false };
  const terms = new Set(searchTerms(name));
  const shared = new Map(
    documents.map((document) => {
      const own = new Set(searchTerms(`${document.path} ${document.title}`));
      return [document, [...terms].filter((term) => own.has(term)).length];
    }),
  );
  const found = [...shared.keys()].filter((document) => (shared.get(document) ?? 0) > 0);
  return {
    found: found.toSorted((a, b) => (shared.get(b) ?? 0) - (shared.get(a) ?? 0)),
    byWords: true,
  };
}

/** Without the name that was asked for: a judge would take the question's words for evidence. */
function listing(found: readonly DocumentRecord[], round: number): Evidence {
  const lines = found.slice(0, MAX_LISTED).map(({ path, title, bytes, modifiedAt }) => {
    const changed = modifiedAt === undefined ? "" : `, changed ${modifiedAt.slice(0, 10)}`;
    return `- ${path}: "${title}", ${bytes} bytes${changed}`;
  });
  const more = found.length > MAX_LISTED ? `\n${found.length - MAX_LISTED} more` : "";
  const head = found.length === 1 ? "One document" : `${found.length} documents`;
  const text = `${head} found by name or title:\n${lines.join("\n")}${more}`;
  return makeEvidence(
    {
      id: evidenceId("find_file", text),
      text,
      title: "Documents of the knowledge base",
      source: { kind: "tool", path: "find_file" },
    },
    { tool: "find_file", round },
  );
}
