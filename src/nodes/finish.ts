/** How a run ends: with an answer, with an abstention, or with the cause of its failure; always with an outcome, details and a message. */
import { AIMessage } from "@langchain/core/messages";
import { abstention } from "../answering/abstention.js";
import type { GuardResult } from "../answering/guard.js";
import { numbered } from "../answering/numbering.js";
import type { Scope } from "../observability/scope.js";
import type { AgentStateType } from "../state/agent-state.js";
import type { Citation, SourceReference } from "../state/answer.js";
import type { OutcomeCause, OutcomeStatus } from "../state/verdict.js";
import { detailsOf } from "./details.js";
import type { NodeUpdate } from "./node.js";
import type { AgentParts, RunScope } from "./parts.js";

export interface Ending {
  state: AgentStateType;
  scope: Scope;
  services: RunScope;
  parts: AgentParts;
}

type Answer = Pick<GuardResult, "text" | "citations" | "sources" | "withdrawn">;

/** The numbers are made to count from 1 without gaps once more: the guard may have taken out what was named first. */
export function answered(ending: Ending, { withdrawn, ...answer }: Answer): Promise<NodeUpdate> {
  return finish(ending, { status: "success", ...numbered(answer), withdrawn });
}

/** Nothing that could be said is supported: say so, why, and where one might look. */
export function abstain(
  ending: Ending,
  { reason, cause, withdrawn = [] }: { reason: string; cause: OutcomeCause; withdrawn?: string[] },
): Promise<NodeUpdate> {
  const { state, scope } = ending;
  scope.cause(cause);
  const why = unreadable(state) ?? reason;
  const web = state.run.web_missed ? " No web search is configured that could have helped." : "";
  const sentence = `${why.replace(/[.\s]+$/u, "")}.${web}`;
  const text = abstention({
    question: state.standalone_question,
    evidence: leads(state),
    reason: sentence,
  });
  return finish(ending, { status: "abstained", text, citations: [], sources: [], withdrawn });
}

export function failed(ending: Ending, error: string): Promise<NodeUpdate> {
  return finish(ending, {
    status: "failed",
    text: `I could not answer: ${error}`,
    citations: [],
    sources: [],
    withdrawn: [],
  });
}

/** A store that fails holds perhaps what was asked for: "nothing was found" would be untrue. */
function unreadable({ outcome, context, tool_history: calls }: AgentStateType): string | undefined {
  if (context.length > 0 || !outcome.causes.includes("knowledge_base_error")) return undefined;
  const error = calls.find(({ status }) => status === "error")?.error;
  return `the knowledge base could not be read: ${error ?? "unknown error"}`;
}

/** What was kept, else what was found; discarded evidence is named but never quoted. */
function leads(state: AgentStateType): AgentStateType["context"] {
  return state.context.length > 0 ? state.context : state.discarded;
}

async function finish(
  { state, scope, services }: Ending,
  result: {
    status: OutcomeStatus;
    text: string;
    citations: Citation[];
    sources: SourceReference[];
    withdrawn: string[];
  },
): Promise<NodeUpdate> {
  const { status, text, citations, sources, withdrawn } = result;
  const failedReasoner = status === "failed" ? undefined : await services.reasoner();
  const details = detailsOf({
    state,
    scope,
    reasoner: failedReasoner?.kind ?? "embedded",
    withdrawn: [...state.run.withdrawn, ...withdrawn],
  });
  // What the web would have changed is known only now: a good answer from the documents missed nothing.
  if (state.run.web_missed && (status !== "success" || state.evaluation?.label !== "CORRECT"))
    scope.cause("web_unavailable");
  const causes = [...new Set([...state.outcome.causes, ...scope.causes])];
  scope.emit({
    type: "graph_outcome",
    outcome: causes[0] ?? (status === "failed" ? "internal_error" : status),
    status,
    causes,
    iterations: state.iteration,
    tookMs: details.took_ms,
    answer: text,
  });
  return {
    answer: text,
    citations,
    sources,
    details,
    status,
    run: { retry: false },
    messages: [
      new AIMessage({
        id: state.run.message_id || undefined,
        content: text,
        response_metadata: { citations, outcome: { status, causes } },
      }),
    ],
  };
}
