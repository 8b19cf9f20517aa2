import { PROFILES } from "../../src/grading/profiles.js";
import { SHIPPED_WEIGHTS } from "../../src/reader/weights.js";
import {
  completeSettings,
  resolveSettings,
  type BudgetLimits,
  type RunSettings,
} from "../../src/settings/run-settings.js";
import { createBudget } from "../../src/observability/budget.js";
import type { AgentEvent } from "../../src/observability/events.js";
import type { Scope } from "../../src/observability/scope.js";
import { NO_USAGE } from "../../src/state/details.js";
import type { OutcomeCause } from "../../src/state/verdict.js";

/** Settings as they are with nothing set, from the table. */
export const DEFAULT_SETTINGS: RunSettings = resolveSettings({
  settings: completeSettings(),
  context: {},
  profiles: PROFILES,
  fitted: SHIPPED_WEIGHTS.lexical.thresholds,
});

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
