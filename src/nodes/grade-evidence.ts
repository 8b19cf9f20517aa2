/** Judges the evidence before an answer is written, and decides where the run goes. */
import { isGraphBubbleUp } from "@langchain/langgraph";
import { readPassages } from "../answering/readable-units.js";
import { excerpts } from "../answering/strips.js";
import {
  fastPath,
  gradeRound,
  readerJudge,
  toJudge,
  type RoundGrade,
} from "../grading/grade-evidence.js";
import { refusals, type Judge, type JudgeInput, type Judgement } from "../grading/judgement.js";
import { signalsJudge } from "../grading/signals.js";
import type { Scope } from "../observability/scope.js";
import type { GradeInput, Reasoner } from "../reasoning/reasoner.js";
import type { AgentStateType } from "../state/agent-state.js";
import type { GradedRound } from "../state/details.js";
import { renderSource, type Evidence } from "../state/evidence.js";
import type { RunRecord } from "../state/run-record.js";
import type { GraderAction } from "../state/verdict.js";
import { reasonOf } from "../support/errors.js";
import { isRecord } from "../support/json.js";
import { withinTime } from "../support/waiting.js";
import { wordsOf } from "../text/words.js";
import { WEB_SEARCH_TOOL } from "../tools/web-tools.js";
import { defineNode, loopOf, type NodeFunction, type NodeInput, type NodeUpdate } from "./node.js";
import type { AgentParts, RunScope, Toolbox } from "./parts.js";

const PURPOSES: Readonly<Record<GraderAction, RunRecord["purpose"] | undefined>> = {
  GENERATE: undefined,
  REFINE: "refine",
  RE_RETRIEVE: "re_retrieve",
};

export function gradeEvidenceNode(parts: AgentParts): NodeFunction {
  return defineNode("grade_evidence", parts, async (input) => {
    const { state, scope, services } = input;
    const { run } = state;
    const { settings } = scope;
    if (settings.switchedOff.includes("grading")) return handOnUngraded(state, scope);
    const { profile } = services;
    const reasoner = await services.reasoner();
    const toolbox = await services.toolbox();
    const question = state.standalone_question;
    const { thresholds, embeddedThresholds } = settings;
    const refusedAs = refusals(state.discarded);
    // What was refused earlier and found again is not graded again.
    const evidence = state.context.map((item): Evidence => {
      const earlier = refusedAs(item);
      return earlier ? { ...item, status: "discarded", reason: earlier.reason } : item;
    });
    // Rules save a model call. After the guard sent the run back, a judge has to look.
    const mayApprove = profile.fastPaths && reasoner.kind === "model" && !run.guard_retried;
    const { tool_history: history, iteration: round } = state;
    const rule = mayApprove
      ? fastPath({ context: evidence, history, round, thresholds })
      : undefined;
    const judged = { question, ...toJudge(evidence), signal: scope.signal };
    const { judge } = profile;
    let judgement: Judgement | undefined;
    if (rule !== undefined)
      scope.emit({ type: "fast_path_hit", rule_name: rule, items: evidence.length });
    else if (typeof judge === "function")
      judgement = await judgeByUser(judge, judged, services, scope);
    else if (judge === "signals") judgement = await signalsJudge(await services.reader())(judged);
    else {
      const asked = await gradeInputOf({ ...judged, judge }, input, reasoner, toolbox);
      judgement = asked && (await reasoner.grade(asked, scope));
    }
    const named = judgement?.set?.toolNeeded;
    const tool = named && toolFor(named, toolbox, state);
    const isUnknown = named !== undefined && tool === undefined;
    if (isUnknown)
      scope.warn(`the judge asks for the tool "${named}", which is unknown or was called before`);
    const graded = gradeRound({
      evidence,
      profile,
      thresholds,
      embeddedThresholds,
      judgement: judgement && withTool(judgement, tool, toolbox),
      rule,
      ...loopOf(input, { available: toolbox.strategies, reasoner: reasoner.kind }),
      webAvailable: toolbox.web,
      timeSensitive: state.routing_plan?.time_sensitive,
      filtering: !settings.switchedOff.includes("filtering"),
    });
    report(input, graded);
    const { evaluation } = graded;
    const { action } = evaluation;
    return {
      // Items with the status `discarded` leave the context.
      context: [...graded.context, ...graded.discarded],
      discarded: graded.discarded,
      evidence_scores: graded.scores,
      evaluation,
      grader_action: action,
      iteration: state.iteration + (action === "GENERATE" ? 0 : 1),
      run: {
        purpose: PURPOSES[action] ?? run.purpose,
        hints: evaluation.hints ?? [],
        tool_needed: evaluation.tool_needed ?? null,
        wants_web: graded.wantsWeb,
        web_missed:
          run.web_missed || graded.webMissed || (isUnknown && plain(named).startsWith("web")),
        widen: action === "REFINE" && !graded.input.roundWasNew,
        rounds: [...run.rounds, roundOf(state.iteration, graded)],
      },
    };
  });
}

/**
 * A model judges up to this many passages of the first round in full. More passages, and those of
 * later rounds, are cut to the excerpts that an answer would be written from.
 */
const MOST_IN_FULL = 10;

/** Returns what the reasoner is to judge; undefined if a model would be paid for nothing new. */
async function gradeInputOf(
  { question, evidence, ungraded, judge, signal }: JudgeInput & Pick<GradeInput, "judge">,
  { state, services, scope }: NodeInput,
  reasoner: Reasoner,
  toolbox: Toolbox,
): Promise<GradeInput | undefined> {
  const isModel = reasoner.kind === "model";
  // The embedded judge looks at the set even if it is empty.
  if (ungraded.length === 0 && isModel) return undefined;
  const { score, label, judge: by } = state.evaluation ?? {};
  const seen = judge === "batch" || judge === "per_document" ? ungraded : evidence;
  const isLong = state.iteration > 0 || seen.length > MOST_IN_FULL;
  const hasKept = ungraded.length < evidence.length;
  const earlier = hasKept && label === "AMBIGUOUS" && by === "embedded" ? score : undefined;
  // The knowledge base is searched in any case, so only these can be asked for.
  const tools = toolbox.tools.filter(({ origin }) => origin !== "documents");
  const asked = { question, ungraded, evidence, judge, tools, earlier };
  if (!isLong || !isModel || scope.settings.switchedOff.includes("refinement")) return asked;
  const reader = await services.reader();
  const { readings } = await readPassages({ question, items: evidence, reader, signal });
  return { ...asked, excerpts: excerpts(evidence, readings) };
}

/** The reader judges if the user's judge fails or takes all the time that is left. */
async function judgeByUser(
  judge: Judge,
  judged: JudgeInput,
  services: RunScope,
  scope: Scope,
): Promise<Judgement | undefined> {
  const limits = { timeoutInMs: scope.budget.remainingInMs(), signal: scope.signal };
  try {
    const judgement = await withinTime(async (signal) => judge({ ...judged, signal }), limits);
    if (judgement !== undefined && !isRecord(judgement.scores))
      throw new Error("what it returned has no scores");
    return judgement;
  } catch (error) {
    if (isGraphBubbleUp(error)) throw error;
    scope.signal.throwIfAborted();
    scope.warn(`the profile's own judge failed, so the reader judges: ${reasonOf(error)}`);
    return readerJudge(await services.reader())(judged);
  }
}

/** Replaces the tool asked for by one that can be called, and drops hints that name tools. */
function withTool(
  judgement: Judgement,
  toolNeeded: string | undefined,
  { tools }: Toolbox,
): Judgement {
  const { set } = judgement;
  if (set === undefined) return judgement;
  const names = new Set(tools.map(({ name }) => plain(name)));
  const hints = set.hints?.filter((hint) => !names.has(plain(hint)));
  return { ...judgement, set: { ...set, hints, toolNeeded } };
}

/** Finds the tool that a judge means, by name or "web…", unless it was called already. */
function toolFor(
  asked: string,
  { tools }: Toolbox,
  { tool_history: calls }: AgentStateType,
): string | undefined {
  const meant = plain(asked);
  const open = tools.filter(({ name }) => !calls.some(({ tool }) => tool === name));
  const named = open.find(({ name }) => plain(name) === meant);
  const web = open.find(({ name }) => name === WEB_SEARCH_TOOL && meant.startsWith("web"));
  return (named ?? web)?.name;
}

function plain(name: string): string {
  return wordsOf(name.toLowerCase()).join("");
}

function roundOf(round: number, { evaluation, input, context, removed }: RoundGrade): GradedRound {
  const { correct, incorrect, keep } = input.thresholds;
  return {
    ...evaluation,
    round,
    thresholds: { correct, incorrect, keep },
    kept: context.map(({ id }) => id),
    discarded: removed.map(({ id }) => id),
  };
}

function report({ state, scope, parts }: NodeInput, graded: RoundGrade): void {
  const { evaluation, removed } = graded;
  const { thresholds } = graded.input;
  const { iteration, standalone_question: question } = state;
  scope.emit({
    type: "evidence_graded",
    iteration,
    judge: evaluation.judge,
    scores: Object.entries(graded.scores).map(([id, score]) => ({ id, score })),
    ...(parts.recordInputs && { inputs: { question, ...graded.input } }),
  });
  for (const item of removed) {
    const { id, reason = "" } = item;
    const source = renderSource(item.source);
    const score = graded.scores[id] ?? 0;
    scope.emit({ type: "evidence_removed", id, source, score, reason });
  }
  for (const cause of graded.causes) scope.cause(cause);
  for (const warning of graded.warnings) scope.warn(warning);
  const skipped = "a further round of retrieval";
  if (evaluation.forced_by === "budget")
    scope.emit({ type: "budget_exhausted", resource: "run", limit: 0, skipped });
  scope.emit({
    type: "rag_iteration",
    iteration,
    eval_score: evaluation.score,
    took_ms: scope.budget.elapsedInMs() - state.run.round_started_at,
    label: evaluation.label,
    action: evaluation.action,
    reasoning: evaluation.reasoning,
    thresholds: { correct: thresholds.correct, incorrect: thresholds.incorrect },
    retriever_stats: state.tool_history.flatMap(
      ({ round, tool, evidence_ids, duration_ms, status }) =>
        round === iteration
          ? [{ tool, count: evidence_ids.length, took_ms: duration_ms, status }]
          : [],
    ),
  });
}

/** Plain RAG, for comparisons: uses whatever was found. */
function handOnUngraded(state: AgentStateType, scope: Scope): NodeUpdate {
  const reason = "grading is switched off";
  scope.emit({
    type: "rag_iteration",
    iteration: state.iteration,
    eval_score: 1,
    took_ms: 0,
    label: "CORRECT",
    action: "GENERATE",
    reasoning: reason,
    retriever_stats: [],
  });
  return {
    context: state.context.map((item) => ({ ...item, status: "kept", reason })),
    grader_action: "GENERATE",
  };
}
