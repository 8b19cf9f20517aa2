/**
 * The documented formats of labelled data, one JSON object a line. A line that is not what it should be is named with file and number.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { UserError } from "../src/support/errors.js";

const Answers = z.array(z.string()).nullish();
/** `eval label` writes null where no label was given. */
const Label = z.boolean({
  error: ({ input }) => (input === null ? "not labelled yet" : undefined),
});

const EvidenceRecordSchema = z.object({
  id: z.coerce.string(),
  question: z.string(),
  answers: Answers,
  answerable: Label,
  passages: z.array(
    z.object({
      title: z
        .string()
        .nullish()
        .transform((title) => title ?? ""),
      headings: z.array(z.string()).optional(),
      text: z.string(),
      /** Null where only the set is labeled. */
      relevant: z.boolean().nullable(),
    }),
  ),
});
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
  readJsonLines(file, AnswerRecordSchema, "answers");
export const readEvidenceFile = (file: string, limit?: number): Promise<EvidenceRecord[]> =>
  readJsonLines(file, EvidenceRecordSchema, "evidence", limit);
const readCorpusFile = (file: string): Promise<CorpusDocument[]> =>
  readJsonLines(file, CorpusDocumentSchema, "corpus");

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

/**
 * Reads a file of JSON lines and checks each of them. Empty lines are skipped.
 * @param limit lines at most
 * @throws UserError naming file and line
 */
export async function readJsonLines<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  what: string,
  limit = Infinity,
): Promise<z.infer<Schema>[]> {
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (error) {
    throw new UserError(
      `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`,
      `give a ${what} file, one JSON object a line`,
    );
  }
  const records: z.infer<Schema>[] = [];
  for (const [index, line] of content
    .replace(/^\ufeff/u, "")
    .split("\n")
    .entries()) {
    if (line.trim() === "") continue;
    if (records.length >= limit) break;
    records.push(readLine(line, schema, `${file}, line ${index + 1}`, what));
  }
  if (records.length === 0)
    throw new UserError(`${file} holds no ${what} records`, "one JSON object a line");
  return records;
}

function readLine<Schema extends z.ZodType>(
  line: string,
  schema: Schema,
  where: string,
  what: string,
): z.infer<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new UserError(`${where}: not JSON`, "one JSON object a line");
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UserError(
    `${where}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "wrong shape"}`,
    `the ${what} format is described in docs/quality.md`,
  );
}
