/** A question and its answer: a plain record, built from the run's events by pure functions. */

/**
 * A turn before its first event. Later it may get `understood`, `outcome`, `passages`, `tookMs`, `result`,
 * `error`, and the `request` for a permission that its run waits for.
 */
export function newTurn(question) {
  return {
    question,
    status: "running",
    startedAt: Date.now(),
    rounds: [],
    answer: "",
    isDraft: true,
    quotes: [],
    withdrawn: [],
    warnings: [],
  };
}

/** Returns the turn after an event; unknown events change nothing. */
export function withEvent(turn, event) {
  switch (event.type) {
    case "question_rewritten":
      return event.standalone_question === event.question
        ? turn
        : { ...turn, understood: event.standalone_question };
    case "planned":
      return { ...turn, rounds: [...turn.rounds, newRound(event, turn.rounds.length + 1)] };
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
      const { eval_score: score, label, action, reasoning, thresholds } = event;
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
        warnings: [...turn.warnings, `A draft was discarded: ${event.reason}`],
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
        passages: event.passages,
        tookMs: event.took_ms,
      };
    default:
      return turn;
  }
}

/** Returns the turn at the end of its run, with the values of the thread's state. */
export function withValues(turn, values) {
  if (!values?.answer) return { ...turn, status: "stopped", isDraft: false };
  const { answer, citations, sources, passages, details, outcome, warnings } = values;
  const understood = details?.standalone_question ?? turn.question;
  return {
    ...turn,
    understood: understood === turn.question ? turn.understood : understood,
    status: "done",
    answer,
    isDraft: false,
    outcome,
    passages,
    withdrawn: details?.withdrawn ?? turn.withdrawn,
    warnings: [...new Set([...turn.warnings, ...warnings])],
    tookMs: details?.took_ms ?? turn.tookMs,
    result: { citations, sources, details },
  };
}

/** Returns an earlier turn with all its details, if the state is the one after it. */
export function withState(turn, state) {
  return state?.values.question === turn.question ? withValues(turn, state.values) : turn;
}

/** Returns the turns of an earlier thread; only the last one has all its details. */
export function turnsOf(values) {
  const turns = [];
  for (const message of values.messages ?? []) {
    const text = textOf(message.content);
    if (message.type === "human" || message.role === "user")
      turns.push({ ...newTurn(text), status: "stopped", isDraft: false });
    else if (turns.length > 0) turns.push(withMessage(turns.pop(), text, message));
  }
  const last = turns.pop();
  return last === undefined
    ? []
    : [...turns, values.question === last.question ? withValues(last, values) : last];
}

function withMessage(turn, answer, { response_metadata: { citations = [], outcome } = {} }) {
  const sources = [...new Map(citations.map((each) => [each.marker, each])).values()];
  return { ...turn, status: "done", answer, outcome, result: { citations, sources } };
}

function textOf(content) {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((block) => block.text ?? "").join("") : "";
}

function newRound({ calls }, number) {
  return { number, calls, removed: 0 };
}

function inLastRound(turn, change) {
  const last = turn.rounds.at(-1);
  return last === undefined
    ? turn
    : { ...turn, rounds: [...turn.rounds.slice(0, -1), change(last)] };
}

/** Adds a result to its call; results arrive in any order. */
function withResult(calls, { tool, args, status, count, took_ms: tookMs, error, cached }) {
  const key = JSON.stringify(args);
  const found = calls.findIndex(
    (call) => call.tool === tool && call.status === undefined && JSON.stringify(call.args) === key,
  );
  const index =
    found >= 0 ? found : calls.findIndex((call) => call.tool === tool && call.status === undefined);
  const result = { tool, args, status, count, tookMs, error, cached };
  return index < 0 ? [...calls, result] : calls.map((call, at) => (at === index ? result : call));
}
