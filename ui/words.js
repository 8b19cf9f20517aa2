/** The page's words for what the wire says in identifiers. */

// "Auto" leaves the choice to the environment and the assistant.

export const PROFILES = [
  ["", "Auto"],
  ["adaptive", "Adaptive"],
  ["signals", "Signals"],
  ["holistic", "Holistic"],
  ["adequacy", "Adequacy"],
  ["three_action", "Three actions"],
];

export const QUALITIES = [
  ["", "Auto"],
  ["quick", "Quick"],
  ["balanced", "Balanced"],
  ["thorough", "Thorough"],
];

export const WEB_MODES = [
  ["", "Auto"],
  ["on", "On"],
  ["off", "Off"],
];

/** Corrections at most: how often a run may go back and search again. */
export const CORRECTIONS = [
  ["", "Auto"],
  ["0", "None"],
  ["1", "1"],
  ["2", "2"],
  ["3", "3"],
  ["5", "5"],
  ["10", "10"],
];

const TOOLS = {
  keyword_search: "Keywords",
  vector_search: "Vectors",
  hybrid_search: "Hybrid",
  grep_search: "Text match",
  find_file: "File name",
  read_file: "Read",
  web_search: "Web",
  web_fetch: "Fetch",
};

export function toolName(tool) {
  return TOOLS[tool] ?? tool;
}

/** What a call looks for. */
export function callSubject({ args }) {
  const subject = args.query ?? args.pattern ?? args.path ?? args.name ?? args.url;
  return typeof subject === "string" ? subject : "";
}

export const VERDICTS = { CORRECT: "Correct", AMBIGUOUS: "Ambiguous", INCORRECT: "Incorrect" };

/** What follows from a verdict. */
export const ACTIONS = {
  GENERATE: "answering",
  REFINE: "refining the search",
  RE_RETRIEVE: "searching another way",
};

export const STATUSES = { success: "Answered", abstained: "No answer", failed: "Failed" };

const CAUSES = {
  max_iterations: "limit of corrections reached",
  step_limit: "limit of steps reached",
  nothing_new: "searching on brought nothing new",
  web_unavailable: "no web search is configured",
  web_error: "the web search failed",
  tool_error: "a tool failed",
  model_error: "the model failed",
  knowledge_base_error: "the knowledge base could not be used",
  budget_exhausted: "budget used up",
  insufficient_evidence: "the evidence does not carry an answer",
  unsupported_answer: "what was written could not be verified",
  policy_blocked: "withheld by the policy filter",
  invalid_input: "there was no question",
  cancelled: "stopped",
  internal_error: "an internal error",
};

export function causeText(cause) {
  return CAUSES[cause] ?? cause.replaceAll("_", " ");
}

const CLAIM_STATUSES = {
  supported: "supported",
  uncertain: "uncertain",
  unsupported: "not supported",
};

export function claimText(status) {
  return CLAIM_STATUSES[status] ?? status;
}

/** @example locationOf({ kind: "file", path: "docs/a.md", startLine: 3 }) // "docs/a.md:3" */
export function locationOf(source) {
  if (source.kind === "web") return source.url;
  if (source.startLine !== undefined) return `${source.path}:${source.startLine}`;
  if (source.page !== undefined) return `${source.path}, page ${source.page}`;
  return source.path;
}

export function duration(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function counted(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}
