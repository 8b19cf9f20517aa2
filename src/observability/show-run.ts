import { oneLine } from "../text/one-line.js";
import type { AuditedRun, RunSummary } from "./read-audit.js";
import { summarise } from "./read-audit.js";
import type { RecordedEvent } from "./events.js";

const WIDTH = 100;

/**
 * One run as a story to read: what was asked, what was looked for and found in each round, what the grader made of it, how it ended.
 * Plain text, lines separated by newlines.
 */
export function showRun(run: AuditedRun): string {
  const summary = summarise(run);
  const began = Date.parse(summary.startedAt);
  const lines = run.events.flatMap((event) => {
    const [first, ...rest] = tellSafely(event);
    if (first === undefined) return [];
    const clock = `${Math.max(0, Date.parse(event.at) - began)} ms`.padStart(9);
    return [`${clock}  ${first}`, ...rest.map((line) => `${" ".repeat(11)}${line}`)];
  });
  return [`Run ${run.runId}, ${summary.startedAt}`, ...lines].join("\n");
}

/** A list of runs, one line each, newest last. */
export function showRuns(summaries: readonly RunSummary[]): string {
  return summaries
    .map(
      ({ runId, startedAt, outcome, question }) =>
        `${runId.slice(0, 8)}  ${startedAt.slice(0, 19)}  ${outcome.padEnd(16)}  ${cut(question, 80)}`,
    )
    .join("\n");
}

/** A log may come from another version or from an editor: an event that lacks what its type promises is named, not told. */
function tellSafely(event: RecordedEvent): string[] {
  try {
    return tell(event);
  } catch {
    return [`${event.type} (incomplete)`];
  }
}

/** What one event says; nothing for those that only a screen needs. */
function tell(event: RecordedEvent): string[] {
  switch (event.type) {
    case "run_started":
      return [
        `asked: ${cut(event.question)}`,
        `profile ${event.profile}, quality ${event.quality}, ${event.reasoner} reasoner`,
      ];
    case "question_rewritten":
      return event.question === event.standalone_question
        ? []
        : [`understood as: ${cut(event.standalone_question)} (by ${event.by})`];
    case "routed":
      return [
        `${event.mode === "chat" ? "chat" : `search${event.strategy === undefined ? "" : ` by ${event.strategy}`}`}: ${cut(event.reason)}`,
      ];
    case "planned":
      return [
        `round ${event.iteration}:`,
        ...event.calls.map((call) => `→ ${call.tool} ${cut(JSON.stringify(call.args), 80)}`),
      ];
    case "tool_call":
      return [
        `${event.tool}: ${outcomeOfCall(event)}, ${ms(event.tookMs)}${event.cached === true ? ", from the cache" : ""}`,
      ];
    case "web_search":
      return [
        `web search "${cut(event.query, 60)}": ${event.count} results${event.provider === undefined ? "" : ` from ${event.provider}`}, ${ms(event.tookMs)}`,
        ...event.attempts
          .filter(({ outcome }) => outcome !== "answered")
          .map(
            (a) =>
              `  ${a.provider}: ${a.outcome}${a.message === undefined ? "" : `, ${cut(a.message, 70)}`}`,
          ),
      ];
    case "fast_path_hit":
      return [`approved by the rule ${event.rule_name}, ${event.items} items, no judge asked`];
    case "evidence_graded":
      return [
        `graded by ${event.judge}: ${event.scores.map(({ id, score }) => `${id.slice(0, 12)} ${score.toFixed(2)}`).join(", ") || "nothing to grade"}`,
      ];
    case "evidence_removed":
      return [`removed ${event.source} (${event.score.toFixed(2)}): ${cut(event.reason, 70)}`];
    case "grade_parse_failure":
      return [
        `the ${event.judge} judge's answer was not ${event.expected} scores: ${cut(event.output, 60)}`,
      ];
    case "rag_iteration":
      return [
        `${event.label} ${event.evalScore.toFixed(2)} → ${event.action}, ${ms(event.tookMs)}`,
        cut(event.reasoning),
      ];
    case "answer_retracted":
      return [`draft thrown away: ${cut(event.reason)}`];
    case "answer_revised":
      return [
        `withdrawn from the answer: ${event.withdrawn.map((claim) => `"${cut(claim, 60)}"`).join(", ")}`,
      ];
    case "citation":
      return [`cites [${event.marker}] ${event.source}: "${cut(event.quote, 70)}"`];
    case "claim_checked":
      return [
        `claim ${event.status} (${event.score.toFixed(2)}): ${cut(event.claim, 70)}`,
        ...event.problems.map((problem) => `  ${problem}`),
      ];
    case "budget_exhausted":
      return [`budget used up: ${event.limit} ${event.resource}; skipped ${event.skipped}`];
    case "model_call":
      return [
        `model ${event.model} for ${event.task}: ${event.ok ? `${event.inputTokens} + ${event.outputTokens} tokens` : `failed, ${cut(event.error ?? "", 60)}`}, ${ms(event.tookMs)}`,
      ];
    case "warning":
      return [`warning: ${cut(event.message)}`];
    case "graph_outcome":
      return [
        `ended: ${[event.status, ...event.causes].join(", ")}, ${event.iterations} corrections, ${ms(event.tookMs)}`,
        ...event.answer.split("\n"),
      ];
    case "answer_delta":
      return [];
    default:
      event satisfies never;
      return [];
  }
}

function outcomeOfCall({
  status,
  count,
  error,
}: {
  status: string;
  count: number;
  error?: string;
}): string {
  return error === undefined ? `${status}, ${count} found` : `${status}, ${cut(error, 70)}`;
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

function cut(text: string, length = WIDTH): string {
  return oneLine(text, length);
}
