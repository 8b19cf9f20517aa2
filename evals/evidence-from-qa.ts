/**
 * Makes an evidence file out of a question-answering folder (SQuAD-like: paragraphs and questions, some unanswerable): for each question the
 * best paragraphs by BM25, with and without the one that answers, so that the judge learns what a failed retrieval of good paragraphs looks like.
 *
 * Usage: node --import tsx evals/evidence-from-qa.ts DIRECTORY OUT.jsonl [every nth question]
 */
import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { contentTerms } from "../src/text/analyse.js";
import { createBm25 } from "./bm25.js";
import { readQaDirectory } from "./formats.js";
import type { CorpusDocument, EvidenceRecord, QaQuestion } from "./formats.js";

const PER_SET = 5;
/** The usual choice for passages (Anserini). */
const BM25 = { k1: 0.9, b: 0.4 };

/** Two sets per answerable question (as retrieved, and without its paragraph), and one per unanswerable question. */
export function evidenceFromQa({
  corpus,
  questions,
}: {
  corpus: readonly CorpusDocument[];
  questions: readonly QaQuestion[];
}): EvidenceRecord[] {
  const search = createBm25(
    corpus.map(({ title, text }) => contentTerms(`${title} ${text}`)),
    BM25,
  );
  return questions.flatMap((question): EvidenceRecord[] => {
    const hits = search(contentTerms(question.question), PER_SET + 3).flatMap(
      (index) => corpus[index] ?? [],
    );
    const base = { question: question.question, answers: question.answers };
    const passages = (documents: readonly CorpusDocument[]): EvidenceRecord["passages"] =>
      documents.slice(0, PER_SET).map(({ _id, title, text }) => ({
        title,
        text,
        relevant: question.answerable && _id === question.doc_id,
      }));
    const found = passages(hits);
    const asRetrieved = {
      ...base,
      id: question.id,
      answerable: found.some(({ relevant }) => relevant),
      passages: found,
    };
    if (!question.answerable) return [asRetrieved];
    const without = passages(
      hits.filter(
        ({ _id, text }) =>
          _id !== question.doc_id &&
          !question.answers.some((answer) => answer.length > 3 && text.includes(answer)),
      ),
    );
    return [
      asRetrieved,
      { ...base, id: `${question.id}-without`, answerable: false, passages: without },
    ].filter((set) => set.passages.length > 0);
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [directory = "", out = "evidence.jsonl", nth = "1"] = process.argv.slice(2);
  const { corpus, questions } = await readQaDirectory(directory);
  const sets = evidenceFromQa({
    corpus,
    questions: questions.filter((_, i) => i % Number(nth) === 0),
  });
  await writeFile(out, sets.map((set) => `${JSON.stringify(set)}\n`).join(""));
  console.error(`${sets.length} sets written to ${out}`);
}
