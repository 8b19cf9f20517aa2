/**
 * Replays the decisions of a recorded run: what the grader was given then is decided again by today's code, without a model and without a
 * network. Needs a run that was logged with its inputs (`CRAG_AUDIT_RECORD_INPUTS=on`).
 */
import type { EvidenceLabel, GraderAction } from "../state/verdict.js";
import type { AuditedRun } from "./read-audit.js";

/** What a grading came to. */
export interface ReplayedDecision {
  label: EvidenceLabel;
  action: GraderAction;
  /** The aggregate, 0–1. */
  score: number;
  /** The fast-path rule that approved, if one did. */
  rule?: string;
}

/** Decides recorded inputs anew; `undefined` when they are not in a form that it understands. */
export type Redecide = (inputs: unknown) => Promise<ReplayedDecision | undefined>;

export interface ReplayedRound {
  iteration: number;
  then: ReplayedDecision;
  /** Absent where the inputs could not be read. */
  now?: ReplayedDecision;
  /** What is different, in words; empty when today's code decides alike. */
  differences: string[];
}

export type Replay =
  | {
      success: true;
      rounds: ReplayedRound[];
      /** True when every round could be replayed and is decided alike. */ same: boolean;
    }
  | { success: false; error: string };

/** Scores that differ by less are the same: the log keeps every digit, but sums may be taken in another order. */
const SCORE_TOLERANCE = 1e-9;

/** Replays a run round by round. Pure but for `redecide`. */
export async function replayRun(run: AuditedRun, redecide: Redecide): Promise<Replay> {
  const recorded = recordedRounds(run);
  if (recorded.length === 0)
    return {
      success: false,
      error: "this run holds no graded round: there is nothing to decide again",
    };
  if (!recorded.every(({ iteration, then }) => isWhole(iteration, then)))
    return {
      success: false,
      error:
        "a round of this run is incomplete in the log, so that there is nothing to compare with",
    };
  if (recorded.every(({ inputs }) => inputs === undefined)) {
    return {
      success: false,
      error:
        "this run was logged without its inputs; set CRAG_AUDIT_RECORD_INPUTS=on before the runs that you want to replay",
    };
  }
  const rounds: ReplayedRound[] = [];
  for (const { iteration, then, inputs } of recorded) {
    const now = inputs === undefined ? undefined : await redecide(inputs);
    rounds.push(
      now === undefined
        ? {
            iteration,
            then,
            differences: ["the recorded inputs are missing, cut, or of another version"],
          }
        : { iteration, then, now, differences: differencesOf(then, now) },
    );
  }
  return {
    success: true,
    rounds,
    same: rounds.every(({ differences }) => differences.length === 0),
  };
}

/** Each round's decision and the inputs from which it was made. A round that the guard sent back is graded, and logged, once more. */
function recordedRounds(
  run: AuditedRun,
): { iteration: number; then: ReplayedDecision; inputs: unknown }[] {
  let inputs: unknown;
  let rule: string | undefined;
  return run.events.flatMap((event) => {
    // Passages that were cut to fit a line would be judged otherwise: such inputs are as good as none.
    if (event.type === "evidence_graded") inputs = "shortened" in event ? undefined : event.inputs;
    if (event.type === "fast_path_hit") rule = event.rule_name;
    if (event.type !== "rag_iteration") return [];
    const round = {
      iteration: event.iteration,
      then: {
        label: event.label,
        action: event.action,
        score: event.evalScore,
        ...(rule !== undefined && { rule }),
      },
      inputs,
    };
    inputs = undefined;
    rule = undefined;
    return [round];
  });
}

/** A log may come from another version or from an editor. */
function isWhole(
  iteration: unknown,
  { label, action, score }: Partial<Record<keyof ReplayedDecision, unknown>>,
): boolean {
  return (
    typeof iteration === "number" &&
    typeof label === "string" &&
    typeof action === "string" &&
    typeof score === "number"
  );
}

function differencesOf(then: ReplayedDecision, now: ReplayedDecision): string[] {
  const differences: string[] = [];
  if (then.action !== now.action)
    differences.push(`action ${then.action} then, ${now.action} today`);
  if (then.label !== now.label) differences.push(`label ${then.label} then, ${now.label} today`);
  if (Math.abs(then.score - now.score) > SCORE_TOLERANCE)
    differences.push(`score ${then.score.toFixed(4)} then, ${now.score.toFixed(4)} today`);
  if (then.rule !== now.rule)
    differences.push(`rule ${then.rule ?? "none"} then, ${now.rule ?? "none"} today`);
  return differences;
}

/** A replay as text, one line per round and one for the whole. */
export function showReplay(run: AuditedRun, rounds: readonly ReplayedRound[]): string {
  const lines = rounds.map(({ iteration, then, differences }) => {
    const recorded = `round ${iteration}: ${then.label} ${then.score.toFixed(2)} → ${then.action}`;
    return `${recorded}${differences.length === 0 ? ", the same today" : `; different today: ${differences.join("; ")}`}`;
  });
  const changed = rounds.filter(({ differences }) => differences.length > 0).length;
  const verdict =
    changed === 0
      ? "Today's code decides as it did then."
      : `${changed} of ${rounds.length} rounds would be decided otherwise today.`;
  return [`Replay of run ${run.runId}`, ...lines, verdict].join("\n");
}
