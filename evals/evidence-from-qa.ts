/**
 * Makes an evidence file out of a question-answering folder (SQuAD-like: paragraphs and questions, some unanswerable): for each question the
 * best paragraphs by BM25, with and without the one that answers, so that the judge learns what a failed retrieval of good paragraphs looks like.
 *
 * Usage: node --import tsx evals/evidence-from-qa.ts DIRECTORY OUT.jsonl [every nth question]
 */
import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { contentTerms } from "../src/text/analyse.js";
import { readQaDirectory } from "./formats.js";
import type { CorpusDocument, EvidenceRecord, QaQuestion } from "./formats.js";

const PER_SET = 5;
const K1 = 0.9;
const B = 0.4;

/** Two sets per answerable question (as retrieved, and without its paragraph), and one per unanswerable question. */
export function evidenceFromQa({
  corpus,
  questions,
}: {
  corpus: readonly CorpusDocument[];
  questions: readonly QaQuestion[];
}): EvidenceRecord[] {
  const search = createBm25(corpus);
  return questions.flatMap((question): EvidenceRecord[] => {
    const hits = search(question.question, PER_SET + 3);
    const base = { question: question.question, answers: question.answers };
    const passages = (documents: readonly CorpusDocument[]): EvidenceRecord["passages"] =>
      documents
        .slice(0, PER_SET)
        .map(({ _id, title, text }) => ({ title, text, relevant: question.answerable && _id === question.doc_id }));
    const found = passages(hits);
    const asRetrieved = { ...base, id: question.id, answerable: found.some(({ relevant }) => relevant), passages: found };
    if (!question.answerable) return [asRetrieved];
    const without = passages(
      hits.filter(
        ({ _id, text }) => _id !== question.doc_id && !question.answers.some((answer) => answer.length > 3 && text.includes(answer)),
      ),
    );
    return [asRetrieved, { ...base, id: `${question.id}-without`, answerable: false, passages: without }].filter(
      (set) => set.passages.length > 0,
    );
  });
}

function createBm25(corpus: readonly CorpusDocument[]): (query: string, limit: number) => CorpusDocument[] {
  const frequency = new Map<string, number>();
  const documents = corpus.map((document) => {
    const counts = new Map<string, number>();
    const terms = contentTerms(`${document.title} ${document.text}`);
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const term of counts.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1);
    return { document, counts, length: terms.length };
  });
  const average = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  return (query, limit) => {
    const terms = [...new Set(contentTerms(query))];
    const scored = documents.map(({ document, counts, length }) => {
      let score = 0;
      for (const term of terms) {
        const count = counts.get(term) ?? 0;
        const df = frequency.get(term) ?? 0;
        if (count > 0)
          score +=
            (Math.log(1 + (corpus.length - df + 0.5) / (df + 0.5)) * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average));
      }
      return { document, score };
    });
    return scored
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ document }) => document);
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [directory = "", out = "evidence.jsonl", nth = "1"] = process.argv.slice(2);
  const { corpus, questions } = await readQaDirectory(directory);
  const sets = evidenceFromQa({ corpus, questions: questions.filter((_, i) => i % Number(nth) === 0) });
  await writeFile(out, sets.map((set) => `${JSON.stringify(set)}\n`).join(""));
  console.error(`${sets.length} sets written to ${out}`);
}
