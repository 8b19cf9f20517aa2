/** Checks every claim and citation of the draft against the evidence, and ends the run; or sends it round once more. */
import { guardAnswer as check, type GuardResult } from "../answering/guard.js";
import { verifyAnswer, type Verification } from "../answering/verify-answer.js";
import { nextDraftId } from "../reasoning/draft-stream.js";
import { enoughSteps } from "../grading/loop-guards.js";
import type { Scope } from "../observability/scope.js";
import type { AgentStateType } from "../state/agent-state.js";
import type { Evidence } from "../state/evidence.js";
import { sentences } from "../text/sentences.js";
import { abstain, answered, failed, type Ending } from "./finish.js";
import { defineNode, type NodeFunction, type NodeUpdate } from "./node.js";
import type { AgentParts, RunScope } from "./parts.js";

const WITHHELD = "the answer was withheld by the policy filter.";

export function guardAnswer(parts: AgentParts): NodeFunction {
  return defineNode("guard_answer", parts, async ({ state, scope, services, run, stepsLeft }) => {
    const ending = { state, scope, services, parts };
    if (run.error !== null) return failed(ending, run.error);
    if (state.mode === "chat") return chatted(ending, state.answer);
    if (state.answer === "") {
      if (run.draft_streamed)
        scope.emit({
          type: "answer_retracted",
          id: run.message_id,
          reason: run.abstain_reason ?? "",
        });
      return abstain(ending, {
        reason: run.abstain_reason ?? "the evidence does not answer the question",
        cause: "insufficient_evidence",
      });
    }

    const evidence = citedEvidence(state);
    if (scope.settings.switchedOff.includes("guard"))
      return answered(ending, unchecked(state, evidence));

    const mayRetry =
      !run.guard_retried &&
      state.iteration < scope.settings.maxIterations &&
      enoughSteps("REFINE", stepsLeft) &&
      scope.budget.has("seconds") &&
      (run.drafted_by !== "model" || scope.budget.has("modelCalls"));
    const question = state.standalone_question;
    const verification = verifyAnswer({ answer: state.answer, evidence, question });
    const doubted = await secondOpinion({ services, state, scope, verification });
    const result = check({
      answer: state.answer,
      evidence,
      question,
      mayRetry,
      policy: parts.policy,
      doubted,
      verification,
    });
    for (const sentence of verification.sentences.filter(
      ({ isClaim, text }) => isClaim && parts.policy?.(text) === undefined,
    )) {
      const { text: claim, status, score, problems } = sentence;
      scope.emit({ type: "claim_checked", claim, status, score, problems });
    }
    if (result.verdict === "retry" || (run.disagreement !== null && mayRetry))
      return goRoundOnceMore(state, scope, result);

    if (run.disagreement !== null)
      scope.warn(`two answers written from the same evidence disagree: ${run.disagreement}`);
    for (const warning of result.warnings) scope.warn(warning);
    if (result.withheld > 0) scope.cause("policy_blocked");
    if (result.verdict === "abstain") {
      if (run.draft_streamed)
        scope.emit({
          type: "answer_retracted",
          id: run.message_id,
          reason: "nothing of it is supported",
        });
      return abstain(ending, {
        reason: result.blockedByPolicy
          ? WITHHELD
          : "what was written could not be verified against the evidence.",
        cause: result.blockedByPolicy ? "policy_blocked" : "unsupported_answer",
        withdrawn: result.withdrawn,
      });
    }
    if (result.verdict === "revised" && run.draft_streamed)
      scope.emit({ type: "answer_revised", id: run.message_id, withdrawn: result.withdrawn });
    return answered(ending, result);
  });
}

/** Small talk makes no claims, so nothing of it is checked; what must not be said is not said there either. */
function chatted(ending: Ending, answer: string): Promise<NodeUpdate> {
  const objection = sentences(answer).flatMap(({ text }) => ending.parts.policy?.(text) ?? [])[0];
  if (objection === undefined)
    return answered(ending, { text: answer, citations: [], sources: [], withdrawn: [] });
  ending.scope.warn(`the answer was withheld by the policy filter: ${objection}`);
  return abstain(ending, { reason: WITHHELD, cause: "policy_blocked" });
}

/** The evidence by number: `[n]` is the n-th. */
function citedEvidence(state: AgentStateType): Evidence[] {
  const known = new Map(state.context.map((item) => [item.id, item]));
  return state.sources.flatMap(({ evidence_id: id }) => known.get(id) ?? []);
}

/** For comparisons: the draft as it is, its citations tied to spans but nothing taken out. */
function unchecked(
  state: AgentStateType,
  evidence: Evidence[],
): Pick<GuardResult, "text" | "citations" | "sources" | "withdrawn"> {
  const { citations } = verifyAnswer({
    answer: state.answer,
    evidence,
    question: state.standalone_question,
  });
  return { text: state.answer, citations, sources: state.sources, withdrawn: [] };
}

async function secondOpinion({
  services,
  state,
  scope,
  verification,
}: {
  services: RunScope;
  state: AgentStateType;
  scope: Scope;
  verification: Verification;
}): Promise<string[]> {
  if (!scope.settings.secondOpinion) return [];
  const reasoner = await services.reasoner();
  const claims = verification.sentences.filter(({ isClaim }) => isClaim).map(({ text }) => text);
  const window = {
    text: state.run.window_text,
    sources: [],
    form: state.run.window_form,
    tokens: 0,
  };
  const { unsupported } = await reasoner.review(
    { question: state.standalone_question, claims, window },
    scope,
  );
  return unsupported.flatMap((index) => claims[index] ?? []);
}

function goRoundOnceMore(state: AgentStateType, scope: Scope, result: GuardResult): NodeUpdate {
  const reason = state.run.disagreement ?? "too much of it is not supported by the evidence";
  if (state.run.draft_streamed)
    scope.emit({ type: "answer_retracted", id: state.run.message_id, reason });
  for (const claim of result.withdrawn) scope.warn(`withdrawn: "${claim}"`);
  return {
    answer: "",
    iteration: state.iteration + 1,
    run: {
      retry: true,
      guard_retried: true,
      purpose: "guard",
      // What could not be supported is what the next round looks for, in local searches only.
      hints: result.withdrawn,
      withdrawn: result.withdrawn,
      disagreement: null,
      draft_streamed: false,
      message_id: nextDraftId(state.run.message_id),
    },
  };
}
