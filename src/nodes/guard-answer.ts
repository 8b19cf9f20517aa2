/** Checks every claim and citation of the draft, then ends the run or sends it round once more. */
import { RemoveMessage } from "@langchain/core/messages";
import { citationMarkers } from "../answering/citations.js";
import { guardAnswer, type GuardMode } from "../answering/guard.js";
import { applyEdits, foreignLinks } from "../answering/links.js";
import { isNoAnswer } from "../answering/refusal.js";
import { verifyAnswer, type Verification } from "../answering/verify-answer.js";
import { forcedEnd } from "../grading/loop.js";
import type { Scope } from "../observability/scope.js";
import { nextDraftId } from "../reasoning/draft-stream.js";
import type { AgentStateType } from "../state/agent-state.js";
import { contentTerms } from "../text/analyse.js";
import type { RunRecord } from "../state/run-record.js";
import { sentences } from "../text/sentences.js";
import { abstain, answered, failed } from "./finish.js";
import {
  defineNode,
  exhausted,
  loopOf,
  type NodeFunction,
  type NodeInput,
  type NodeUpdate,
} from "./node.js";
import type { AgentParts } from "./parts.js";

const WITHHELD = "the answer was withheld by the policy filter";
const UNVERIFIED = "the answer that was written could not be confirmed from them";
/** Time to read claims by their sense, however little the run has left; and a timer's longest. */
const READING_IN_MS = { least: 10_000, most: 2 ** 31 - 1 };

/** @param place with `endsRun: false` where other nodes follow */
export function guardAnswerNode(parts: AgentParts, place = { endsRun: true }): NodeFunction {
  return defineNode("guard_answer", parts, guard, place);
}

async function guard(input: NodeInput): Promise<NodeUpdate> {
  const { state, scope, services, stepsLeft, correctionSteps } = input;
  const { run } = state;
  if (run.error !== null) return failed(input, run.error);
  if (state.mode === "chat") return chatted(input, state.answer);
  if (state.answer === "" || isNoAnswer(state.answer)) return unanswered(input);
  const { settings } = scope;
  const mode: GuardMode = settings.switchedOff.includes("guard") ? "off" : settings.guard;
  const known = new Map(state.context.map((item) => [item.id, item]));
  // In the order of the citation numbers.
  const evidence = state.sources.flatMap(({ evidence_id: id }) => known.get(id) ?? []);
  const left = Math.max(READING_IN_MS.least, Math.ceil(scope.budget.remainingInMs()));
  const hurry = AbortSignal.timeout(Math.min(READING_IN_MS.most, left));
  const verification = await verifyAnswer({
    answer: state.answer,
    evidence,
    question: state.standalone_question,
    reader: await services.reader(),
    signal: scope.signal,
    hurry,
  });
  if (hurry.aborted) scope.warn("time was short: some sentences were checked by their words alone");
  if (isGroundless(verification, mode) || (await saysNothing(input, verification)))
    return unanswered(input);
  const mayRetry =
    !run.guard_retried &&
    state.iteration < settings.maxIterations &&
    stepsLeft >= correctionSteps.REFINE &&
    exhausted(scope, run.drafted_by ?? "model") === undefined;
  const result = guardAnswer({
    answer: state.answer,
    evidence,
    verification,
    mode,
    mayRetry,
    policy: input.parts.policy,
  });
  for (const { isClaim, text: claim, status, score, problems } of verification.sentences)
    if (mode !== "off" && isClaim && input.parts.policy?.(claim) === undefined)
      scope.emit({ type: "claim_checked", claim, status, score, problems: [...problems] });
  if (result.verdict === "retry" || (run.disagreement !== null && mayRetry))
    return goBack(
      input,
      "plan",
      run.disagreement ?? "too much of it is not supported by the evidence",
      result.withdrawn,
    );

  if (run.disagreement !== null)
    scope.warn(`two answers written from the same evidence disagree: ${run.disagreement}`);
  for (const warning of result.warnings) scope.warn(warning);
  const isBlocked = result.withheld > 0;
  if (isBlocked) scope.cause("policy_blocked");
  if (result.verdict === "abstain") {
    retract(state, scope, "nothing of it is supported");
    return abstain(input, {
      reason: isBlocked ? WITHHELD : UNVERIFIED,
      cause: isBlocked ? "policy_blocked" : "unsupported_answer",
      withdrawn: result.withdrawn,
    });
  }
  if (result.verdict === "revised" && run.draft_streamed)
    scope.emit({ type: "answer_revised", id: run.message_id, withdrawn: result.withdrawn });
  return answered(input, result);
}

/** Small talk makes no claims, so only the policy and the links are checked. */
function chatted(input: NodeInput, text: string): Promise<NodeUpdate> {
  const objection = sentences(text).flatMap((each) => input.parts.policy?.(each.text) ?? [])[0];
  if (objection === undefined) {
    // It has no sources, so that a number would name none.
    const numbers = citationMarkers(text).map(({ start, end }) => {
      return { start: text.slice(0, start).trimEnd().length, end, text: "" };
    });
    return answered(input, { text: applyEdits(text, [...foreignLinks(text, []), ...numbers]) });
  }
  input.scope.warn(`the answer was withheld by the policy filter: ${objection}`);
  return abstain(input, { reason: WITHHELD, cause: "policy_blocked" });
}

/**
 * True for a draft of which nothing rests on a source: a refusal, small talk, or a guess. Claims
 * that cite something, or that hold what is in no source, are the guard's.
 */
function isGroundless({ sentences: checked }: Verification, mode: GuardMode): boolean {
  return checked.every(({ isClaim, isUnfounded, markers, citations }) => {
    const isGuards = isClaim && (isUnfounded || markers.length > 0 || mode === "off");
    return citations.length === 0 && !isGuards;
  });
}

const NOTHING_SAID = "The sources do not say.";

/**
 * Asks the model if its draft says only that there is no answer, in whatever words and language:
 * where it holds no number, and nothing supported, that the question does not hold.
 */
async function saysNothing(
  { services, state, scope }: NodeInput,
  { sentences: checked }: Verification,
): Promise<boolean> {
  const question = state.standalone_question;
  const asked = new Set(contentTerms(question));
  const known = new Set(state.context.flatMap(({ text }) => contentTerms(text)));
  const isSaid = checked.some(({ text, isClaim, status }) =>
    contentTerms(text).some((term) => {
      const isCarried = isClaim && status === "supported" && known.has(term);
      return !asked.has(term) && (isCarried || /\p{N}/u.test(term));
    }),
  );
  if (isSaid || state.run.drafted_by !== "model" || !scope.budget.has("modelCalls")) return false;
  const answers = [state.answer, NOTHING_SAID] as const;
  const { agree } = await (await services.reasoner()).compare({ question, answers }, scope);
  return agree === true;
}

function retract({ run }: AgentStateType, scope: Scope, reason: string): void {
  if (run.draft_streamed) scope.emit({ type: "answer_retracted", id: run.message_id, reason });
}

/**
 * Takes an answer that says that there is none as the grade of the evidence that it is: RE_RETRIEVE
 * while a strategy is left untried, after that an abstention.
 */
async function unanswered(input: NodeInput): Promise<NodeUpdate> {
  const { state, scope, services } = input;
  const { run } = state;
  const said = run.abstain_reason;
  const reason = said ?? "the model found no answer in the evidence";
  const cause = "insufficient_evidence";
  if (run.drafted_by !== "model") {
    retract(state, scope, reason);
    const isModels = run.unanswered.length > 0;
    return abstain(input, isModels ? { said, cause } : { reason: said ?? undefined });
  }
  const { strategies: available, web } = await services.toolbox();
  const mayAskWeb = !run.web_denied && scope.budget.has("webSearches");
  const loop = loopOf(input, { available, reasoner: "model" });
  const end = forcedEnd("RE_RETRIEVE", {
    ...loop,
    // What was found is no answer, so the same searches are not made again.
    roundWasNew: false,
    untriedStrategies: loop.untriedStrategies.filter(
      (strategy) => strategy !== "files" && (strategy !== "web" || mayAskWeb),
    ),
  });
  const rounds = run.rounds.map((round, at) =>
    at === run.rounds.length - 1 ? { ...round, unanswerable: true } : round,
  );
  const known = { ...run, rounds, web_missed: run.web_missed || (end !== undefined && !web) };
  const graded = { ...input, state: { ...state, run: known } };
  if (end === undefined) return goBack(graded, "analyze_and_route", reason);
  retract(state, scope, reason);
  return abstain(graded, { said, cause });
}

/**
 * Discards the draft; the run goes on with another round.
 * @param withdrawn claims without support, for which it searches, in local searches only
 */
function goBack(
  { state, scope }: NodeInput,
  to: NonNullable<RunRecord["retry"]>,
  reason: string,
  withdrawn: string[] = [],
): NodeUpdate {
  const { run } = state;
  scope.emit({ type: "answer_retracted", id: run.message_id, reason });
  for (const claim of withdrawn) scope.warn(`withdrawn: "${claim}"`);
  const isGuards = to === "plan";
  return {
    answer: "",
    iteration: state.iteration + 1,
    ...(!isGuards && { grader_action: "RE_RETRIEVE" as const }),
    ...(run.draft_streamed && { messages: [new RemoveMessage({ id: run.message_id })] }),
    run: {
      retry: to,
      rounds: run.rounds,
      ...(isGuards
        ? { guard_retried: true, purpose: "guard", withdrawn }
        : { purpose: "re_retrieve", unanswered: state.context.map(({ id }) => id) }),
      hints: withdrawn,
      disagreement: null,
      draft_streamed: false,
      message_id: nextDraftId(run.message_id),
    },
  };
}
