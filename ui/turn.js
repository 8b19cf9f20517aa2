/** One question and what became of it: a plain record, made from the run's events by pure functions. */

export function newTurn(question) {
  return {
    question,
    status: "running",
    understood: undefined,
    chat: false,
    rounds: [],
    answer: "",
    isDraft: true,
    quotes: [],
    withdrawn: [],
    warnings: [],
    outcome: undefined,
    tookMs: undefined,
    result: undefined,
    error: undefined,
  };
}

/** The turn after one more event. Unknown events change nothing. */
export function withEvent(turn, event) {
  switch (event.type) {
    case "question_rewritten":
      return event.standalone_question === event.question
        ? turn
        : { ...turn, understood: event.standalone_question };
    case "routed":
      return { ...turn, chat: event.mode === "chat" };
    case "planned":
      return {
        ...turn,
        rounds: [
          ...turn.rounds,
          {
            number: turn.rounds.length + 1,
            calls: event.calls,
            removed: 0,
            rule: undefined,
            verdict: undefined,
          },
        ],
      };
    case "tool_call":
      return inLastRound(turn, (round) => ({ ...round, calls: withResult(round.calls, event) }));
    case "web_search":
      return inLastRound(turn, (round) => ({
        ...round,
        provider: event.provider ?? round.provider,
      }));
    case "fast_path_hit":
      return inLastRound(turn, (round) => ({ ...round, rule: event.rule_name }));
    case "evidence_removed":
      return inLastRound(turn, (round) => ({ ...round, removed: round.removed + 1 }));
    case "rag_iteration": {
      const { evalScore: score, label, action, reasoning, thresholds } = event;
      return inLastRound(turn, (round) => ({
        ...round,
        verdict: { score, label, action, reasoning, thresholds },
      }));
    }
    case "answer_delta":
      return { ...turn, answer: turn.answer + event.text, isDraft: true };
    case "citation":
      return { ...turn, quotes: [...turn.quotes, event] };
    case "answer_retracted":
      return {
        ...turn,
        answer: "",
        quotes: [],
        warnings: [...turn.warnings, `A draft was thrown away: ${event.reason}`],
      };
    case "answer_revised":
      return { ...turn, withdrawn: event.withdrawn };
    case "budget_exhausted":
      return {
        ...turn,
        warnings: [
          ...turn.warnings,
          `The budget is used up (${event.resource}); skipped: ${event.skipped}.`,
        ],
      };
    case "warning":
      return { ...turn, warnings: [...turn.warnings, event.message] };
    case "graph_outcome":
      return {
        ...turn,
        answer: event.answer,
        isDraft: false,
        outcome: { status: event.status, causes: event.causes },
        tookMs: event.tookMs,
      };
    default:
      return turn;
  }
}

/** The turn once the run has ended: what the state says counts. */
export function withValues(turn, values) {
  if (typeof values?.answer !== "string") return { ...turn, status: "done" };
  const { answer, citations, sources, details, outcome, warnings, context } = values;
  return {
    ...turn,
    status: "done",
    answer,
    isDraft: false,
    outcome,
    withdrawn: details?.withdrawn ?? turn.withdrawn,
    warnings: [...new Set([...turn.warnings, ...warnings])],
    tookMs: details?.took_ms ?? turn.tookMs,
    result: {
      citations,
      sources,
      details,
      passages: Object.fromEntries(context.map(({ id, text }) => [id, text])),
    },
  };
}

export function stopped(turn) {
  return { ...turn, status: "stopped", isDraft: false };
}

export function failed(turn, message) {
  return { ...turn, status: "failed", isDraft: false, error: message };
}

/** The turns of a thread that was begun earlier: its messages, and for the last one everything that is known. */
export function turnsOf(values) {
  const turns = [];
  for (const message of values.messages ?? []) {
    const text = textOf(message.content);
    if (message.type === "human" || message.role === "user")
      turns.push({ ...newTurn(text), status: "done", isDraft: false });
    else if (turns.length > 0) turns.push({ ...turns.pop(), answer: text });
  }
  const last = turns.pop();
  return last === undefined
    ? []
    : [...turns, values.question === last.question ? withValues(last, values) : last];
}

function textOf(content) {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((block) => block.text ?? "").join("") : "";
}

function inLastRound(turn, change) {
  const last = turn.rounds.at(-1);
  return last === undefined
    ? turn
    : { ...turn, rounds: [...turn.rounds.slice(0, -1), change(last)] };
}

/** Results arrive in any order, so each goes to the call that it belongs to. */
function withResult(calls, { tool, args, status, count, tookMs, error, cached }) {
  const key = JSON.stringify(args);
  const found = calls.findIndex(
    (call) => call.tool === tool && call.status === undefined && JSON.stringify(call.args) === key,
  );
  const index =
    found >= 0 ? found : calls.findIndex((call) => call.tool === tool && call.status === undefined);
  const result = { tool, args, status, count, tookMs, error, cached };
  return index < 0 ? [...calls, result] : calls.map((call, at) => (at === index ? result : call));
}
