/** Questions with found passages and known answers, measured for the models behind the embedded answer. */
import { candidatesOf } from "../src/answering/answer-candidates.js";
import { questionFocus, type QuestionFocus } from "../src/answering/question-focus.js";
import { measureSentence, type MeasuredSentence } from "../src/answering/sentence-features.js";
import type { Evidence } from "../src/state/evidence.js";
import { contentTerms } from "../src/text/analyse.js";
import { readEvidenceFile, readQaDirectory } from "./formats.js";
import { normaliseAnswer } from "./qa-metrics.js";

export interface AnswerItem {
  question: string;
  focus: QuestionFocus;
  answerable: boolean;
  gold: readonly string[];
  /** What is held out together: an article, or a file. */
  group: string;
  sentences: MeasuredSentence[];
  /** Whether each sentence holds the answer. */
  right: boolean[];
}

const PASSAGES = 5;

/** Questions of a QA folder with the passages that share most with them, by BM25. Only the passage a question was written for is right. */
export async function readQaItems(directory: string): Promise<AnswerItem[]> {
  const { corpus, questions } = await readQaDirectory(directory);
  const search = bm25(corpus.map(({ title, text }) => contentTerms(`${title} ${text}`)));
  return questions.map(({ question, answers, answerable, doc_id }) => {
    const found = search(contentTerms(question), PASSAGES).flatMap((index) => corpus[index] ?? []);
    const evidence = found.map(({ _id, title, text }) => passage(_id, title, text));
    const group = (doc_id ?? "").replace(/-\d+$/u, "");
    return itemOf({ question, evidence, gold: answers, answerable, group, from: doc_id ?? undefined });
  });
}

/** Questions of an evidence file with the first passages given for them. */
export async function readEvidenceItems(file: string): Promise<AnswerItem[]> {
  const rows = await readEvidenceFile(file);
  return rows.map(({ id, question, answers, answerable, passages }) => {
    const search = bm25(passages.map(({ title, text }) => contentTerms(`${title} ${text}`)));
    const evidence = search(contentTerms(question), PASSAGES).flatMap((index) => {
      const found = passages[index];
      return found === undefined ? [] : [passage(`${id}-${String(index)}`, found.title, found.text)];
    });
    // Some files tell which sentence answers, not what it answers.
    const gold = answers ?? passages.filter(({ relevant }) => relevant).map(({ text }) => text);
    return itemOf({ question, evidence, gold, answerable, group: file, from: undefined });
  });
}

interface RawItem {
  question: string;
  evidence: readonly Evidence[];
  gold: readonly string[];
  answerable: boolean;
  group: string;
  /** The only passage that counts; any where it is not known. */
  from: string | undefined;
}

function itemOf({ question, evidence, gold, answerable, group, from }: RawItem): AnswerItem {
  const sources = evidence.map((item, index) => ({ marker: index + 1, evidenceId: item.id, strips: [] }));
  const focus = questionFocus(question);
  const sentences = candidatesOf({ text: "", form: "relevant", tokens: 0, sources }, evidence).map((candidate) =>
    measureSentence(candidate, focus),
  );
  const wanted = gold.map(normaliseAnswer).filter((answer) => answer !== "");
  const right = sentences.map(({ candidate }) => {
    const said = ` ${normaliseAnswer(candidate.text)} `;
    const isFrom = from === undefined || evidence[candidate.marker - 1]?.id === from;
    return isFrom && wanted.some((answer) => said.includes(` ${answer} `) || answer.includes(said.trim()));
  });
  return { question, focus, answerable, gold, group, sentences, right };
}

function passage(id: string, title: string, text: string): Evidence {
  return { id, title, text, source: { kind: "file", path: id }, tool: "fit", round: 0, scores: [], status: "kept" };
}

function bm25(documents: readonly (readonly string[])[]): (terms: readonly string[], limit: number) => number[] {
  const average = documents.reduce((sum, terms) => sum + terms.length, 0) / documents.length;
  const postings = new Map<string, Map<number, number>>();
  for (const [index, terms] of documents.entries()) {
    for (const term of terms) {
      const list = postings.get(term) ?? new Map<number, number>();
      postings.set(term, list.set(index, (list.get(index) ?? 0) + 1));
    }
  }
  return (terms, limit) => {
    const scores = new Map<number, number>();
    for (const term of new Set(terms)) {
      const list = postings.get(term) ?? new Map<number, number>();
      const weight = Math.log(1 + (documents.length - list.size + 0.5) / (list.size + 0.5));
      for (const [index, count] of list) {
        const length = documents[index]?.length ?? 0;
        scores.set(index, (scores.get(index) ?? 0) + (weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average)));
      }
    }
    return [...scores]
      .sort((a, b) => b[1] - a[1])
      .slice(0, limit)
      .map(([index]) => index);
  };
}
