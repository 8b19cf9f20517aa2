/**
 * `web_search: ask`: before anything leaves for the web, a person sees the exact query and who
 * would get it, and allows, edits or denies it, once or for the whole thread. The request has the
 * form of LangChain's human-in-the-loop middleware, which chat clients render.
 */
import { interrupt, isGraphBubbleUp } from "@langchain/langgraph";
import type { Scope } from "../observability/scope.js";
import {
  ALWAYS,
  PermissionAnswer,
  type Decision,
  type PermissionRequest,
} from "../state/permission.js";
import type { PlannedCall } from "../state/run-record.js";
import { WEB_FETCH_TOOL } from "../tools/web-fetch.js";
import { WEB_SEARCH_TOOL } from "../tools/web-search.js";

export interface WebPermission {
  /** What may run: calls that leave nothing, and those that were allowed, as edited. */
  calls: PlannedCall[];
  denied: PlannedCall[];
  /** All further queries of the thread are allowed. */
  always: boolean;
}

/**
 * Pauses the run until a person has decided on the calls that go to the web.
 * @param providers to whom a query would go, in their order
 * @throws GraphInterrupt, which LangGraph turns into a pause
 */
export function webPermission(
  calls: readonly PlannedCall[],
  { providers, denied, scope }: { providers: readonly string[]; denied: boolean; scope: Scope },
): WebPermission {
  const leaving = calls.filter(({ tool }) => tool === WEB_SEARCH_TOOL || tool === WEB_FETCH_TOOL);
  if (leaving.length === 0) return { calls: [...calls], denied: [], always: false };
  const decisions = denied ? [] : decide(requestFor(leaving, providers), scope);
  const allowed = new Map(
    leaving.flatMap((call, index) => {
      const decision = decisions[index];
      return decision === undefined || decision.type === "reject"
        ? []
        : [[call, edited(call, decision)] as const];
    }),
  );
  return {
    calls: calls.flatMap((call) => allowed.get(call) ?? (leaving.includes(call) ? [] : [call])),
    denied: leaving.filter((call) => !allowed.has(call)),
    always: decisions.some((decision) => argsOf(decision)[ALWAYS] === true),
  };
}

function requestFor(
  calls: readonly PlannedCall[],
  providers: readonly string[],
): PermissionRequest {
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
      allowedDecisions: [
        "approve",
        ...(tool === WEB_SEARCH_TOOL ? ["edit" as const] : []),
        "reject",
      ],
    })),
  };
}

/** Whatever is no clear permission is none. */
function decide(request: PermissionRequest, scope: Scope): Decision[] {
  try {
    const answer = PermissionAnswer.safeParse(interrupt<PermissionRequest, unknown>(request));
    if (answer.success) return answer.data.decisions;
    scope.warn(
      'the decision on the web search was not understood: send {decisions: [{type: "approve"}]}',
    );
  } catch (error) {
    if (isGraphBubbleUp(error)) throw error;
    scope.warn(
      "web_search is ask, but nobody can be asked: a pause needs a checkpointer and a thread",
    );
  }
  return [];
}

function argsOf(decision: Decision): Record<string, unknown> {
  switch (decision.type) {
    case "approve":
      return { [ALWAYS]: decision[ALWAYS] };
    case "edit":
      return (decision.editedAction ?? decision.edited_action)?.args ?? {};
    case "reject":
      return {};
    default:
      return decision satisfies never;
  }
}

/** Only the words of a query can be edited: an address must be one that a search returned. */
function edited(call: PlannedCall, decision: Decision): PlannedCall {
  const { query } = argsOf(decision);
  return call.tool === WEB_SEARCH_TOOL && typeof query === "string" && query.trim() !== ""
    ? { ...call, args: { ...call.args, query: query.trim() } }
    : call;
}
