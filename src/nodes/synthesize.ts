/** Refines the kept evidence, assembles the context window, and has the answer written with citations. */
import { assembleWindow, EMPTY_WINDOW, type ContextWindow } from "../answering/context-window.js";
import { numbered } from "../answering/numbering.js";
import { refine, wholePassages, type Strip } from "../answering/strips.js";
import type { Scope } from "../observability/scope.js";
import type { AnswerInput, Holdings, Reasoner } from "../reasoning/reasoner.js";
import { questionParts } from "../reasoning/rules/question-parts.js";
import { isAboutHoldings } from "../reasoning/rules/route-by-rules.js";
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
      state.mode === "chat" ? EMPTY_WINDOW : await windowOf({ state, evidence, reasoner, scope });
    const question = state.question ?? state.standalone_question;
    const input: AnswerInput = {
      question,
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
      ...(state.mode === "chat" &&
        isAboutHoldings(question) && { holdings: await holdingsOf(services) }),
    };
    if (state.mode === "search" && window.sources.length === 0) {
      return {
        answer: "",
        sources: [],
        run: { ...nothingDrafted, abstain_reason: whyNothing(state) },
      };
    }
    const draft = await reasoner.answer(input, scope);
    const disagreement = draft.unanswerable
      ? null
      : await disagreementOf({ draft: draft.text, input, reasoner, scope });
    const { text: answer, sources } = numbered({
      text: draft.text,
      citations: [],
      sources: sourcesOf(window, evidence),
    });
    return {
      answer: draft.unanswerable ? "" : answer,
      sources,
      run: {
        drafted_by: draft.by,
        draft_streamed: draft.streamed,
        abstain_reason: draft.unanswerable
          ? (draft.reason ?? "the evidence does not answer the question")
          : null,
        disagreement,
        message_id: draft.messageId ?? run.message_id,
        window_form: window.form,
        window_text: window.text,
      },
    };
  });
}

async function holdingsOf(services: RunScope): Promise<Holdings | undefined> {
  const { holdings } = await services.toolbox();
  return holdings?.();
}

const nothingDrafted = {
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
  state,
  evidence,
  reasoner,
  scope,
}: {
  state: AgentStateType;
  evidence: Evidence[];
  reasoner: Reasoner;
  scope: Scope;
}): Promise<ContextWindow> {
  const { contextTokens, keyPoints, switchedOff } = scope.settings;
  const label = state.evaluation?.label;
  const points = keyPoints
    ? await keyPointStrips({ question: state.standalone_question, evidence, reasoner, scope })
    : [];
  const condensed = new Set(points.map(({ evidenceId }) => evidenceId));
  const rest = evidence.filter(({ id }) => !condensed.has(id));
  const strips = switchedOff.includes("refinement")
    ? wholePassages(rest)
    : await refineParts({
        question: state.standalone_question,
        evidence: rest,
        budgetInTokens: contextTokens,
      });
  return assembleWindow({
    evidence,
    strips: [...strips, ...points],
    label,
    budgetInTokens: contextTokens,
  });
}

/** Strips are kept by how they compare with the best one, so that each of two questions in one needs strips of its own. */
async function refineParts({
  question,
  evidence,
  budgetInTokens,
}: {
  question: string;
  evidence: Evidence[];
  budgetInTokens: number;
}): Promise<Strip[]> {
  const parts = questionParts(question);
  const budget = Math.floor(budgetInTokens / parts.length);
  const kept = (
    await Promise.all(
      parts.map((part) => refine({ question: part, evidence, budgetInTokens: budget })),
    )
  ).flat();
  const unique = new Map(kept.map((strip) => [`${strip.evidenceId} ${strip.start}`, strip]));
  const order = [...new Set(kept.map(({ evidenceId }) => evidenceId))];
  return [...unique.values()].sort(
    (a, b) => order.indexOf(a.evidenceId) - order.indexOf(b.evidenceId) || a.start - b.start,
  );
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
  if (
    !scope.settings.selfConsistency ||
    input.mode === "chat" ||
    reasoner.kind === "embedded" ||
    !scope.budget.has("modelCalls")
  )
    return null;
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
  return window.sources.flatMap(({ marker, evidenceId }) => {
    const item = evidence.find(({ id }) => id === evidenceId);
    return item === undefined
      ? []
      : [
          {
            marker,
            evidence_id: evidenceId,
            title: item.title,
            source: item.source,
            label: renderSource(item.source),
          },
        ];
  });
}
