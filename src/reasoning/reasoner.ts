/**
 * The port for everything that takes words: implemented by `model/` (any LangChain chat model) and
 * `embedded/` (a few rules, and the reader). Every method gets a `Scope`, whose budget pays for
 * model calls, which takes usage and warnings, and whose signal cancels.
 */
import { withoutMarkers } from "../answering/citations.js";
import type { ContextWindow } from "../answering/context-window.js";
import type { Read } from "../answering/readable-units.js";
import type { Judgement } from "../grading/judgement.js";
import type { Scope } from "../observability/scope.js";
import type { Evidence } from "../state/evidence.js";
import type { PlannedCall, RunRecord, ToolHistoryEntry } from "../state/run-record.js";
import type { RetrievalStrategy } from "../state/verdict.js";
import { counted, oneLine } from "../text/words.js";
import type { AgentTool } from "../tools/tool.js";

/** One turn of the conversation as plain text. */
export interface Turn {
  role: "user" | "assistant";
  text: string;
}

export interface RewriteInput {
  question: string;
  /** Earlier turns, oldest first, without the question itself. */
  history: readonly Turn[];
}
export interface Rewrite {
  /** Makes sense without the history; free of pleasantries. */
  standaloneQuestion: string;
  by: "rule" | "model" | "unchanged";
}

export interface RouteInput {
  question: string;
  standaloneQuestion: string;
  history: readonly Turn[];
  /** Strategies that this run can use, preferred first. */
  available: readonly RetrievalStrategy[];
}
export interface Route {
  mode: "chat" | "search";
  /** The first strategy; absent in chat. */
  strategy?: RetrievalStrategy;
  /** True if the answer changes from day to day ("today", "latest"). */
  timeSensitive: boolean;
  reason: string;
}

/** A tool as the planner sees it. */
export type ToolDescription = Pick<
  AgentTool,
  "name" | "description" | "parameters" | "strategy" | "origin"
>;

/** True for the user's tools, MCP tools included. */
export function isUserTool({ origin }: Pick<ToolDescription, "origin">): boolean {
  return origin === "user";
}

export interface PlanInput {
  question: string;
  standaloneQuestion: string;
  /** In words of the user's turns alone: all that a web query or a user's tool may be given. */
  outgoingQuestion: string;
  /** From `analyze_and_route`, for this round. */
  strategies: readonly RetrievalStrategy[];
  purpose: RunRecord["purpose"];
  tools: readonly ToolDescription[];
  history: readonly ToolHistoryEntry[];
  /** Evidence kept so far; its text may shape local searches only. */
  kept: readonly Evidence[];
  /** Missing so far, by the grader or the guard; for local searches only. */
  hints: readonly string[];
  /** Name of a tool that the grader asked for, to be called first. */
  toolNeeded?: string;
  /** The last grader; absent before the first grading. */
  judge?: string;
}

export interface GradeInput {
  question: string;
  /** Items that no judge has graded yet. */
  ungraded: readonly Evidence[];
  /** All evidence, the ungraded included, in order. */
  evidence: readonly Evidence[];
  judge: "batch" | "per_document" | "set" | "adequacy";
  /** What the reader gave in the round before, if what was found then was kept, 0–1. */
  earlier?: number;
  /** Shown to a model instead of an item's text, by id. */
  excerpts?: ReadonlyMap<string, string>;
  /** For `adequacy`: what could still be called, the web and the user's tools. */
  tools: readonly Pick<ToolDescription, "name" | "description">[];
}

export interface AnswerInput {
  /** In the user's words. */
  question: string;
  standaloneQuestion: string;
  mode: "chat" | "search";
  history: readonly Turn[];
  window: ContextWindow;
  /** The passages behind the window, by marker. */
  evidence: readonly Evidence[];
  /** How the reader read the evidence, if strips were cut. */
  read?: Read;
  /** The aggregate of the last grading, 0–1; absent in chat. */
  evidenceScore?: number;
  /** For the second answer of a self-consistency check. */
  temperature?: number;
  messageId: string;
  /** False for a second answer or a repair. */
  stream: boolean;
  /** Unsupported claims of an earlier draft, to be avoided. */
  withdrawn?: readonly string[];
  /** Called for questions about the knowledge base. */
  holdings?: () => Promise<Holdings | undefined>;
}

/** The contents of a knowledge base, in numbers and titles. */
export interface Holdings {
  /** For people: `sqlite:.corrective-rag/kb`. */
  name: string;
  documents: number;
  passages: number;
  /** False if the store cannot tell how much it holds, like a retriever. */
  counted: boolean;
  /** Empty for stores that know only passages. */
  listed: readonly { title: string; path: string }[];
}

const LISTED = 20;

/** States the number of documents, and names the first by title and path. */
export function describeHoldings(holdings: Holdings): string {
  const { name, documents, passages, counted: isCounted, listed } = holdings;
  const base = `The knowledge base (${name})`;
  if (!isCounted) return `${base} can be searched, but does not list what it holds.`;
  if (passages === 0) return `${base} is empty. Ingest some documents, then ask about them.`;
  const inPassages = counted(passages, "passage");
  const size = documents > 0 ? `${counted(documents, "document")} in ${inPassages}` : inPassages;
  // Some stores know passages only.
  if (listed.length === 0) return `${base} holds ${size}.`;
  const lines = listed.slice(0, LISTED).map(({ title, path }) => {
    const name = oneLine(withoutMarkers(title), 100);
    return name === "" || name === path ? `- ${path}` : `- ${name} (${path})`;
  });
  const more = documents - lines.length;
  if (more > 0) lines.push(`- … and ${more} more`);
  return `${base} holds ${size}:\n${lines.join("\n")}`;
}

export interface DraftAnswer {
  /** With the window's `[n]`; empty when it abstains. */
  text: string;
  unanswerable: boolean;
  /** Why it is unanswerable, in a sentence. */
  reason?: string;
  by: "model" | "embedded";
  /** What clients have seen of it, numbered as readers see it; absent if nothing was sent. */
  streamed?: string;
  /** Under which it was streamed, so that the final message can replace it. */
  messageId?: string;
}

export interface KeyPoint {
  text: string;
  evidenceId: string;
}

export interface Reasoner {
  readonly kind: "model" | "embedded";
  rewrite(input: RewriteInput, scope: Scope): Promise<Rewrite>;
  route(input: RouteInput, scope: Scope): Promise<Route>;
  /** The calls of a round. */
  plan(input: PlanInput, scope: Scope): Promise<PlannedCall[]>;
  grade(input: GradeInput, scope: Scope): Promise<Judgement>;
  /** Returns keywords for a web search, made from the question only, never from evidence. */
  webQuery(
    input: { question: string; purpose: PlanInput["purpose"] },
    scope: Scope,
  ): Promise<string>;
  /** Writes hypothetical answers for HyDE; may return none. */
  hypothesize(input: { question: string; count: number }, scope: Scope): Promise<string[]>;
  /** Extracts key points of web text, each linked to its source; may return none. */
  keyPoints(
    input: { question: string; evidence: readonly Evidence[] },
    scope: Scope,
  ): Promise<KeyPoint[]>;
  answer(input: AnswerInput, scope: Scope): Promise<DraftAnswer>;
  /** Tells if two answers agree, and on what not; nothing if it cannot tell. */
  compare(
    input: { question: string; answers: readonly [string, string] },
    scope: Scope,
  ): Promise<{ agree?: boolean; difference?: string }>;
}
