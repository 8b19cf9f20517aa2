/**
 * Questions on this project's own docs, put in other words than the docs use, and some that have nothing to do with them.
 * `docs-questions.jsonl` is the list that is looked at while something is changed, `docs-questions-held-out.jsonl` the one that is not.
 * An answer is right when it matches the expected pattern and cites the expected place; the off-topic ones must be abstained from.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { demoPages } from "../src/assembly/demo.js";
import { createCorrectiveRag, type CorrectiveRag } from "../src/corrective-rag.js";
import { ingest } from "../src/ingest/ingest.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { renderSource } from "../src/state/evidence.js";
import type { ProfileName, Quality } from "../src/settings/run-settings.js";
import type { ContextValues } from "../src/settings/context.js";
import { evenlySpread } from "./evenly-spread.js";
import { readJsonLines } from "./json-lines.js";

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "i") instanceof RegExp;
  } catch {
    return false;
  }
}

const DocsQuestionSchema = z.object({
  question: z.string().min(1),
  expect: z
    .string()
    .refine(isPattern, "no pattern (a regular expression)")
    .optional()
    .describe("Pattern of a right answer."),
  source: z.string().optional().describe("Beginning of the path that must be cited."),
  unanswerable: z.boolean().optional(),
});

export interface DocsReport {
  n: number;
  answered_rightly: number;
  answerable: number;
  abstained_rightly: number;
  unanswerable: number;
  rows: { question: string; right: boolean; status: string; answer: string; cited: string[] }[];
}

export interface DocsInput {
  /** Questions as JSON lines: `{question, expect, source}` or `{question, unanswerable: true}`. */
  file: string;
  profile?: ProfileName;
  quality?: Quality;
  limit?: number;
  onProgress?: (done: number, total: number) => void;
}

export async function runDocsEval({
  file,
  profile,
  quality,
  limit,
  onProgress,
}: DocsInput): Promise<DocsReport> {
  const questions = evenlySpread(await readJsonLines(file, DocsQuestionSchema, "questions"), limit);
  const directory = await mkdtemp(join(tmpdir(), "docs-eval-"));
  const knowledgeBase = await openSqliteKnowledgeBase({ directory });
  const rows: DocsReport["rows"] = [];
  try {
    await ingest({ targets: await demoPages("docs"), knowledgeBase });
    const agent = createCorrectiveRag({
      environment: { KB_AGENT_AUDIT_LOG_PATH: "off", CRAG_READER: process.env["CRAG_READER"] },
      knowledgeBase,
      checkpointer: false,
    });
    for (const question of questions) {
      onProgress?.(rows.length, questions.length);
      rows.push(await askOne(agent, question, { profile, quality }));
    }
  } finally {
    await knowledgeBase.close();
    await rm(directory, { recursive: true });
  }
  const count = (off: boolean): number =>
    rows.filter(({ right }, index) => right && (questions[index]?.unanswerable ?? false) === off)
      .length;
  const unanswerable = questions.filter((each) => each.unanswerable).length;
  return {
    n: rows.length,
    answered_rightly: count(false),
    answerable: rows.length - unanswerable,
    abstained_rightly: count(true),
    unanswerable,
    rows,
  };
}

async function askOne(
  agent: CorrectiveRag,
  { question, expect, source, unanswerable }: z.infer<typeof DocsQuestionSchema>,
  settings: ContextValues,
): Promise<DocsReport["rows"][number]> {
  const { answer, citations, outcome } = await agent.ask(question, { context: settings });
  const cited = citations.map((citation) => renderSource(citation.source));
  const right = unanswerable
    ? outcome.status !== "success"
    : outcome.status === "success" &&
      new RegExp(expect ?? ".", "i").test(answer) &&
      citations.some(({ source: at }) => at.kind === "file" && at.path.startsWith(source ?? ""));
  return { question, right, status: outcome.status, answer, cited };
}
