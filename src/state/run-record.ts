import type { RetrievalStrategy } from "./strategy.js";

/** What `analyze_and_route` decided for the round that follows. */
export interface RoutingPlan {
  /** The strategies of this round, the leading one first. */
  strategies: RetrievalStrategy[];
  /** All strategies that were given a round so far, this one included. */
  tried: RetrievalStrategy[];
  /** All that this run can serve. */
  available: RetrievalStrategy[];
  /** The answer changes with the day, so the web is asked beside the knowledge base. */
  time_sensitive: boolean;
  reason: string;
}

/** Bookkeeping between the nodes of one run. */
export interface RunRecord {
  id: string;
  /** Milliseconds since the epoch. */
  started_at: number;
  /** LangGraph's step number at the first node: the steps left are counted from it. */
  first_step: number;
  /** Why the coming round happens. */
  purpose: "first" | "refine" | "re_retrieve" | "guard";
  /** What is missing, from the grader or the guard; shapes local searches only. */
  hints: string[];
  /** A tool that the grader asks for, to be called first. */
  tool_needed: string | null;
  /** The next round adds the web. */
  wants_web: boolean;
  /** The last round brought nothing new: the next one widens to a strategy that was not tried. */
  widen: boolean;
  /** The guard has sent the run back already. */
  guard_retried: boolean;
  /** The run goes back to `plan` after the guard. */
  retry: boolean;
  /** Claims that the guard withdrew from an earlier draft. */
  withdrawn: string[];
  /** Two answers of the self-consistency check that disagreed: the difference in words. */
  disagreement: string | null;
  /** The id of the answer's message, under which its tokens are streamed. */
  message_id: string;
  /** Whether deltas of the current draft went out. */
  draft_streamed: boolean;
  /** What the draft was made by. */
  drafted_by: "model" | "embedded" | null;
  /** Why the draft says nothing, if it abstained. */
  abstain_reason: string | null;
  /** Form and text of the context window that the answer was written from. */
  window_form: "relevant" | "ambiguous" | "irrelevant" | "empty";
  window_text: string;
  /** When the current round began, ms since the epoch. */
  round_started_at: number;
  /** What an error in a node said. */
  error: string | null;
}

export const NEW_RUN: RunRecord = {
  id: "",
  started_at: 0,
  first_step: 0,
  purpose: "first",
  hints: [],
  tool_needed: null,
  wants_web: false,
  widen: false,
  guard_retried: false,
  retry: false,
  withdrawn: [],
  disagreement: null,
  message_id: "",
  draft_streamed: false,
  drafted_by: null,
  abstain_reason: null,
  window_form: "empty",
  window_text: "",
  round_started_at: 0,
  error: null,
};
