/**
 * Runs the planned calls in parallel, merges their results, removes near-duplicates, and reranks.
 * With `web_search: ask` a person first sees each query and who would receive it, and allows, edits
 * or denies it, once or for the whole thread.
 */
import { RemoveMessage } from "@langchain/core/messages";
import { interrupt, isGraphBubbleUp } from "@langchain/langgraph";
import { refusals } from "../grading/judgement.js";
import type { Scope } from "../observability/scope.js";
import { mergeByRank, newTexts } from "../retrieval/fusion.js";
import { rerankEvidence } from "../retrieval/rerankers.js";
import { headedTitle, isFromWeb, type Evidence } from "../state/evidence.js";
import {
  ALWAYS,
  noticeOf,
  PermissionAnswer,
  type PermissionDecision,
  type PermissionRequest,
} from "../state/permission.js";
import type { PlannedCall, ToolHistoryEntry } from "../state/run-record.js";
import { respell } from "../text/spelling.js";
import { listedIn } from "../tools/list-passages.js";
import { runCalls } from "../tools/run-tools.js";
import { WEB_SEARCH_TOOL } from "../tools/web-tools.js";
import { defineNode, type NodeFunction, type NodeInput } from "./node.js";
import type { AgentParts, Toolbox } from "./parts.js";

export function toolsNode(parts: AgentParts): NodeFunction {
  return defineNode("tools", parts, async ({ state, scope, services }) => {
    const toolbox = await services.toolbox();
    const asked = state.standalone_question;
    // Before any call: after a pause LangGraph runs the node from its beginning.
    const { calls, denied, always } =
      scope.settings.webSearch === "ask" && !state.web_allowed
        ? webPermission(state.pending_tool_calls, { toolbox, denied: state.run.web_denied, scope })
        : { calls: state.pending_tool_calls, denied: [], always: false };
    const { question, entries, evidence } = await runSpelled({
      calls,
      tools: toolbox.tools,
      question: asked,
      round: state.iteration,
      scope,
    });
    if (question !== asked)
      scope.emit({
        type: "question_rewritten",
        question: state.question ?? asked,
        standalone_question: question,
        by: "spelling",
      });
    // The web tools report their own causes.
    const failed = entries.filter(({ status }) => status === "error" || status === "timeout");
    if (failed.some(({ tool }) => !isWebTool(tool, toolbox))) scope.cause("tool_error");

    const known = new Set(state.context.map(({ id }) => id));
    const refusedAs = refusals(state.discarded);
    const unseen = evidence.filter(({ id }) => !known.has(id));
    const reranker = await services.reranker();
    const { topK } = scope.settings;
    // A list holds all there is, whatever else found it.
    const listed = listedIn(entries)?.ids;
    const isLimited = (item: Evidence): boolean =>
      isDocument(item) && listed?.has(item.id) !== true;
    const isNew = newTexts();
    for (const { text } of state.context) isNew(text);
    const fresh = unseen.filter(
      (item) => refusedAs(item) === undefined && (listed?.has(item.id) || isNew(item.text)),
    );
    // Some profiles answer even from rejected evidence after the last round.
    const again = unseen.flatMap((item) => {
      const earlier = refusedAs(item);
      return earlier === undefined ? [] : [{ ...item, scores: earlier.scores }];
    });
    const ordered =
      reranker === undefined
        ? fresh
        : await rerankEvidence({ question, evidence: fresh, reranker, scope });
    const notice = noticeOf(state.run).id;
    // The web, other tools and lists have limits of their own.
    let left = topK;
    const context = ordered.filter((item) => !isLimited(item) || left-- > 0);
    return {
      pending_tool_calls: [],
      ...(question !== asked && { standalone_question: question }),
      tool_history: [...entries, ...denied.map((call) => notAllowed(call, state.iteration))],
      ...(state.messages.some(({ id }) => id === notice) && {
        messages: [new RemoveMessage({ id: notice })],
      }),
      ...(always && { web_allowed: true }),
      ...(denied.length > 0 && { run: { web_denied: true } }),
      context: [...context, ...again],
    };
  });
}

function isDocument(item: Evidence): boolean {
  return item.source.kind !== "tool" && !isFromWeb(item);
}

/**
 * Runs calls, and those of the question itself again if the passages found show that a word of it
 * is misspelled. Of the results only those of the better spelling remain.
 */
async function runSpelled(
  input: Parameters<typeof runCalls>[0],
): Promise<Awaited<ReturnType<typeof runCalls>> & { question: string }> {
  const { calls, tools, question } = input;
  const first = await runCalls(input);
  const passages = first.evidence.filter(isDocument);
  const texts = passages.map((item) => `${headedTitle(item)}\n${item.text}`);
  const spelled = respell(question, texts);
  const local = new Set(tools.flatMap(({ name, origin }) => (origin === "documents" ? name : [])));
  const isOfQuestion = ({ tool, args }: PlannedCall): boolean =>
    local.has(tool) && (args["query"] === question || Object.keys(args).length === 0);
  const again = calls.filter(isOfQuestion);
  if (spelled === question || again.length === 0) return { ...first, question: spelled };
  const second = await runCalls({
    ...input,
    calls: again.map((call) => ({
      ...call,
      args: { ...call.args, ...("query" in call.args && { query: spelled }) },
    })),
    question: spelled,
  });
  const others = first.entries.filter((entry) => !isOfQuestion(entry));
  const kept = new Set(others.flatMap(({ evidence_ids: ids }) => ids));
  const evidence = mergeByRank(
    [second.evidence, first.evidence.filter(({ id }) => kept.has(id))],
    ({ id }) => id,
  ).map(({ item }) => item);
  return { entries: [...first.entries, ...second.entries], evidence, question: spelled };
}

/** True if a person is asked before these calls; who has denied one is not asked again. */
export function asksPerson(
  { state, scope }: NodeInput,
  calls: readonly PlannedCall[],
  toolbox: Pick<Toolbox, "tools">,
): boolean {
  if (scope.settings.webSearch !== "ask" || state.web_allowed || state.run.web_denied) return false;
  return calls.some(({ tool }) => isWebTool(tool, toolbox));
}

function isWebTool(tool: string, { tools }: Pick<Toolbox, "tools">): boolean {
  return tools.some(({ name, origin }) => name === tool && origin === "web");
}

function notAllowed(call: PlannedCall, round: number): ToolHistoryEntry {
  const nothing = { status: "skipped" as const, scores: [], evidence_ids: [], output: "" };
  return { ...call, ...nothing, round, error: "a person did not allow it", duration_ms: 0 };
}

/**
 * Pauses the run until a person has decided on the calls that go to the web.
 * @returns the calls that may run, as edited; those denied; and true as `always` if the person
 *   allowed all further queries of the thread
 * @throws GraphInterrupt, which LangGraph turns into a pause
 */
function webPermission(
  calls: readonly PlannedCall[],
  { toolbox, denied, scope }: { toolbox: Toolbox; denied: boolean; scope: Scope },
) {
  const leaving = calls.filter(({ tool }) => isWebTool(tool, toolbox));
  if (leaving.length === 0) return { calls: [...calls], denied: [], always: false };
  const decisions = denied ? [] : askPerson(requestFor(leaving, toolbox.providers), scope);
  const decided = new Map(leaving.map((call, index) => [call, permitted(call, decisions[index])]));
  return {
    calls: calls.flatMap((call) => (decided.has(call) ? (decided.get(call) ?? []) : call)),
    denied: leaving.filter((call) => decided.get(call) === undefined),
    always: decisions.some(({ allowsAll }) => allowsAll),
  };
}

function requestFor(calls: readonly PlannedCall[], providers: readonly string[]) {
  const to = providers.join(", then ");
  return {
    actionRequests: calls.map(({ tool, args }) => ({
      name: tool,
      args: { ...args, [ALWAYS]: false },
      description:
        tool === WEB_SEARCH_TOOL
          ? `Search the web for "${String(args["query"])}"? The query goes to ${to}.`
          : `Open the page ${String(args["url"])}, which the web search found?`,
    })),
    reviewConfigs: [...new Set(calls.map(({ tool }) => tool))].map((tool) => ({
      actionName: tool,
      // agent-chat-ui reads this one, and the SDK adds only the other fields' twins.
      action_name: tool,
      allowedDecisions: ["approve", ...(tool === WEB_SEARCH_TOOL ? ["edit"] : []), "reject"],
    })),
  };
}

/** Takes any answer that is not a clear permission as a denial. */
function askPerson(request: PermissionRequest, scope: Scope): PermissionDecision[] {
  try {
    const given = interrupt<PermissionRequest, unknown>(request);
    const answer = PermissionAnswer.safeParse(given);
    if (answer.success) return answer.data.decisions;
    scope.warn(
      'the decision on the web search was not understood: send {decisions: [{type: "approve"}]}',
    );
  } catch (error) {
    if (isGraphBubbleUp(error)) throw error;
    scope.warn(
      "web_search is `ask`, but a pause needs a checkpointer and a thread, so nobody was asked",
    );
  }
  return [];
}

/**
 * Returns the call as the person allowed it. Only queries can be edited: an address must be one
 * that a search returned. An edit without a query allows nothing.
 */
function permitted(
  call: PlannedCall,
  decision: PermissionDecision | undefined,
): PlannedCall | undefined {
  if (decision?.type === "approve") return call;
  if (decision?.type !== "edit" || call.tool !== WEB_SEARCH_TOOL) return undefined;
  const { query } = decision;
  if (typeof query !== "string" || query.trim() === "") return undefined;
  return { ...call, args: { ...call.args, query: query.trim() } };
}
