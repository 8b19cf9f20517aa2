/**
 * The port behind which words are made: by `model/` (any LangChain chat model) or `embedded/` (a
 * few rules, and the reader). Every method gets a `Scope`: model calls are paid from its budget,
 * usage and warnings are reported there, and its signal is honored.
 */
import type { ContextWindow } from "../answering/context-window.js";
import type { Readings } from "../answering/quotables.js";
import type { Judgement } from "../grading/judgement.js";
import type { Scope } from "../observability/scope.js";
import type { Evidence } from "../state/evidence.js";
import type {
  PlannedCall,
  RetrievalStrategy,
  RunRecord,
  ToolHistoryEntry,
} from "../state/run-record.js";
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
  /** Understood without the history, free of pleasantries. */
  standaloneQuestion: string;
  by: "rule" | "model" | "unchanged";
}

export interface RouteInput {
  question: string;
  standaloneQuestion: string;
  history: readonly Turn[];
  /** Strategies that this agent can serve in this run, preferred first. */
  available: readonly RetrievalStrategy[];
}
export interface Route {
  mode: "chat" | "search";
  /** The first strategy; absent in chat. */
  strategy?: RetrievalStrategy;
  /** True when the answer changes with the day ("today", "latest"). */
  timeSensitive: boolean;
  reason: string;
}

/** For the planner: a tool as it may be called. */
export type ToolDescription = Pick<
  AgentTool,
  "name" | "description" | "parameters" | "strategy" | "external"
>;

/** A tool that the user brought, MCP tools included. */
export function isUserTool({ name, strategy, external }: ToolDescription): boolean {
  return external && strategy === undefined && name !== "web_fetch";
}

export interface PlanInput {
  question: string;
  standaloneQuestion: string;
  /** What `analyze_and_route` decided for this round. */
  strategies: readonly RetrievalStrategy[];
  /** Why this round happens. */
  purpose: RunRecord["purpose"];
  tools: readonly ToolDescription[];
  history: readonly ToolHistoryEntry[];
  /** Evidence that was kept so far; its text may shape local searches only. */
  kept: readonly Evidence[];
  /** What is missing, from the grader or the guard; local searches only. */
  hints: readonly string[];
  /** A tool of this run that the grader asked for by its name, to be called first. */
  toolNeeded?: string;
  /** Who graded the evidence last; absent before the first grading. */
  judge?: string;
}

export interface GradeInput {
  question: string;
  /** The items to be graded now: those that no judge has graded yet. */
  ungraded: readonly Evidence[];
  /** All evidence at hand, the ungraded included, in order. */
  evidence: readonly Evidence[];
  /** The kind of judgement that the profile asks for. */
  judge: "batch" | "per_document" | "set" | "adequacy";
  /** What a model is shown of an item in place of its text, by id. */
  excerpts?: ReadonlyMap<string, string>;
  /** For `adequacy`: what could still be called, the web and the user's own tools. */
  tools: readonly Pick<ToolDescription, "name" | "description">[];
}

export interface AnswerInput {
  /** As the user put it. */
  question: string;
  standaloneQuestion: string;
  mode: "chat" | "search";
  history: readonly Turn[];
  window: ContextWindow;
  /** The passages behind the window, by marker. */
  evidence: readonly Evidence[];
  /** What the reader made of the evidence's sentences, where strips were cut. */
  readings?: Readings;
  /** The aggregate of the last grading, 0–1; absent in chat. */
  evidenceScore?: number;
  /** For the second answer of a self-consistency check. */
  temperature?: number;
  /** The id under which the answer is streamed. */
  messageId: string;
  /** When false nothing is streamed (a second answer, a repair). */
  stream: boolean;
  /** Claims of an earlier draft that could not be supported; the new answer must do without. */
  withdrawn?: readonly string[];
  /** What the knowledge base holds, for questions about it; read where it is asked for. */
  holdings?: () => Promise<Holdings | undefined>;
}

/** What a knowledge base holds, for questions about itself. */
export interface Holdings {
  /** For people: `sqlite:.corrective-rag/kb`. */
  name: string;
  documents: number;
  passages: number;
  /** False where the store does not tell how much it holds, as a retriever does not. */
  counted: boolean;
  /** By path; empty for stores that know only passages. */
  listed: readonly { title: string; path: string }[];
}

export interface DraftAnswer {
  /** With `[n]` markers; empty when it abstains. */
  text: string;
  /** The evidence does not carry an answer. */
  unanswerable: boolean;
  /** Why not, in a sentence. */
  reason?: string;
  by: "model" | "embedded";
  /** True when deltas of it went out. */
  streamed: boolean;
  /** The id under which it was streamed, so that the final message can replace it. */
  messageId?: string;
}

export interface KeyPoint {
  text: string;
  /** The evidence from which it was taken. */
  evidenceId: string;
}

export interface Reasoner {
  readonly kind: "model" | "embedded";
  rewrite(input: RewriteInput, scope: Scope): Promise<Rewrite>;
  route(input: RouteInput, scope: Scope): Promise<Route>;
  /** The calls of a round. */
  plan(input: PlanInput, scope: Scope): Promise<PlannedCall[]>;
  grade(input: GradeInput, scope: Scope): Promise<Judgement>;
  /** Keywords for a web search. Sees the question only, never evidence. */
  webQuery(
    input: { question: string; purpose: PlanInput["purpose"] },
    scope: Scope,
  ): Promise<string>;
  /** Hypothetical answers for HyDE; empty when it cannot write any. */
  hypothesize(input: { question: string; count: number }, scope: Scope): Promise<string[]>;
  /** Key points of web text, each linked to its source; empty when it cannot. */
  keyPoints(
    input: { question: string; evidence: readonly Evidence[] },
    scope: Scope,
  ): Promise<KeyPoint[]>;
  answer(input: AnswerInput, scope: Scope): Promise<DraftAnswer>;
  /** Self-consistency: do two answers say the same? `agree: true` where it cannot tell. */
  compare(
    input: { question: string; answers: readonly [string, string] },
    scope: Scope,
  ): Promise<{ agree: boolean; difference?: string }>;
  /**
   * A second opinion on claims: those that the evidence does not support. Empty where it has none.
   */
  review(
    input: { question: string; claims: readonly string[]; window: Pick<ContextWindow, "text"> },
    scope: Scope,
  ): Promise<{ unsupported: number[] }>;
}
