/** Ends a run with an answer, an abstention or an error, each with outcome, details and message. */
import { AIMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { z } from "zod";
import { closestPassages, closestPassagesText, comesNear } from "../answering/closest-passages.js";
import type { GuardResult } from "../answering/guard.js";
import { sourcesBelow, type ClosestPassage } from "../state/answer.js";
import { emptyRun, type AgentStateType, type AgentStateUpdate } from "../state/agent-state.js";
import { addUsage, type Details, type EvidenceSummary } from "../state/details.js";
import { asPassage, mostRelevantFirst, relevanceOf, type Evidence } from "../state/evidence.js";
import type { Outcome, OutcomeCause, OutcomeStatus } from "../state/verdict.js";
import { withoutEnding } from "../text/words.js";
import { NEW_RUN, RunRecordSchema } from "../state/run-record.js";
import { listedIn } from "../tools/list-passages.js";
import { WEB_SEARCH_TOOL } from "../tools/web-tools.js";
import { redactText } from "../observability/redact.js";
import { CorrectiveRagError, hintOf } from "../support/errors.js";
import { TimeLimitError } from "../support/waiting.js";
import type { NodeInput, NodeUpdate } from "./node.js";

type Result = Pick<GuardResult, "text" | "citations" | "sources" | "withdrawn" | "marked"> & {
  passages: ClosestPassage[];
};
const UNCITED = { citations: [], sources: [], passages: [], withdrawn: [], marked: [] };
/** Passages of which the closest are chosen. */
const CANDIDATES = 8;

export function answered(
  input: NodeInput,
  answer: Pick<Result, "text"> & Partial<Result>,
): Promise<NodeUpdate> {
  const { sources, tool_history: history, run } = input.state;
  const listed = run.drafted_by === "model" ? listedIn(history) : undefined;
  const read = sources.filter(({ evidence_id: id }) => listed?.ids.has(id)).length;
  const coverage = listed === undefined ? "" : `\n\n${listed.coverage(read, "read")}`;
  return finish(input, "success", { ...UNCITED, ...answer, text: answer.text + coverage });
}

/**
 * Shows the passages that come closest, or says that nothing comes near.
 * @param reason what is wrong with the passages, to follow "These passages come closest; "
 * @param said a model's reason for giving no answer; null if it named none
 */
export async function abstain(
  input: NodeInput,
  ending: { reason?: string; said?: string | null; cause?: OutcomeCause; withdrawn?: string[] },
): Promise<NodeUpdate> {
  const { reason = UNCONFIRMED, said, cause, withdrawn = [] } = ending;
  const { state, scope } = input;
  if (cause !== undefined) scope.cause(cause);
  const unread = unreadable(state);
  const isWithheld = cause === "policy_blocked";
  const passages = unread === undefined && !isWithheld ? await near(input) : [];
  if (passages.length > 0) {
    const because = said ? `: ${withoutEnding(said)}` : " in what was found";
    const listed = listedIn(state.tool_history)?.coverage(passages.length, "listed");
    const opening =
      listed !== undefined
        ? `${withoutEnding(listed)}; ${reason}.`
        : said === undefined
          ? `These passages come closest; ${reason}.`
          : `The model found no answer${because}. These passages come closest.`;
    const text = closestPassagesText(opening, passages);
    return finish(input, "closest_passages", { ...UNCITED, text, passages, withdrawn });
  }
  scope.cause(cause ?? "insufficient_evidence");
  const foundNothing = state.tool_history.every(({ evidence_ids: ids }) => ids.length === 0);
  const nothing = foundNothing ? "nothing was found" : "nothing that was found comes near it";
  const why = unread ?? said ?? (isWithheld ? reason : nothing);
  const advice = unread === undefined && !isWithheld ? ` ${adviceFor(state)}` : "";
  const text = `I could not find an answer to this: ${withoutEnding(why)}.${advice}`;
  return finish(input, "abstained", { ...UNCITED, text, withdrawn });
}

const UNCONFIRMED = "none of them was confirmed as the answer";

function adviceFor({ run }: AgentStateType): string {
  const web = run.web_denied
    ? " A web search might help, but was not allowed."
    : run.web_missed
      ? " A web search might help, but none is configured."
      : "";
  return `Ask in other words, or add documents about it.${web}`;
}

/** Returns all that was listed, else the closest; none if the judge finds all irrelevant. */
async function near(input: NodeInput): Promise<ClosestPassage[]> {
  const { state, scope, services } = input;
  const found = candidates(input);
  const asked = { question: state.standalone_question, signal: scope.signal };
  const reader = await services.reader();
  const list = listedIn(state.tool_history);
  const all = found.filter(({ id }) => list?.ids.has(id));
  if (all.length > 0)
    return closestPassages({ ...asked, evidence: all, reader, listed: list?.named });
  const evidence = found.slice(0, CANDIDATES);
  // Another judge's grades count; the reader grades again, together with what was discarded.
  let isNear = state.context.length > 0;
  if (state.evaluation?.judge === "embedded") {
    const read = await reader.relevance({ ...asked, passages: evidence.map(asPassage) });
    isNear = read.passages.some((passage) => comesNear(passage, scope.settings.abstainBelow));
  }
  return isNear ? closestPassages({ ...asked, evidence, reader }) : [];
}

export function failed(input: NodeInput, error: string): Promise<NodeUpdate> {
  return finish(input, "failed", { ...UNCITED, text: `I could not answer: ${error}` });
}

/** Explains a failed search, which may have missed the answer. */
function unreadable({ outcome, context, tool_history: calls }: AgentStateType): string | undefined {
  const failure = calls.find(({ status }) => status === "error" || status === "timeout");
  if (failure === undefined || context.length > 0) return undefined;
  const { tool, error = "unknown error" } = failure;
  if (outcome.causes.includes("knowledge_base_error"))
    return `the knowledge base could not be read: ${error}`;
  const foundNothing = calls.every(({ evidence_ids: ids }) => ids.length === 0);
  return foundNothing ? `nothing was found, and ${tool} failed: ${error}` : undefined;
}

/** Returns the evidence, kept before discarded and each best first. */
function candidates({ state, parts }: NodeInput): Evidence[] {
  const isAllowed = ({ title, text }: Evidence): boolean =>
    parts.policy?.(`${title}\n${text}`) === undefined;
  const kept = new Set(state.context.map(({ id }) => id));
  const others = state.discarded.filter(({ id }) => !kept.has(id));
  return [...mostRelevantFirst(state.context), ...mostRelevantFirst(others)].filter(isAllowed);
}

async function finish(
  input: NodeInput,
  status: OutcomeStatus,
  result: Result,
): Promise<NodeUpdate> {
  const { state, scope, services } = input;
  const { text, citations, sources, passages } = result;
  const reasoner = status === "failed" ? "embedded" : (await services.reasoner()).kind;
  const details = detailsOf(input, reasoner, result);
  // A good answer from the documents did not need the web.
  const isGood = status === "success" && state.evaluation?.label === "CORRECT";
  if ((state.run.web_missed || state.run.web_denied) && !isGood) scope.cause("web_unavailable");
  const causes = [...new Set([...state.outcome.causes, ...scope.causes])];
  scope.emit({
    type: "graph_outcome",
    outcome: causes[0] ?? (status === "failed" ? "internal_error" : status),
    status,
    causes,
    iterations: state.iteration,
    took_ms: details.took_ms,
    answer: text,
    passages,
  });
  const message = new AIMessage({
    id: state.run.message_id || undefined,
    content: scope.settings.sourcesInText ? text + sourcesBelow(sources) : text,
    response_metadata: {
      // Every later checkpoint of the thread carries these, so only what a chat client shows.
      citations: citations.map(({ marker, title, source, quote }) => {
        return { marker, title, source, quote };
      }),
      outcome: { status, causes },
    },
  });
  return {
    answer: text,
    citations,
    sources,
    passages,
    details,
    status,
    run: { retry: null },
    messages: [message],
  };
}

const LABELS = { CORRECT: "correct", AMBIGUOUS: "ambiguous", INCORRECT: "incorrect" } as const;

function detailsOf(
  { state, scope, services: { profile } }: NodeInput,
  reasoner: Details["reasoner"],
  { withdrawn, marked }: Pick<Result, "withdrawn" | "marked">,
): Details {
  const { settings, budget } = scope;
  const { evaluation, routing_plan: routing } = state;
  const calls = state.tool_history.map((entry) => {
    const { round, tool, args, status, evidence_ids: ids, duration_ms, cached, error } = entry;
    const call = { round, tool, args, status, count: ids.length, took_ms: duration_ms };
    return { ...call, cached: cached ?? false, ...(error !== undefined && { error }) };
  });
  const relevance = Object.values(state.evidence_scores);
  // At the end of the loop, evidence that was discarded earlier may be kept after all.
  const kept = new Set(state.context.map(({ id }) => id));
  return {
    run_id: state.run.id,
    reasoner,
    mode: state.mode,
    profile: profile.name,
    quality: settings.quality,
    standalone_question: state.standalone_question,
    label: evaluation === null ? null : LABELS[evaluation.label],
    action: state.grader_action,
    rounds: state.run.rounds.map((round) => ({
      ...round,
      calls: calls
        .filter((call) => call.round === round.round)
        .map(({ round: _round, ...call }) => call),
    })),
    evaluation,
    scores: state.evidence_scores,
    relevance_scores: relevance,
    max_score: relevance.length === 0 ? null : Math.max(...relevance),
    iterations: state.iteration,
    max_iterations: settings.maxIterations,
    strategies_tried: routing?.tried ?? [],
    web_used: state.tool_history.some(
      ({ tool, status }) => tool === WEB_SEARCH_TOOL && (status === "ok" || status === "empty"),
    ),
    kept: state.context.map(summaryOf),
    discarded: state.discarded.filter(({ id }) => !kept.has(id)).map(summaryOf),
    tools: calls,
    context_form: state.run.window_form,
    context_used: state.run.window_text,
    withdrawn: [...withdrawn],
    marked,
    usage: addUsage(state.usage, { node: scope.node, runs: 1, ...budget.spent, took_ms: 0 }),
    took_ms: budget.elapsedInMs(),
  };
}

function summaryOf(item: Evidence): EvidenceSummary {
  const { text: _text, status: _status, ...rest } = item;
  return { ...rest, score: relevanceOf(item) ?? null };
}

/** By the code of the error. */
const CAUSES: Readonly<Record<string, OutcomeCause>> = {
  knowledge_base: "knowledge_base_error",
  model: "model_error",
  wrong_usage: "invalid_input",
  package_missing: "invalid_input",
  failed: "invalid_input",
  time_limit: "budget_exhausted",
};

/** LangGraph passes the state to an error handler untyped. */
const Drafted = z.object({ run: RunRecordSchema.pick({ message_id: true, caller: true }) });

/**
 * Records an error that `node` did not handle as a cause and one line for the user. The guard then
 * ends the run; if the guard or a node after it failed, the update replaces the answer.
 */
export function describeFailure(
  node: string,
  error: Error,
  state: unknown,
  { isEnding }: { isEnding: boolean },
): AgentStateUpdate {
  const hint = error instanceof TimeLimitError ? `in ${node}` : hintOf(error);
  const said = error.message.split("\n", 1)[0] ?? "unknown error";
  const message = redactText(hint === undefined ? said : `${said} (${hint})`);
  const known = CorrectiveRagError.isInstance(error) ? CAUSES[error.code] : undefined;
  const cause = error.name === "AbortError" ? "cancelled" : (known ?? "internal_error");
  const outcome: Outcome = { status: "failed", causes: [cause] };
  if (node === "rewrite_question")
    return {
      ...emptyRun(),
      // The thread stays with its caller.
      run: { ...NEW_RUN, error: message, caller: Drafted.safeParse(state).data?.run.caller ?? "" },
      outcome: new Overwrite(outcome),
    };
  if (!isEnding) return { run: { error: message }, outcome };
  const answer = `I could not answer: ${message}`;
  return {
    answer,
    citations: [],
    sources: [],
    passages: [],
    run: { retry: null, error: message },
    outcome,
    messages: [
      new AIMessage({ id: Drafted.safeParse(state).data?.run.message_id, content: answer }),
    ],
  };
}
