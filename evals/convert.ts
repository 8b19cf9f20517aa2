/** `eval convert`: brings public data sets into the documented formats. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readJsonLines } from "./json-lines.js";
import { UserError } from "../src/support/errors.js";
import { evidenceFromQa } from "./evidence-from-qa.js";
import {
  CorpusDocumentSchema,
  type CorpusDocument,
  type EvidenceRecord,
  type QaQuestion,
} from "./formats.js";
import { readRetrievalSet } from "./beir.js";
import type { Layout } from "./layouts.js";

/** Lines written by file name. */
export type ConvertReport = Record<string, number>;

/** Passages of a set that is made from relevance judgements. */
const PER_SET = 10;

/**
 * `squad` (SQuAD 1.1 and 2.0, one JSON file): `corpus.jsonl`, `questions.jsonl`, and `evidence.jsonl` with what BM25 finds for each question.
 * `beir` (folder of corpus, queries and relevance judgements): `evidence.jsonl` with the judged documents of each query.
 * @throws UserError when the source is not of the layout
 */
export async function convert({
  layout,
  path,
  out,
}: {
  layout: Layout;
  path: string;
  out: string;
}): Promise<ConvertReport> {
  const files =
    layout === "squad" ? await fromSquad(path) : { "evidence.jsonl": await fromBeir(path) };
  await mkdir(out, { recursive: true });
  const written: ConvertReport = {};
  for (const [name, records] of Object.entries(files)) {
    await writeFile(
      join(out, name),
      records.map((record) => `${JSON.stringify(record)}\n`).join(""),
    );
    written[name] = records.length;
  }
  return written;
}

const SquadSchema = z.object({
  data: z.array(
    z.object({
      title: z.string().default(""),
      paragraphs: z.array(
        z.object({
          context: z.string(),
          qas: z.array(
            z.object({
              id: z.coerce.string(),
              question: z.string(),
              answers: z.array(z.object({ text: z.string() })).default([]),
              is_impossible: z.boolean().optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

async function fromSquad(file: string): Promise<Record<string, readonly object[]>> {
  const parsed = SquadSchema.safeParse(await readJson(file));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UserError(
      `${file} is not in SQuAD's layout: ${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? ""}`,
      'it begins {"data": [{"title", "paragraphs": [...]}]}',
    );
  }
  const corpus: CorpusDocument[] = [];
  const questions: QaQuestion[] = [];
  for (const { title, paragraphs } of parsed.data.data)
    for (const [index, { context, qas }] of paragraphs.entries()) {
      const id = `${title}-${index}`;
      corpus.push({ _id: id, title: title.replaceAll("_", " "), text: context });
      for (const { id: questionId, question, answers, is_impossible: impossible } of qas) {
        const unique = [...new Set(answers.map(({ text }) => text))];
        const answerable = !(impossible ?? unique.length === 0);
        questions.push({
          id: questionId,
          question,
          answers: answerable ? unique : [],
          answerable,
          doc_id: id,
        });
      }
    }
  return {
    "corpus.jsonl": corpus,
    "questions.jsonl": questions,
    "evidence.jsonl": evidenceFromQa({ corpus, questions }),
  };
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new UserError(
      `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`,
      "give one JSON file in SQuAD's layout",
    );
  }
}

/** The judged documents are those that people looked at: the irrelevant among them are near misses. */
async function fromBeir(directory: string): Promise<EvidenceRecord[]> {
  const { queries, corpus } = readRetrievalSet(directory);
  const documents = new Map(
    (await readJsonLines(corpus, CorpusDocumentSchema, "documents")).map((document) => [
      document._id,
      document,
    ]),
  );
  return queries.map(({ id, text, grades }) => {
    const passages = [...grades].slice(0, PER_SET).flatMap(([documentId, grade]) => {
      const document = documents.get(documentId);
      return document === undefined
        ? []
        : [{ title: document.title, text: document.text, relevant: grade > 0 }];
    });
    return {
      id,
      question: text,
      answers: null,
      answerable: passages.some(({ relevant }) => relevant),
      passages,
    };
  });
}
