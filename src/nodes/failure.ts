/**
 * What becomes of an error that a node did not handle: a cause in the outcome and one line for the
 * user, never a stack trace.
 */
import { AIMessage } from "@langchain/core/messages";
import { redactText } from "../observability/redact.js";
import { hintOf } from "../support/errors.js";
import { emptyRun, type AgentStateUpdate } from "../state/agent-state.js";
import { NEW_RUN } from "../state/run-record.js";
import type { OutcomeCause } from "../state/verdict.js";

const CAUSES: Readonly<Record<string, OutcomeCause>> = {
  KnowledgeBaseError: "knowledge_base_error",
  ModelError: "model_error",
  UserError: "invalid_input",
  AbortError: "cancelled",
};

/**
 * The update that records a failure of `node`. The guard ends the run with it; where the guard
 * itself failed, the update is the end.
 */
export function describeFailure(node: string, error: Error): AgentStateUpdate {
  const hint = hintOf(error);
  const said = error.message.split("\n", 1)[0] ?? "unknown error";
  const message = redactText(hint === undefined ? said : `${said} (${hint})`);
  const outcome = {
    status: "failed" as const,
    causes: [CAUSES[error.name] ?? ("internal_error" as const)],
  };
  if (node === "rewrite_question") {
    return {
      ...emptyRun(),
      run: { ...NEW_RUN, error: message },
      outcome: { reset: outcome },
    };
  }
  if (node !== "guard_answer") return { run: { error: message }, outcome };
  const answer = `I could not answer: ${message}`;
  return {
    answer,
    citations: [],
    sources: [],
    run: { retry: false, error: message },
    outcome,
    messages: [new AIMessage(answer)],
  };
}
