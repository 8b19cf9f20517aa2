/** What the web adds: the same questions answered from the knowledge base alone, from the web alone, and corrected. All texts are recorded. */
import { readFile } from "node:fs/promises";
import { createCorrectiveRag, type CorrectiveRagOptions } from "../src/corrective-rag.js";
import type { ProfileName, Quality } from "../src/settings/run-settings.js";
import type { ContextValues } from "../src/settings/context.js";
import { ablate, type AblationRow } from "./ablation.js";
import { askQuestion, ISOLATED, type Run } from "./ask-question.js";
import { evenlySpread } from "./evenly-spread.js";
import { containsAnswer, qaMetrics, type QaMetrics } from "./qa-metrics.js";
import {
  recordedKnowledgeBase,
  recordedWeb,
  readWebSet,
  type WebQuestion,
} from "./recorded-sources.js";

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
  /** With `ablation` only. */
  ablation?: AblationRow[];
}

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
  ablation = false,
  report: folder,
  onProgress,
}: {
  file: string;
  profile?: ProfileName;
  quality?: Quality;
  limit?: number;
  /** Also with each step switched off in turn. */
  ablation?: boolean;
  /** Folder for a report. */
  report?: string;
  onProgress?: (done: number, total: number) => void;
}): Promise<WebEval> {
  const questions = evenlySpread(readWebSet(await readFile(file, "utf8"), file), limit);
  const runs: Record<"kb_only" | "web_only" | "corrective", Run[]> = {
    kb_only: [],
    web_only: [],
    corrective: [],
  };
  for (const [done, question] of questions.entries()) {
    onProgress?.(done, questions.length);
    const kb = recordedKnowledgeBase(question.kb);
    const web = [recordedWeb(question.web)];
    const settings = { profile, quality };
    runs.kb_only.push(
      await answer(question, { knowledgeBase: kb, settings: { ...settings, webSearch: "off" } }),
    );
    runs.web_only.push(
      await answer(question, {
        knowledgeBase: recordedKnowledgeBase(""),
        webSearch: web,
        settings,
      }),
    );
    runs.corrective.push(await answer(question, { knowledgeBase: kb, webSearch: web, settings }));
  }
  onProgress?.(questions.length, questions.length);
  const metrics = (list: readonly Run[]): QaMetrics => qaMetrics(list.map(({ record }) => record));
  const searched = runs.corrective.flatMap(({ webUsed }, index) => (webUsed ? [index] : []));
  const needed = searched.filter((index) => !isRight(runs.kb_only[index]));
  const report: WebEval = {
    n: questions.length,
    kb_only: metrics(runs.kb_only),
    web_only: metrics(runs.web_only),
    corrective: {
      ...metrics(runs.corrective),
      web_share: share(searched.length, questions.length),
      web_needed_share: share(needed.length, searched.length),
    },
    ...(ablation && { ablation: await runAblation(questions, { profile, quality }, onProgress) }),
  };
  if (folder !== undefined)
    await (await import("./report/web-report.js")).writeWebReport({ folder, file, report });
  return report;
}

async function runAblation(
  questions: readonly WebQuestion[],
  settings: Pick<ContextValues, "profile" | "quality">,
  onProgress?: (done: number, total: number) => void,
): Promise<AblationRow[]> {
  return ablate(
    async (switchedOff, onDone) => {
      const runs: Run[] = [];
      for (const question of questions) {
        const options = {
          knowledgeBase: recordedKnowledgeBase(question.kb),
          webSearch: [recordedWeb(question.web)],
        };
        onDone(
          runs.push(
            await answer(question, {
              ...options,
              settings: { ...settings, switchedOff: [...switchedOff] },
            }),
          ),
        );
      }
      return runs;
    },
    questions.length,
    onProgress,
  );
}

/** An agent of its own for each question: neither a cache nor a circuit breaker carries anything over. */
async function answer(question: WebQuestion, options: CorrectiveRagOptions): Promise<Run> {
  const agent = createCorrectiveRag({
    ...options,
    environment: { ...process.env, ...ISOLATED },
    checkpointer: false,
  });
  try {
    return await askQuestion(agent, { ...question, answerable: question.answers.length > 0 }, {});
  } finally {
    await agent.close();
  }
}

function isRight(run: Run | undefined): boolean {
  return (
    run !== undefined &&
    !run.record.abstained &&
    containsAnswer(run.record.answer, run.record.goldAnswers)
  );
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
