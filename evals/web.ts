/** What the web adds: the same questions answered from the knowledge base alone, from the web alone, and corrected. All texts are recorded. */
import { readFile } from "node:fs/promises";
import { createCorrectiveRag, type CorrectiveRagOptions } from "../src/corrective-rag.js";
import type { ProfileName, Quality } from "../src/config/run-settings.js";
import { containsAnswer, qaMetrics, type QaMetrics, type QaRecord } from "./qa-metrics.js";
import { recordedKnowledgeBase, recordedWeb, readWebSet, type WebQuestion } from "./recorded-sources.js";

export interface WebEval {
  /** Questions. */
  n: number;
  kb_only: QaMetrics;
  web_only: QaMetrics;
  corrective: QaMetrics & {
    /** Of the questions: a web search was made. */
    web_share: number;
    /** Of the questions with a web search: the knowledge base alone had not answered rightly. */
    web_needed_share: number;
  };
}

interface Run {
  record: QaRecord;
  searchedWeb: boolean;
}

/** Variables that would bring a real provider or a real log into a measurement. */
const ISOLATED = {
  WEB_PROVIDERS: undefined,
  TAVILY_API_KEY: undefined,
  SEARXNG_URL: undefined,
  BRAVE_API_KEY: undefined,
  WEB_SEARCH: undefined,
  KB_AGENT_AUDIT_LOG_PATH: "off",
};

/**
 * Answers each question three times. The web's results are served by a provider within the process, the knowledge base's passages by a store that
 * returns what was recorded; nothing leaves the machine but calls of a model, where one is configured.
 * @throws UserError when the file is not of the format
 */
export async function runWebEval({
  file,
  profile,
  quality,
  limit,
  onProgress,
}: {
  file: string;
  profile?: ProfileName;
  quality?: Quality;
  limit?: number;
  onProgress?: (done: number, total: number) => void;
}): Promise<WebEval> {
  const questions = readWebSet(await readFile(file, "utf8"), file).slice(0, limit);
  const runs: Record<"kb_only" | "web_only" | "corrective", Run[]> = { kb_only: [], web_only: [], corrective: [] };
  for (const [done, question] of questions.entries()) {
    onProgress?.(done, questions.length);
    const kb = recordedKnowledgeBase(question.kb);
    const web = [recordedWeb(question.web)];
    const settings = { profile, quality };
    runs.kb_only.push(await answer(question, { knowledgeBase: kb, defaults: { ...settings, web_search: "off" } }));
    runs.web_only.push(await answer(question, { knowledgeBase: recordedKnowledgeBase(""), webSearchProviders: web, defaults: settings }));
    runs.corrective.push(await answer(question, { knowledgeBase: kb, webSearchProviders: web, defaults: settings }));
  }
  onProgress?.(questions.length, questions.length);
  const metrics = (list: readonly Run[]): QaMetrics => qaMetrics(list.map(({ record }) => record));
  const searched = runs.corrective.flatMap(({ searchedWeb }, index) => (searchedWeb ? [index] : []));
  const needed = searched.filter((index) => !isRight(runs.kb_only[index]));
  return {
    n: questions.length,
    kb_only: metrics(runs.kb_only),
    web_only: metrics(runs.web_only),
    corrective: {
      ...metrics(runs.corrective),
      web_share: share(searched.length, questions.length),
      web_needed_share: share(needed.length, searched.length),
    },
  };
}

/** An agent of its own for each question: neither a cache nor a circuit breaker carries anything over. */
async function answer({ question, answers }: WebQuestion, options: CorrectiveRagOptions): Promise<Run> {
  let searchedWeb = false;
  const agent = createCorrectiveRag({
    ...options,
    environment: { ...process.env, ...ISOLATED },
    onEvent: ({ type }) => (searchedWeb ||= type === "web_search"),
  });
  try {
    const { answer: text, outcome } = await agent.ask(question);
    return {
      record: { answer: text, abstained: outcome.status !== "success", goldAnswers: answers, answerable: answers.length > 0 },
      searchedWeb,
    };
  } finally {
    await agent.close();
  }
}

function isRight(run: Run | undefined): boolean {
  return run !== undefined && !run.record.abstained && containsAnswer(run.record.answer, run.record.goldAnswers);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
