/** Questions answered by plain and by corrective RAG from one knowledge base made of the corpus. */
import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Ablation, ProfileName, Quality } from "../src/settings/run-settings.js";
import { createCorrectiveRag, type CorrectiveRag } from "../src/corrective-rag.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { askQuestion, ISOLATED, type Run } from "./ask-question.js";
import { evenlySpread } from "./evenly-spread.js";
import { readQaDirectory, type QaQuestion } from "./formats.js";
import { storeCorpus } from "./store-corpus.js";

/** Plain RAG: retrieve, refine, answer. */
export const PLAIN: readonly Ablation[] = ["grading", "guard"];

/** Fewer questions than this are not worth a second process, which takes seconds to start. */
const WORTH_A_PROCESS = 250;
/** Each holds an index and the judge in memory. */
const MAX_PROCESSES = 8;

export interface QaInput {
  directory: string;
  profile?: ProfileName;
  quality?: Quality;
  /** Questions at most, spread evenly over the file. */
  limit?: number;
  onProgress?: (done: number, total: number) => void;
}

/** What was said to one question by the two systems. */
export interface QaPair {
  plain: Run;
  corrective: Run;
}

/** The settings, and the questions to take. */
export interface QaWork extends Pick<QaInput, "directory" | "profile" | "quality"> {
  questions: QaQuestion[];
}

export type QaWorkerMessage = { done: number } | { pairs: QaPair[] };

export async function readQuestions({
  directory,
  limit,
}: Pick<QaInput, "directory" | "limit">): Promise<QaQuestion[]> {
  return evenlySpread((await readQaDirectory(directory)).questions, limit);
}

/** Every question answered twice, in the order of the file; a large set is shared between processes, which changes nothing but the time. */
export async function runQaPairs({
  directory,
  profile,
  quality,
  limit,
  onProgress,
}: QaInput): Promise<QaPair[]> {
  const questions = await readQuestions({ directory, limit });
  const work = { directory, profile, quality };
  const processes = Math.max(
    1,
    Math.min(MAX_PROCESSES, availableParallelism(), Math.floor(questions.length / WORTH_A_PROCESS)),
  );
  if (processes === 1)
    return askPairs({ ...work, questions }, (done) => onProgress?.(done, questions.length));
  const done = Array.from({ length: processes }, () => 0);
  const shares = done.map((_, process) =>
    inProcess(
      { ...work, questions: questions.filter((__, index) => index % processes === process) },
      (count) => {
        done[process] = count;
        onProgress?.(
          done.reduce((sum, each) => sum + each, 0),
          questions.length,
        );
      },
    ),
  );
  const answered = await Promise.all(shares);
  return questions.flatMap(
    (_, index) => answered[index % processes]?.[Math.floor(index / processes)] ?? [],
  );
}

function inProcess(work: QaWork, onDone: (done: number) => void): Promise<QaPair[]> {
  return new Promise((resolve, reject) => {
    // Nothing but the one JSON document may reach stdout.
    const worker = fork(fileURLToPath(new URL("./qa-worker.ts", import.meta.url)), {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    worker.on("message", (message: QaWorkerMessage) =>
      "pairs" in message ? resolve(message.pairs) : onDone(message.done),
    );
    worker.once("error", reject);
    // Comes after every message has arrived, unlike the exit.
    worker.once("disconnect", () => reject(new Error("a process of the evaluation ended early")));
    worker.send(work);
  });
}

/** Answers each question twice: plainly, and as the agent does by default. */
export async function askPairs(
  { questions, ...settings }: QaWork,
  onDone: (done: number) => void,
): Promise<QaPair[]> {
  return withQaAgent(settings, async (agent) => {
    const pairs: QaPair[] = [];
    for (const question of questions) {
      const plain = await askQuestion(agent, question, { switched_off: [...PLAIN] });
      pairs.push({ plain, corrective: await askQuestion(agent, question, {}) });
      onDone(pairs.length);
    }
    return pairs;
  });
}

/** Ingests the corpus into a knowledge base of its own, which is deleted afterwards. */
export async function withQaAgent<Result>(
  { directory, profile, quality }: Pick<QaInput, "directory" | "profile" | "quality">,
  use: (agent: CorrectiveRag) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "qa-eval-"));
  const knowledgeBase = await openSqliteKnowledgeBase({ directory: folder });
  const agent = createCorrectiveRag({
    knowledgeBase,
    environment: { ...process.env, ...ISOLATED },
    settings: { profile, quality },
    checkpointer: false,
  });
  try {
    await storeCorpus(join(directory, "corpus.jsonl"), knowledgeBase);
    return await use(agent);
  } finally {
    await agent.close();
    await knowledgeBase.close();
    await rm(folder, { recursive: true, force: true });
  }
}
