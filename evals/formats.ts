/**
 * The documented formats of labelled data, one JSON object a line. A line that is not what it should be is named with file and number.
 */
import { join } from "node:path";
import { z } from "zod";
import { LabeledSetSchema } from "./recalibrate.js";
import { readJsonLines } from "./json-lines.js";

const Answers = z.array(z.string()).nullish();
const EvidenceRecordSchema = LabeledSetSchema.extend({ answers: Answers });
export type EvidenceRecord = z.infer<typeof EvidenceRecordSchema>;

const QaQuestionSchema = z.object({
  id: z.coerce.string(),
  question: z.string(),
  answers: z
    .array(z.string())
    .nullish()
    .transform((answers) => answers ?? []),
  answerable: z.boolean(),
  doc_id: z.string().nullish(),
});
export type QaQuestion = z.infer<typeof QaQuestionSchema>;

/** A document of a BEIR-style corpus. */
export const CorpusDocumentSchema = z.object({
  _id: z.coerce.string(),
  title: z
    .string()
    .nullish()
    .transform((title) => title ?? ""),
  text: z.string(),
});
export type CorpusDocument = z.infer<typeof CorpusDocumentSchema>;

const AnswerRecordSchema = z.object({
  id: z.coerce.string(),
  model: z.string(),
  question: z.string(),
  evidence: z.array(z.object({ title: z.string(), text: z.string() })),
  answer: z.string(),
  faithful: z.boolean(),
  /** Character spans that people marked; null where only whole answers were judged. */
  unsupported: z.array(z.tuple([z.number(), z.number()])).nullable(),
});
/** An answer of a model or a person, with what people said of its support. */
export type AnswerRecord = z.infer<typeof AnswerRecordSchema>;

export const readAnswersFile = (file: string): Promise<AnswerRecord[]> =>
  readJsonLines(file, AnswerRecordSchema, "recorded answers");
export const readEvidenceFile = (file: string, limit?: number): Promise<EvidenceRecord[]> =>
  readJsonLines(file, EvidenceRecordSchema, "labeled evidence", limit);
export const readCorpusFile = (file: string): Promise<CorpusDocument[]> =>
  readJsonLines(file, CorpusDocumentSchema, "documents");

/** A folder with `corpus.jsonl` and `questions.jsonl`. */
export async function readQaDirectory(
  directory: string,
  limit?: number,
): Promise<{ corpus: CorpusDocument[]; questions: QaQuestion[] }> {
  const [corpus, questions] = await Promise.all([
    readCorpusFile(join(directory, "corpus.jsonl")),
    readJsonLines(join(directory, "questions.jsonl"), QaQuestionSchema, "questions", limit),
  ]);
  return { corpus, questions };
}
