/** Tells the events of a run in words, for `--explain` and `audit show`. */
import { callSubject } from "../../ui/words.js";
import type { AgentEvent } from "../observability/events.js";
import { oneLine } from "../text/one-line.js";
import { printable } from "./terminal.js";

const ACTIONS = {
  GENERATE: "the search ends",
  REFINE: "searching for what is missing",
  RE_RETRIEVE: "searching in another way",
} as const;

/** Returns a line about an event and perhaps more below it; none for one that is not worth it. */
export function tellEvent(event: AgentEvent): string[] {
  switch (event.type) {
    case "run_started":
      return [
        `asked: ${short(event.question)}`,
        `profile ${event.profile}, quality ${event.quality}, ${event.reasoner} reasoner`,
      ];
    case "question_rewritten":
      return event.question === event.standalone_question
        ? []
        : [`understood as: ${short(event.standalone_question)}`, `by ${event.by}`];
    case "routed":
      return [`strategy: ${event.strategy ?? event.mode}`, short(event.reason)];
    case "planned":
      if (event.calls.length === 0) return [];
      return [
        `searching${event.iteration === 0 ? "" : " again"}: ${event.calls.map(tellCall).join(", ")}`,
      ];
    case "tool_call":
      return event.error === undefined
        ? [`${event.tool}: ${event.count} found${event.cached ? ", from the cache" : ""}`]
        : [`${event.tool} failed: ${short(event.error)}`];
    case "web_search":
      return [
        `web search: ${event.count} results${event.provider ? ` from ${event.provider}` : ""}`,
        ...event.attempts
          .filter(({ outcome }) => outcome !== "answered")
          .map((each) => `${each.provider}: ${each.outcome} ${short(each.message ?? "")}`.trim()),
      ];
    case "fast_path_hit":
      return [`approved by the rule ${event.rule_name}, without a judge`];
    case "evidence_graded":
      return [
        `graded by ${event.judge}: ${event.scores.map(({ id, score }) => `${id.slice(0, 12)} ${score.toFixed(2)}`).join(", ") || "nothing to grade"}`,
      ];
    case "evidence_removed":
      return [`removed ${event.source} (${event.score.toFixed(2)}): ${short(event.reason)}`];
    case "grade_parse_failure":
      return [
        `the ${event.judge} judge did not return ${event.expected} scores: ${short(event.output)}`,
      ];
    case "rag_iteration": {
      const from = event.thresholds ? ` (CORRECT from ${event.thresholds.correct})` : "";
      const grade = `evidence graded ${event.label} ${event.eval_score.toFixed(2)}${from}`;
      return [`${grade}: ${ACTIONS[event.action]}`, short(event.reasoning)];
    }
    case "answer_retracted":
      return [`draft discarded: ${short(event.reason)}`];
    case "answer_revised":
      return event.withdrawn.map((claim) => `withdrawn: ${short(claim)}`);
    case "citation":
      return [`cites [${event.marker}] ${event.source}: “${short(event.quote)}”`];
    case "claim_checked":
      return [
        `${event.status} (${event.score.toFixed(2)}): ${short(event.claim)}`,
        ...event.problems.map((each) => short(each)),
      ];
    case "budget_exhausted":
      return [`budget used up: ${event.limit} ${event.resource}; skipped ${short(event.skipped)}`];
    case "model_call":
      return [
        event.ok
          ? `model ${event.model}, ${event.task}: ${event.input_tokens} + ${event.output_tokens} tokens`
          : `model ${event.model}, ${event.task}: failed, ${short(event.error ?? "")}`,
      ];
    case "warning":
      return [`warning: ${short(event.message)}`];
    case "graph_outcome":
      return [
        `ended: ${[event.status, ...event.causes].join(", ")}; corrections: ${event.iterations}`,
        ...printable(event.answer).split("\n"),
      ];
    case "answer_delta":
      return [];
    default:
      event satisfies never;
      return [];
  }
}

function tellCall(call: { tool: string; args: Record<string, unknown> }): string {
  const what = callSubject(call);
  return what === "" ? call.tool : `${call.tool} "${short(what, 60)}"`;
}

function short(text: string, length = 200): string {
  return oneLine(printable(text), length);
}
