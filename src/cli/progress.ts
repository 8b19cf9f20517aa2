import type { AgentEvent } from "../observability/events.js";
import { oneLine } from "../text/one-line.js";
import { printable, type Style } from "./terminal.js";

/**
 * What an event means to somebody who waits for an answer, in one line; nothing where it is of no interest to them.
 * @example progressLine({type: "rag_iteration", label: "CORRECT", evalScore: 0.82, …}) // "graded CORRECT 0.82"
 */
export function progressLine(event: AgentEvent, style: Style): string | undefined {
  switch (event.type) {
    case "question_rewritten":
      return event.by === "unchanged" || event.standalone_question === event.question
        ? undefined
        : `understood as: ${short(event.standalone_question)}`;
    case "planned":
      return event.calls.length === 0
        ? undefined
        : `${event.iteration === 0 ? "searching" : "searching again"}: ${event.calls.map(describeCall).join(", ")}`;
    case "tool_call":
      return event.error === undefined
        ? undefined
        : style.yellow(`${event.tool} failed: ${short(event.error)}`);
    case "web_search":
      return `web search: ${event.count} results${event.provider === undefined ? "" : ` from ${event.provider}`}`;
    case "fast_path_hit":
      return `approved by the rule ${event.rule_name}`;
    case "rag_iteration":
      return `graded ${colourOf(event.label, style)(`${event.label} ${event.evalScore.toFixed(2)}`)}`;
    case "budget_exhausted":
      return style.yellow(
        `budget used up (${event.limit} ${event.resource}): skipped ${short(event.skipped)}`,
      );
    case "warning":
      return style.yellow(`warning: ${short(event.message)}`);
    case "answer_retracted":
      return style.yellow(`draft thrown away: ${short(event.reason)}`);
    case "run_started":
    case "routed":
    case "evidence_graded":
    case "evidence_removed":
    case "grade_parse_failure":
    case "answer_delta":
    case "citation":
    case "answer_revised":
    case "claim_checked":
    case "model_call":
    case "graph_outcome":
      return undefined;
    default:
      event satisfies never;
      return undefined;
  }
}

function describeCall({ tool, args }: { tool: string; args: Record<string, unknown> }): string {
  const what = args["query"] ?? args["path"] ?? args["pattern"] ?? args["url"];
  return typeof what === "string" ? `${tool} "${short(what, 60)}"` : tool;
}

function colourOf(label: string, style: Style): (text: string) => string {
  return label === "CORRECT" ? style.green : label === "INCORRECT" ? style.red : style.yellow;
}

function short(text: string, length = 120): string {
  return oneLine(printable(text), length);
}
