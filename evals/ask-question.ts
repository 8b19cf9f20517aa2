/** One question put to an agent: what was said, how sure the agent was of its evidence, and what it cost. */
import type { CorrectiveRag } from "../src/corrective-rag.js";
import { quantile } from "./statistics.js";
import { plainCoverage } from "./plain-coverage.js";
import type { ContextValues } from "../src/settings/context.js";
import type { QaRecord } from "./qa-metrics.js";

/** Variables that would bring a real provider, a stored knowledge base or a log into a measurement. */
export const ISOLATED = {
  WEB_PROVIDERS: undefined,
  TAVILY_API_KEY: undefined,
  SEARXNG_URL: undefined,
  BRAVE_API_KEY: undefined,
  WEB_SEARCH: undefined,
  KB_AGENT_AUDIT_LOG_PATH: "off",
};

/** A question with its labels. */
export interface LabelledQuestion {
  id: string;
  question: string;
  answers: readonly string[];
  answerable: boolean;
}

export interface Run {
  id: string;
  question: string;
  record: QaRecord;
  /** Probability that the evidence answers, 0–1, by the judge; null where grading was off. */
  judged: number | null;
  /** How much of the question stands in the context that was answered from, 0–1, weighed by rarity: the plain measure of trust. */
  coverage: number;
  iterations: number;
  webUsed: boolean;
  modelCalls: number;
  tokens: number;
  /** Milliseconds. */
  tookMs: number;
}

/** Asks one question; a failed run counts as not answered. */
export async function askQuestion(
  agent: CorrectiveRag,
  { id, question, answers, answerable }: LabelledQuestion,
  context: ContextValues,
): Promise<Run> {
  const begun = performance.now();
  const { answer, passages, outcome, details } = await agent.ask(question, { context });
  const tookMs = performance.now() - begun;
  const usage = details?.usage;
  return {
    id,
    question,
    record: {
      answer,
      abstained: outcome.status !== "success",
      goldAnswers: answers,
      answerable,
      passages: passages.map(({ text }) => text),
    },
    judged: details?.evaluation?.score ?? null,
    coverage: plainCoverage(question, details?.context_used ?? ""),
    iterations: details?.iterations ?? 0,
    webUsed: details?.web_used ?? false,
    modelCalls: usage?.model_calls ?? 0,
    tokens: (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0),
    tookMs,
  };
}

/** What a question cost on average, and how long it took. */
export interface Cost {
  model_calls: number;
  tokens: number;
  latency_ms: { p50: number; p95: number };
}

export function costOf(runs: readonly Run[]): Cost {
  const mean = (value: (run: Run) => number): number =>
    runs.length === 0 ? 0 : runs.reduce((sum, run) => sum + value(run), 0) / runs.length;
  const times = runs.map(({ tookMs }) => tookMs);
  return {
    model_calls: mean(({ modelCalls }) => modelCalls),
    tokens: mean(({ tokens }) => tokens),
    latency_ms: { p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
  };
}
