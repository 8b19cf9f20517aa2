import type { ContextWindow } from "../../src/answering/context-window.js";
import type { AnswerInput, GradeInput, Reasoner } from "../../src/reasoning/reasoner.js";
import type { ModelSource, ReasonerModels } from "../../src/model/chat-model.js";
import type { Evidence } from "../../src/state/evidence.js";
import { fenced } from "../../src/answering/fence.js";

export function passage(id: string, text: string, title = `Title ${id}`): Evidence {
  return {
    id,
    text,
    title,
    source: { kind: "file", path: `${id}.md`, start_line: 1 },
    tool: "keyword_search",
    round: 0,
    scores: [],
    status: "ungraded",
  };
}

export const FRANCE = [
  passage("a", "Paris is the capital of France. It lies on the Seine."),
  passage("b", "Lyon is a city in France."),
  passage("c", "Berlin is the capital of Germany."),
];

export function windowOf(evidence: readonly Evidence[]): ContextWindow {
  return {
    text: evidence.map((item, index) => fenced(index + 1, item.text)).join("\n\n"),
    sources: evidence.map((item, index) => ({
      marker: index + 1,
      evidenceId: item.id,
      strips: [
        { evidenceId: item.id, text: item.text, start: 0, end: item.text.length, score: 0.9 },
      ],
    })),
    form: evidence.length === 0 ? "empty" : "relevant",
    tokens: 100,
  };
}

export function gradeInput(input: Partial<GradeInput> = {}): GradeInput {
  return {
    question: "What is the capital of France?",
    ungraded: FRANCE,
    evidence: FRANCE,
    judge: "batch",
    tools: [],
    ...input,
  };
}

export function answerInput(input: Partial<AnswerInput> = {}): AnswerInput {
  return {
    question: "What is the capital of France?",
    standaloneQuestion: "What is the capital of France?",
    mode: "search",
    history: [],
    window: windowOf(FRANCE),
    evidence: FRANCE,
    evidenceScore: 0.9,
    messageId: "message",
    stream: true,
    ...input,
  };
}

/** Stands in for the embedded reasoner, and says so. */
export const STAND_IN: Reasoner = {
  kind: "embedded",
  rewrite: async ({ question }) => ({ standaloneQuestion: question, by: "rule" }),
  route: async ({ question, available }) =>
    /^(thanks|hello)/i.test(question)
      ? { mode: "chat", timeSensitive: false, reason: "small talk" }
      : { mode: "search", strategy: available[0], timeSensitive: false, reason: "rule" },
  plan: async ({ standaloneQuestion }) => [
    { tool: "keyword_search", args: { query: standaloneQuestion } },
  ],
  grade: async ({ ungraded }) => ({
    judge: "embedded",
    scores: Object.fromEntries(ungraded.map(({ id }) => [id, 0.4])),
    set: { score: 0.4 },
  }),
  webQuery: async ({ question }) => `rule: ${question}`,
  hypothesize: async () => [],
  keyPoints: async () => [],
  answer: async (input, scope) => {
    const text = "Paris is the capital of France [1].";
    if (input.stream) scope.emit({ type: "answer_delta", id: input.messageId, text });
    return { text, unanswerable: false, by: "embedded", ...(input.stream && { streamed: text }) };
  },
  compare: async () => ({}),
};

/** Models that a caller brought. */
export function fixedModels(models: ReasonerModels): ModelSource {
  return { get: async () => models, withRoom: async () => undefined };
}
