/** The course of a run for those who ask for it: a line an event. */
import type { AgentEvent } from "../observability/events.js";
import { oneLine } from "../text/one-line.js";
import { printable, type Style } from "./terminal.js";

/**
 * Says what an event means to somebody who waits for an answer; nothing where it is of no interest to them.
 * @example explainEvent({type: "rag_iteration", label: "CORRECT", evalScore: 0.82, …}) // "graded CORRECT 0.82 (from 0.7)"
 */
export function explainEvent(event: AgentEvent, style: Style): string | undefined {
  switch (event.type) {
    case "question_rewritten":
      return event.by === "unchanged" || event.standalone_question === event.question
        ? undefined
        : `understood as: ${short(event.standalone_question)}`;
    case "routed":
      return event.strategy === undefined ? undefined : `strategy: ${event.strategy}`;
    case "planned":
      return event.calls.length === 0
        ? undefined
        : `${event.iteration === 0 ? "searching" : "searching again"}: ${event.calls.map(describeCall).join(", ")}`;
    case "tool_call":
      return event.error === undefined
        ? `${event.tool}: ${event.count} found`
        : style.yellow(`${event.tool} failed: ${short(event.error)}`);
    case "web_search":
      return `web search: ${event.count} results${event.provider === undefined ? "" : ` from ${event.provider}`}`;
    case "fast_path_hit":
      return `approved by the rule ${event.rule_name}`;
    case "rag_iteration": {
      const from = event.thresholds ? ` (CORRECT from ${event.thresholds.correct})` : "";
      return `graded ${colorOf(event.label, style)(`${event.label} ${event.evalScore.toFixed(2)}`)}${from}`;
    }
    case "budget_exhausted":
      return style.yellow(
        `budget used up (${event.limit} ${event.resource}): skipped ${short(event.skipped)}`,
      );
    case "answer_retracted":
      return style.yellow(`draft thrown away: ${short(event.reason)}`);
    case "claim_checked":
      return event.status === "supported"
        ? undefined
        : style.yellow(`${event.status} ${event.score.toFixed(2)}: ${short(event.claim)}`);
    case "run_started":
    case "evidence_graded":
    case "evidence_removed":
    case "grade_parse_failure":
    case "answer_delta":
    case "citation":
    case "answer_revised":
    case "warning":
    case "model_call":
    case "graph_outcome":
      return undefined;
    default:
      event satisfies never;
      return undefined;
  }
}

/** What is being done, in a word or two; nothing where an event changes nothing about it. */
export function activityOf(event: AgentEvent): string | undefined {
  if (event.type === "planned" && event.calls.length > 0)
    return event.iteration === 0 ? "searching" : "searching again";
  if (event.type === "web_search") return "reading the web";
  if (event.type === "tool_call") return "judging what was found";
  if (event.type === "rag_iteration")
    return event.action === "GENERATE" ? "writing" : "searching again";
  return undefined;
}

function describeCall({ tool, args }: { tool: string; args: Record<string, unknown> }): string {
  const what = args["query"] ?? args["path"] ?? args["pattern"] ?? args["url"];
  return typeof what === "string" ? `${tool} "${short(what, 60)}"` : tool;
}

function colorOf(label: string, style: Style): (text: string) => string {
  return label === "CORRECT" ? style.green : label === "INCORRECT" ? style.red : style.yellow;
}

function short(text: string, length = 200): string {
  return oneLine(printable(text), length);
}
