import type { BudgetLimits, RunSettings } from "../../src/settings/run-settings.js";
import { createBudget } from "../../src/observability/budget.js";
import type { AgentEvent } from "../../src/observability/events.js";
import type { Scope } from "../../src/observability/scope.js";
import { NO_USAGE } from "../../src/state/details.js";
import type { OutcomeCause } from "../../src/state/verdict.js";

/** Settings as they are with nothing set. */
export const DEFAULT_SETTINGS: RunSettings = {
  profile: "adaptive",
  quality: "balanced",
  qualityIsExplicit: false,
  maxIterations: 3,
  thresholds: { correct: 0.7, incorrect: 0.3, keep: 0.3, vectorScore: 0.8, autoApproveMaxItems: 2 },
  embeddedThresholds: {
    correct: 0.7,
    incorrect: 0.3,
    keep: 0.3,
    vectorScore: 0.8,
    autoApproveMaxItems: 2,
  },
  abstainBelow: 0.3,
  topK: 5,
  filter: undefined,
  principal: undefined,
  searchMode: "auto",
  webSearch: "auto",
  webResults: 3,
  keyPoints: false,
  hyde: false,
  rerank: "auto",
  selfConsistency: false,
  guard: "standard",
  sourcesInText: false,
  answerModel: undefined,
  gradeModel: undefined,
  maxAnswerTokens: 500,
  contextTokens: 4096,
  gradeBatchSize: 20,
  gradeConcurrency: 4,
  toolTimeoutInMs: 10_000,
  modelFallback: "on",
  budget: { modelCalls: 12, tokens: 100_000, seconds: 60, webSearches: 3 },
  switchedOff: [],
};

export interface TestScope extends Scope {
  readonly events: AgentEvent[];
  readonly warnings: string[];
  /** The events of one type. */
  of<T extends AgentEvent["type"]>(type: T): Extract<AgentEvent, { type: T }>[];
}

let runs = 0;

/** A scope that remembers what was said. */
export function createTestScope({
  settings = {},
  budget = {},
  signal = new AbortController().signal,
  runId = `test-run-${(runs += 1)}`,
  config = {},
}: {
  settings?: Partial<RunSettings>;
  budget?: Partial<BudgetLimits>;
  signal?: AbortSignal;
  runId?: string;
  config?: Scope["config"];
} = {}): TestScope {
  const events: AgentEvent[] = [];
  const warnings: string[] = [];
  const causes = new Set<OutcomeCause>();
  const limits = { ...DEFAULT_SETTINGS.budget, ...budget };
  const isOf =
    <T extends AgentEvent["type"]>(type: T) =>
    (event: AgentEvent): event is Extract<AgentEvent, { type: T }> =>
      event.type === type;
  return {
    runId,
    node: "test",
    settings: { ...DEFAULT_SETTINGS, ...settings, budget: limits },
    signal,
    budget: createBudget({
      limits,
      before: NO_USAGE,
      startedAt: Date.now(),
    }),
    config,
    emit: (event) => void events.push(event),
    warn: (message) => void warnings.push(message),
    cause: (cause) => void causes.add(cause),
    now: Date.now,
    events,
    warnings,
    causes,
    of: (type) => events.filter(isOf(type)),
  };
}
