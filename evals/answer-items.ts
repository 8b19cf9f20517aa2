/** Questions with found passages and known answers, measured for the models behind the embedded answer. */
import { candidatesOf } from "../src/answering/quoting/answer-candidates.js";
import { questionFocus, type QuestionFocus } from "../src/answering/quoting/question-focus.js";
import {
  measureSentences,
  type MeasuredSentence,
} from "../src/answering/quoting/sentence-features.js";
import type { Evidence } from "../src/state/evidence.js";
import { contentTerms } from "../src/text/analyse.js";
import { createBm25 } from "./bm25.js";
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
const BM25 = { k1: 1.2, b: 0.75 };

/** Questions of a QA folder with the passages that share most with them, by BM25. Only the passage a question was written for is right. */
export async function readQaItems(directory: string): Promise<AnswerItem[]> {
  const { corpus, questions } = await readQaDirectory(directory);
  const search = createBm25(
    corpus.map(({ title, text }) => contentTerms(`${title} ${text}`)),
    BM25,
  );
  return questions.map(({ question, answers, answerable, doc_id }) => {
    const found = search(contentTerms(question), PASSAGES).flatMap((index) => corpus[index] ?? []);
    const evidence = found.map(({ _id, title, text }) => passage(_id, title, text));
    const group = (doc_id ?? "").replace(/-\d+$/u, "");
    return itemOf({
      question,
      evidence,
      gold: answers,
      answerable,
      group,
      from: doc_id ?? undefined,
    });
  });
}

/** Questions of an evidence file with the first passages given for them. */
export async function readEvidenceItems(file: string): Promise<AnswerItem[]> {
  const rows = await readEvidenceFile(file);
  return rows.map(({ id, question, answers, answerable, passages }) => {
    const search = createBm25(
      passages.map(({ title, text }) => contentTerms(`${title} ${text}`)),
      BM25,
    );
    const evidence = search(contentTerms(question), PASSAGES).flatMap((index) => {
      const found = passages[index];
      return found === undefined
        ? []
        : [passage(`${id}-${String(index)}`, found.title, found.text)];
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
  const sources = evidence.map((item, index) => ({
    marker: index + 1,
    evidenceId: item.id,
    strips: [],
  }));
  const focus = questionFocus(question);
  const sentences = measureSentences(
    candidatesOf({ text: "", form: "relevant", tokens: 0, sources }, evidence),
    focus,
  );
  const wanted = gold.map(normaliseAnswer).filter((answer) => answer !== "");
  const right = sentences.map(({ candidate }) => {
    const said = ` ${normaliseAnswer(candidate.text)} `;
    const isFrom = from === undefined || evidence[candidate.marker - 1]?.id === from;
    return (
      isFrom &&
      wanted.some((answer) => said.includes(` ${answer} `) || answer.includes(said.trim()))
    );
  });
  return { question, focus, answerable, gold, group, sentences, right };
}

function passage(id: string, title: string, text: string): Evidence {
  return {
    id,
    title,
    text,
    source: { kind: "file", path: id },
    tool: "fit",
    round: 0,
    scores: [],
    status: "kept",
  };
}
