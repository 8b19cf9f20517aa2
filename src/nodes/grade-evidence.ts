/** Judges the evidence before anything is answered from it: fast-path rules, else a judge; filters; decides where the run goes. */
import { decide, type Decision } from "../grading/decide.js";
import { fastPath, type FastPathHit } from "../grading/fast-path.js";
import { isJudged, type Judgement } from "../grading/judgement.js";
import { untriedStrategies } from "../grading/next-strategy.js";
import { PROFILES } from "../grading/profiles.js";
import { judgeBySignals } from "../grading/signals.js";
import type { Thresholds } from "../settings/run-settings.js";
import type { Scope } from "../observability/scope.js";
import { passageText, type Reader } from "../reader/reader.js";
import type { GradeInput, Reasoner } from "../reasoning/reasoner.js";
import type { AgentStateType } from "../state/agent-state.js";
import { asPassage, renderSource, type Evidence } from "../state/evidence.js";
import { defineNode, type NodeFunction, type NodeUpdate } from "./node.js";
import type { AgentParts } from "./parts.js";

export function gradeEvidence(parts: AgentParts): NodeFunction {
  return defineNode("grade_evidence", parts, async ({ state, scope, run, stepsLeft }) => {
    if (scope.settings.switchedOff.includes("grading")) return handOnUngraded(state, scope);
    const reasoner = await parts.reasonerFor(scope.settings);
    const toolbox = await parts.toolboxFor(scope.settings);
    const profile = PROFILES[scope.settings.profile];
    const evidence = asGraded(state);
    const ungraded = evidence.filter((item) => item.status !== "discarded" && !isJudged(item));

    const rule = ruleFor({ state, scope, reasoner, evidence });
    const judgement =
      rule === undefined
        ? await judge({
            parts,
            state,
            scope,
            reasoner,
            evidence,
            ungraded,
            // The local searches run anyway.
            tools: toolbox.tools.filter(
              ({ strategy, external }) =>
                external && (strategy === undefined || strategy === "web"),
            ),
          })
        : undefined;
    const thresholds = byEmbeddedJudge(judgement)
      ? scope.settings.embeddedThresholds
      : scope.settings.thresholds;
    const input = {
      profile,
      thresholds,
      evidence,
      judgement,
      rule,
      iteration: state.iteration,
      maxIterations: scope.settings.maxIterations,
      roundWasNew: ungraded.some(({ round }) => round === state.iteration),
      untriedStrategies: untriedStrategies({
        available: toolbox.strategies,
        tried: state.routing_plan?.tried ?? [],
      }),
      stepsLeft,
      exhausted: exhausted(scope, reasoner),
      webAvailable: toolbox.web,
      filtering: !scope.settings.switchedOff.includes("filtering"),
    };
    const decision = decide(input);
    report({
      state,
      scope,
      decision,
      thresholds,
      startedAt: run.round_started_at,
      inputs: parts.recordInputs ? { question: state.standalone_question, ...input } : undefined,
    });

    const { evaluation } = decision;
    const corrects = evaluation.action !== "GENERATE";
    return {
      // What is discarded leaves the context by its status.
      context: [...decision.context, ...decision.discarded],
      discarded: decision.discarded,
      evidence_scores: decision.scores,
      evaluation,
      grader_action: evaluation.action,
      iteration: state.iteration + (corrects ? 1 : 0),
      run: {
        purpose:
          evaluation.action === "REFINE"
            ? "refine"
            : evaluation.action === "RE_RETRIEVE"
              ? "re_retrieve"
              : run.purpose,
        hints: evaluation.hints ?? [],
        tool_needed: evaluation.tool_needed ?? null,
        wants_web: decision.wantsWeb,
        widen: evaluation.action === "REFINE" && !input.roundWasNew,
      },
    };
  });
}

/** What was discarded in an earlier round and found again comes marked as such: it does not count, and is not graded again. */
function asGraded(state: AgentStateType): Evidence[] {
  const rejected = new Map(state.discarded.map((item) => [item.id, item.reason]));
  return state.context.map((item) =>
    rejected.has(item.id) ? { ...item, status: "discarded", reason: rejected.get(item.id) } : item,
  );
}

/** The embedded judge costs no call, so that there the rules, which save one, do not run. */
function ruleFor({
  state,
  scope,
  reasoner,
  evidence,
}: {
  state: AgentStateType;
  scope: Scope;
  reasoner: Reasoner;
  evidence: Evidence[];
}): FastPathHit | undefined {
  if (
    !PROFILES[scope.settings.profile].fastPaths ||
    reasoner.kind === "embedded" ||
    state.run.guard_retried
  )
    return undefined;
  const hit = fastPath({
    context: evidence,
    history: state.tool_history,
    round: state.iteration,
    thresholds: scope.settings.thresholds,
  });
  if (hit !== undefined)
    scope.emit({ type: "fast_path_hit", rule_name: hit.rule, items: evidence.length });
  return hit;
}

async function judge({
  parts,
  state,
  scope,
  reasoner,
  evidence,
  ungraded,
  tools,
}: {
  parts: AgentParts;
  state: AgentStateType;
  scope: Scope;
  reasoner: Reasoner;
  evidence: Evidence[];
  ungraded: Evidence[];
  tools: GradeInput["tools"];
}): Promise<Judgement | undefined> {
  const present = evidence.filter(({ status }) => status !== "discarded");
  const { judge: kind } = PROFILES[scope.settings.profile];
  const question = state.standalone_question;
  if (kind === "signals")
    return bySignals({ reader: await parts.reader(), question, evidence: present, scope });
  // Nothing new to a model is nothing to pay for; the embedded judge looks at the set as it now stands, be it empty.
  if (ungraded.length === 0 && reasoner.kind === "model") return undefined;
  return reasoner.grade({ question, ungraded, evidence: present, judge: kind, tools }, scope);
}

async function bySignals({
  reader,
  question,
  evidence,
  scope,
}: {
  reader: Reader;
  question: string;
  evidence: Evidence[];
  scope: Scope;
}): Promise<Judgement> {
  const passages = evidence.map(asPassage);
  const { signal } = scope;
  const [relevance, vectors] = await Promise.all([
    reader.relevance({ question, passages, signal }),
    // Without vectors, which a broken runtime is as good as, words tell how far passages agree.
    reader.embed?.(passages.map(passageText), signal).catch(() => undefined),
  ]);
  signal.throwIfAborted();
  return judgeBySignals({
    question,
    evidence,
    relevance: relevance.passages.map(({ value }) => value),
    vectors,
  });
}

/** Its probabilities have cut-offs of their own, also where it only stands in for a model that failed. */
function byEmbeddedJudge(judgement: Judgement | undefined): boolean {
  return judgement?.judge === "embedded";
}

/** A resource without which another round makes no sense. */
function exhausted(scope: Scope, reasoner: Reasoner): string | undefined {
  if (!scope.budget.has("seconds")) return "seconds";
  if (reasoner.kind === "embedded") return undefined;
  if (!scope.budget.has("modelCalls")) return "model calls";
  return scope.budget.has("tokens") ? undefined : "tokens";
}

function report({
  state,
  scope,
  decision,
  thresholds,
  startedAt,
  inputs,
}: {
  state: AgentStateType;
  scope: Scope;
  decision: Decision;
  thresholds: Thresholds;
  startedAt: number;
  inputs: unknown;
}): void {
  const { evaluation } = decision;
  scope.emit({
    type: "evidence_graded",
    iteration: state.iteration,
    judge: evaluation.judge,
    scores: Object.entries(decision.scores).map(([id, score]) => ({ id, score })),
    ...(inputs !== undefined && { inputs }),
  });
  for (const { evidence, score, reason } of decision.removed)
    scope.emit({
      type: "evidence_removed",
      id: evidence.id,
      source: renderSource(evidence.source),
      score,
      reason,
    });
  for (const cause of decision.causes) scope.cause(cause);
  for (const warning of decision.warnings) scope.warn(warning);
  if (evaluation.forced_by === "budget")
    scope.emit({
      type: "budget_exhausted",
      resource: "run",
      limit: 0,
      skipped: "a further round of retrieval",
    });
  scope.emit({
    type: "rag_iteration",
    iteration: state.iteration,
    evalScore: evaluation.score,
    tookMs: Math.max(0, scope.now() - startedAt),
    label: evaluation.label,
    action: evaluation.action,
    reasoning: evaluation.reasoning,
    thresholds: { correct: thresholds.correct, incorrect: thresholds.incorrect },
    retrieverStats: state.tool_history
      .filter(({ round }) => round === state.iteration)
      .map(({ tool, evidence_ids: ids, durationMs, status }) => ({
        tool,
        count: ids.length,
        tookMs: durationMs,
        status,
      })),
  });
}

/** Plain RAG, for comparisons: whatever was found is used. */
function handOnUngraded(state: AgentStateType, scope: Scope): NodeUpdate {
  const context = state.context.map((item): Evidence => ({
    ...item,
    status: "kept",
    reason: "grading is switched off",
  }));
  scope.emit({
    type: "rag_iteration",
    iteration: state.iteration,
    evalScore: 1,
    tookMs: 0,
    label: "CORRECT",
    action: "GENERATE",
    reasoning: "grading is switched off",
    retrieverStats: [],
  });
  return { context, grader_action: "GENERATE" };
}
