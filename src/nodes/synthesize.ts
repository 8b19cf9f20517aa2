/** Refines the kept evidence, assembles the context window, and asks for an answer. */
import { AIMessage } from "@langchain/core/messages";
import { assembleWindow, EMPTY_WINDOW, type ContextWindow } from "../answering/context-window.js";
import { readPassages, type Read } from "../answering/readable-units.js";
import { refine, wholePassages, type Strip } from "../answering/strips.js";
import type { Scope } from "../observability/scope.js";
import type { AnswerInput, Reasoner } from "../reasoning/reasoner.js";
import { sourceReference } from "../state/answer.js";
import { isFromWeb, mostRelevantFirst, type Evidence } from "../state/evidence.js";
import { listedIn } from "../tools/list-passages.js";
import { historyBefore } from "./conversation.js";
import { defineNode, type NodeFunction, type NodeInput } from "./node.js";
import type { AgentParts } from "./parts.js";

/** For the second answer of a self-consistency check. */
const SECOND_TEMPERATURE = 0.7;

export function synthesizeNode(parts: AgentParts): NodeFunction {
  return defineNode("synthesize", parts, async (input) => {
    const { state, scope, services } = input;
    const { run } = state;
    const reasoner = await services.reasoner();
    const evidence = mostRelevantFirst(state.context);
    const { window, read } =
      state.mode === "chat" ? { window: EMPTY_WINDOW } : await windowOf(input, evidence, reasoner);
    const ids = window.sources.map(({ evidenceId }) => evidenceId);
    const listed = ids.length > 0 ? listedIn(state.tool_history) : undefined;
    if (listed !== undefined) {
      const count = ids.filter((id) => listed.ids.has(id)).length;
      window.text += `\n\n${listed.coverage(count, "listed")}`;
    }
    const isEmpty = ids.length === 0;
    // The model has read all of this and found no answer in it.
    const isKnown = ids.every((id) => run.unanswered.includes(id));
    if (state.mode === "search" && (isEmpty || isKnown)) {
      return {
        answer: "",
        sources: [],
        run: { ...NOTHING_DRAFTED, abstain_reason: isEmpty ? null : run.abstain_reason },
      };
    }
    const asked: AnswerInput = {
      question: state.question ?? state.standalone_question,
      standaloneQuestion: state.standalone_question,
      mode: state.mode,
      history: historyBefore(state.question ?? "", state.messages),
      window,
      evidence,
      read,
      evidenceScore: state.evaluation?.score,
      messageId: run.message_id,
      // A draft has not passed the policy filter yet.
      stream: parts.policy === undefined,
      withdrawn: run.withdrawn,
      holdings: async () => (await services.toolbox()).holdings?.(),
    };
    const draft = await reasoner.answer(asked, scope);
    const disagreement = draft.unanswerable
      ? null
      : await disagreementOf(draft.text, asked, reasoner, scope);
    const messageId = draft.messageId ?? run.message_id;
    return {
      answer: draft.unanswerable ? "" : draft.text,
      sources: window.sources.flatMap(({ marker, evidenceId }) => {
        const item = evidence.find(({ id }) => id === evidenceId);
        return item === undefined ? [] : [sourceReference(marker, item)];
      }),
      // A client that saw the stream keeps it, under the same id, until the guard is done.
      ...(draft.streamed !== undefined && {
        messages: [new AIMessage({ id: messageId, content: draft.streamed })],
      }),
      run: {
        drafted_by: draft.by,
        draft_streamed: draft.streamed !== undefined,
        abstain_reason: draft.unanswerable ? (draft.reason ?? null) : null,
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

async function windowOf(
  { services, state, scope }: NodeInput,
  evidence: Evidence[],
  reasoner: Reasoner,
): Promise<{ window: ContextWindow; read?: Read }> {
  const { contextTokens, keyPoints, switchedOff } = scope.settings;
  const question = state.standalone_question;
  const points = keyPoints ? await keyPointStrips(question, evidence, reasoner, scope) : [];
  const condensed = new Set(points.map(({ evidenceId }) => evidenceId));
  const rest = evidence.filter(({ id }) => !condensed.has(id));
  const reader = await services.reader();
  const read = switchedOff.includes("refinement")
    ? undefined
    : await readPassages({ question, items: rest, reader, signal: scope.signal });
  const strips = read === undefined ? wholePassages(rest) : refine(rest, read.readings);
  const window = assembleWindow({
    evidence,
    strips: [...strips, ...points],
    label: state.evaluation?.label,
    budgetInTokens: contextTokens,
  });
  return { window, ...(condensed.size === 0 && { read }) };
}

/** Replaces the strips of web text by a model's key points, each tied to its source. */
async function keyPointStrips(
  question: string,
  evidence: Evidence[],
  reasoner: Reasoner,
  scope: Scope,
): Promise<Strip[]> {
  const web = evidence.filter(isFromWeb);
  const points = await reasoner.keyPoints({ question, evidence: web }, scope);
  return points.map(({ text, evidenceId }, index) => ({
    evidenceId,
    text: `• ${text}`,
    start: index,
    end: index,
    score: 1,
  }));
}

/** Writes a second answer at another temperature; returns what the two disagree on, or null. */
async function disagreementOf(
  draft: string,
  input: AnswerInput,
  reasoner: Reasoner,
  scope: Scope,
): Promise<string | null> {
  const { settings, budget } = scope;
  if (!settings.selfConsistency || input.mode === "chat" || reasoner.kind === "embedded")
    return null;
  if (!budget.has("modelCalls")) {
    scope.warn("the self-consistency check was skipped: the budget of model calls was spent");
    return null;
  }
  const again = { ...input, temperature: SECOND_TEMPERATURE, stream: false };
  const second = await reasoner.answer(again, scope);
  if (second.unanswerable || second.by === "embedded") return null;
  const { agree, difference } = await reasoner.compare(
    { question: input.standaloneQuestion, answers: [draft, second.text] },
    scope,
  );
  return agree === false ? (difference ?? "two answers from the same evidence disagree") : null;
}
