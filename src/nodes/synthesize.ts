/** Refines the kept evidence, assembles the context window, and has the answer written. */
import { AIMessage } from "@langchain/core/messages";
import { assembleWindow, EMPTY_WINDOW, type ContextWindow } from "../answering/context-window.js";
import { numbered } from "../answering/numbering.js";
import { refine, wholePassages, type Strip } from "../answering/strips.js";
import type { Scope } from "../observability/scope.js";
import type { AnswerInput, Reasoner } from "../reasoning/reasoner.js";
import type { AgentStateType } from "../state/agent-state.js";
import type { SourceReference } from "../state/answer.js";
import { relevanceOf, renderSource, type Evidence } from "../state/evidence.js";
import { historyBefore } from "./conversation.js";
import { defineNode, type NodeFunction } from "./node.js";
import type { AgentParts, RunScope } from "./parts.js";

/** The second answer of a self-consistency check is written warmer than the first. */
const SECOND_TEMPERATURE = 0.7;

export function synthesize(parts: AgentParts): NodeFunction {
  return defineNode("synthesize", parts, async ({ state, scope, services, run }) => {
    const reasoner = await services.reasoner();
    const evidence = [...state.context].sort(
      (a, b) => (relevanceOf(b) ?? 0) - (relevanceOf(a) ?? 0),
    );
    const window =
      state.mode === "chat"
        ? EMPTY_WINDOW
        : await windowOf({ services, state, evidence, reasoner, scope });
    if (state.mode === "search" && window.sources.length === 0)
      return {
        answer: "",
        sources: [],
        run: { ...NOTHING_DRAFTED, abstain_reason: whyNothing(state) },
      };
    const input: AnswerInput = {
      question: state.question ?? state.standalone_question,
      standaloneQuestion: state.standalone_question,
      mode: state.mode,
      history: historyBefore(state.question ?? "", state.messages),
      window,
      evidence,
      evidenceScore: state.evaluation?.score,
      messageId: run.message_id,
      // A draft has not passed the policy filter yet.
      stream: parts.policy === undefined,
      withdrawn: run.withdrawn,
      holdings: async () => {
        const { holdings } = await services.toolbox();
        return holdings?.();
      },
    };
    const draft = await reasoner.answer(input, scope);
    const disagreement = draft.unanswerable
      ? null
      : await disagreementOf({ draft: draft.text, input, reasoner, scope });
    const { text, sources } = numbered({
      text: draft.text,
      citations: [],
      sources: sourcesOf(window, evidence),
    });
    const messageId = draft.messageId ?? run.message_id;
    return {
      answer: draft.unanswerable ? "" : text,
      sources,
      // Whoever was shown the stream keeps it, under the id of its tokens, until the guard is done.
      ...(draft.streamed && { messages: [new AIMessage({ id: messageId, content: text })] }),
      run: {
        drafted_by: draft.by,
        draft_streamed: draft.streamed,
        abstain_reason: draft.unanswerable
          ? (draft.reason ?? "the evidence does not answer the question")
          : null,
        disagreement,
        message_id: messageId,
        window_form: window.form,
        window_text: window.text,
      },
    };
  });
}

const NOTHING_DRAFTED = {
  drafted_by: null,
  draft_streamed: false,
  disagreement: null,
  window_form: "empty",
  window_text: "",
} as const;

function whyNothing(state: AgentStateType): string {
  if (state.tool_history.every(({ evidence_ids: ids }) => ids.length === 0))
    return "nothing was found";
  return "what was found does not bear on the question";
}

async function windowOf({
  services,
  state,
  evidence,
  reasoner,
  scope,
}: {
  services: RunScope;
  state: AgentStateType;
  evidence: Evidence[];
  reasoner: Reasoner;
  scope: Scope;
}): Promise<ContextWindow> {
  const { contextTokens, keyPoints, switchedOff } = scope.settings;
  const question = state.standalone_question;
  const points = keyPoints ? await keyPointStrips({ question, evidence, reasoner, scope }) : [];
  const condensed = new Set(points.map(({ evidenceId }) => evidenceId));
  const rest = evidence.filter(({ id }) => !condensed.has(id));
  const strips = switchedOff.includes("refinement")
    ? wholePassages(rest)
    : await refine({
        question,
        evidence: rest,
        reader: await services.reader(),
        judgedBy: state.evaluation?.judge === "embedded" ? "reader" : "model",
        budgetInTokens: contextTokens,
        signal: scope.signal,
      });
  return assembleWindow({
    evidence,
    strips: [...strips, ...points],
    label: state.evaluation?.label,
    budgetInTokens: contextTokens,
  });
}

/** A model's key points of web text stand in for its strips; each keeps the link to its source. */
async function keyPointStrips({
  question,
  evidence,
  reasoner,
  scope,
}: {
  question: string;
  evidence: Evidence[];
  reasoner: Reasoner;
  scope: Scope;
}): Promise<Strip[]> {
  const web = evidence.filter(({ source }) => source.kind === "web");
  if (web.length === 0) return [];
  const points = await reasoner.keyPoints({ question, evidence: web }, scope);
  const known = new Set(web.map(({ id }) => id));
  return points
    .filter(({ evidenceId }) => known.has(evidenceId))
    .map(({ text, evidenceId }, index) => ({
      evidenceId,
      text: `• ${text}`,
      start: index,
      end: index,
      score: 1,
    }));
}

/** Two answers at different temperatures; what they disagree on, or null. */
async function disagreementOf({
  draft,
  input,
  reasoner,
  scope,
}: {
  draft: string;
  input: AnswerInput;
  reasoner: Reasoner;
  scope: Scope;
}): Promise<string | null> {
  const { settings, budget } = scope;
  if (!settings.selfConsistency || input.mode === "chat" || reasoner.kind === "embedded")
    return null;
  if (!budget.has("modelCalls")) {
    scope.warn("the self-consistency check was skipped: the budget of model calls was spent");
    return null;
  }
  const second = await reasoner.answer(
    { ...input, temperature: SECOND_TEMPERATURE, stream: false },
    scope,
  );
  if (second.unanswerable || second.by === "embedded") return null;
  const { agree, difference } = await reasoner.compare(
    { question: input.standaloneQuestion, answers: [draft, second.text] },
    scope,
  );
  return agree ? null : (difference ?? "two answers from the same evidence disagree");
}

function sourcesOf(window: ContextWindow, evidence: readonly Evidence[]): SourceReference[] {
  const known = new Map(evidence.map((item) => [item.id, item]));
  return window.sources.flatMap(({ marker, evidenceId }) => {
    const item = known.get(evidenceId);
    if (item === undefined) return [];
    const { title, source } = item;
    return [{ marker, evidence_id: evidenceId, title, source, label: renderSource(source) }];
  });
}
