/** The typed events of a run, on the custom stream and in the audit log. */
import type { ClaimStatus, ClosestPassage } from "../state/answer.js";
import type {
  CallStatus,
  EvidenceLabel,
  GraderAction,
  OutcomeCause,
  OutcomeStatus,
} from "../state/verdict.js";

export type AgentEvent =
  | {
      type: "run_started";
      question: string;
      profile: string;
      quality: string;
      reasoner: string;
      /** Of the request to the server. */
      request_id?: string;
    }
  | { type: "question_rewritten"; question: string; standalone_question: string; by: string }
  | { type: "routed"; mode: "chat" | "search"; strategy?: string; reason: string }
  | { type: "planned"; iteration: number; calls: { tool: string; args: Record<string, unknown> }[] }
  | {
      type: "tool_call";
      iteration: number;
      tool: string;
      args: Record<string, unknown>;
      status: CallStatus;
      count: number;
      took_ms: number;
      cached?: boolean;
      error?: string;
    }
  | {
      type: "web_search";
      query: string;
      provider?: string;
      count: number;
      took_ms: number;
      cached: boolean;
      attempts: { provider: string; outcome: string; message?: string }[];
    }
  | { type: "fast_path_hit"; rule_name: string; items: number }
  | {
      type: "evidence_graded";
      iteration: number;
      judge: string;
      scores: { id: string; score: number }[];
      inputs?: unknown;
    }
  | { type: "evidence_removed"; id: string; source: string; score: number; reason: string }
  | {
      type: "grade_parse_failure";
      judge: string;
      expected: number;
      output: string;
      failures: number;
    }
  | {
      type: "rag_iteration";
      iteration: number;
      eval_score: number;
      took_ms: number;
      label: EvidenceLabel;
      action: GraderAction;
      reasoning: string;
      thresholds?: { correct: number; incorrect: number };
      retriever_stats: { tool: string; count: number; took_ms: number; status: CallStatus }[];
    }
  | { type: "answer_delta"; id: string; text: string }
  | {
      type: "citation";
      id: string;
      marker: number;
      evidence_id: string;
      source: string;
      title: string;
      quote: string;
    }
  | { type: "answer_retracted"; id: string; reason: string }
  | { type: "answer_revised"; id: string; withdrawn: string[] }
  | { type: "claim_checked"; claim: string; status: ClaimStatus; score: number; problems: string[] }
  | { type: "budget_exhausted"; resource: string; limit: number; skipped: string }
  | {
      type: "model_call";
      task: string;
      model: string;
      took_ms: number;
      input_tokens: number;
      output_tokens: number;
      ok: boolean;
      error?: string;
    }
  | { type: "warning"; message: string }
  | {
      type: "graph_outcome";
      outcome: OutcomeCause | Exclude<OutcomeStatus, "failed">;
      status: OutcomeStatus;
      causes: OutcomeCause[];
      iterations: number;
      took_ms: number;
      answer: string;
      /** With `closest_passages`, else empty. */
      passages: ClosestPassage[];
    };

/** An event as it is streamed and logged. */
export type RecordedEvent = AgentEvent & {
  /** ISO 8601. */
  at: string;
  run_id: string;
  node: string;
};

export type EventType = AgentEvent["type"];
