/** Describes the events of a run in words, for `--explain` and `audit show`. */
import { callSubject, causeText } from "../../ui/words.js";
import type { AgentEvent } from "../observability/events.js";
import { oneLine } from "../text/words.js";
import { printable } from "./terminal.js";

const ACTIONS = {
  GENERATE: "the search ends",
  REFINE: "searching for what is missing",
  RE_RETRIEVE: "searching in another way",
} as const;

/** Returns a line about an event; an empty one if there is nothing to say. */
export function tellEvent(event: AgentEvent): string {
  switch (event.type) {
    case "run_started": {
      const { question, profile, quality, reasoner } = event;
      return `asked: ${short(question)} (${profile}, ${quality}, ${reasoner})`;
    }
    case "question_rewritten":
      return event.question === event.standalone_question
        ? ""
        : `understood as: ${short(event.standalone_question)}`;
    case "routed":
      return `strategy: ${event.strategy ?? event.mode}`;
    case "planned": {
      const calls = event.calls.map(callInWords).join(", ");
      return calls && `searching${event.iteration === 0 ? "" : " again"}: ${calls}`;
    }
    case "tool_call":
      return event.error === undefined
        ? `${event.tool}: ${event.count} found${event.cached ? ", from the cache" : ""}`
        : `${event.tool} failed: ${short(event.error)}`;
    case "web_search": {
      const failed = event.attempts
        .filter(({ outcome }) => outcome !== "answered")
        .map(
          ({ provider, outcome, message = "" }) => `; ${provider}: ${outcome} ${short(message)}`,
        );
      const { count, provider = "nowhere" } = event;
      return `web search: ${count} results from ${provider}${failed.join("")}`;
    }
    case "fast_path_hit":
      return `approved by the rule ${event.rule_name}, without a judge`;
    case "evidence_graded": {
      const scores = event.scores.map(({ id, score }) => `${id.slice(0, 12)} ${score.toFixed(2)}`);
      return `graded by ${event.judge}: ${scores.join(", ") || "nothing to grade"}`;
    }
    case "evidence_removed":
      return `removed ${event.source} (${event.score.toFixed(2)}): ${short(event.reason)}`;
    case "grade_parse_failure":
      return `no ${event.expected} scores from the ${event.judge} judge: ${short(event.output)}`;
    case "rag_iteration": {
      const from = event.thresholds ? ` (CORRECT from ${event.thresholds.correct})` : "";
      const score = event.eval_score.toFixed(2);
      return `evidence graded ${event.label} ${score}${from}: ${ACTIONS[event.action]}`;
    }
    case "answer_retracted":
      return `draft discarded: ${short(event.reason)}`;
    case "answer_revised":
      return event.withdrawn.length === 0 ? "" : `withdrawn: ${short(event.withdrawn.join(" "))}`;
    case "citation":
      return `cites [${event.marker}] ${event.source}: “${short(event.quote)}”`;
    case "claim_checked": {
      const said = [event.claim, ...event.problems].join("; ");
      return `${event.status} (${event.score.toFixed(2)}): ${short(said)}`;
    }
    case "budget_exhausted":
      return `budget used up: ${event.limit} ${event.resource}; skipped ${short(event.skipped)}`;
    case "model_call": {
      const tokens = `${event.input_tokens} + ${event.output_tokens} tokens`;
      const how = event.ok ? tokens : `failed, ${short(event.error ?? "")}`;
      return `model ${event.model}, ${event.task}: ${how}`;
    }
    case "warning":
      return `warning: ${short(event.message)}`;
    case "graph_outcome": {
      const how = [event.status.replaceAll("_", " "), ...event.causes.map(causeText)].join("; ");
      return `ended: ${how}; corrections: ${event.iterations}`;
    }
    case "answer_delta":
      return "";
    default:
      event satisfies never;
      return "";
  }
}

function callInWords(call: { tool: string; args: Record<string, unknown> }): string {
  const subject = callSubject(call);
  return subject === "" ? call.tool : `${call.tool} "${short(subject, 60)}"`;
}

function short(text: string, length = 200): string {
  return oneLine(printable(text), length);
}
