import type { Outcome, OutcomeCause } from "../state/verdict.js";

const STATUSES: Readonly<Record<Outcome["status"], string>> = {
  success: "answered",
  abstained: "no answer",
  failed: "failed",
};

const CAUSES: Readonly<Record<OutcomeCause, string>> = {
  max_iterations: "the limit of corrections was reached",
  step_limit: "the limit of steps was reached",
  nothing_new: "searching on brought nothing new",
  web_unavailable: "no web search is configured or allowed",
  web_error: "the web search failed",
  tool_error: "a tool failed",
  model_error: "the model failed",
  knowledge_base_error: "the knowledge base could not be used",
  budget_exhausted: "the budget was used up",
  insufficient_evidence: "the evidence does not carry an answer",
  unsupported_answer: "what was written could not be verified",
  policy_blocked: "the policy filter withheld the answer or a part of it",
  invalid_input: "there was no question, or a setting that is not valid",
  cancelled: "it was called off",
  internal_error: "something unexpected failed",
};

/**
 * How a run ended, in words; nothing for a plain success.
 * @example outcomeLine({ status: "abstained", causes: ["web_unavailable"] }) // "no answer: no web search is configured or allowed"
 */
export function outcomeLine({ status, causes }: Outcome): string | undefined {
  if (status === "success" && causes.length === 0) return undefined;
  const why = causes.map((cause) => CAUSES[cause]).join("; ");
  return `${STATUSES[status]}${why === "" ? "" : `: ${why}`}`;
}
