/** Texts for identifiers of the wire format; the command line uses some of them, too. */

/** @example toolName("hybrid_search") // "Hybrid search" */
export function toolName(tool) {
  return tool.charAt(0).toUpperCase() + tool.slice(1).replaceAll("_", " ");
}

/** Returns what a call looks for. */
export function callSubject({ args }) {
  const subject = args.query ?? args.pattern ?? args.path ?? args.name ?? args.url;
  return typeof subject === "string" ? subject : "";
}

/** Verdicts on the evidence, not on the answer. */
export const VERDICTS = {
  CORRECT: "good evidence",
  AMBIGUOUS: "mixed evidence",
  INCORRECT: "poor evidence",
};

/** Consequences of a verdict. */
export const ACTIONS = {
  GENERATE: "answered from it",
  REFINE: "refined the search",
  RE_RETRIEVE: "searched another way",
};

const CAUSES = {
  max_iterations: "the limit of corrections was reached",
  step_limit: "the limit of steps was reached",
  nothing_new: "searching again found nothing new",
  web_unavailable: "no web search is configured or allowed",
  web_error: "the web search failed",
  tool_error: "a tool failed",
  model_error: "the model failed",
  knowledge_base_error: "the knowledge base could not be used",
  budget_exhausted: "the budget was used up",
  insufficient_evidence: "the evidence does not support an answer",
  unsupported_answer: "the answer could not be verified",
  policy_blocked: "the policy filter withheld the answer or part of it",
  invalid_input: "the question or a setting is not valid",
  cancelled: "the run was canceled",
  internal_error: "something unexpected failed",
};

export function causeText(cause) {
  return CAUSES[cause] ?? cause.replaceAll("_", " ");
}

/** Causes whose warnings say what must be fixed. */
export const FAILURES = new Set(["web_error", "tool_error", "model_error", "knowledge_base_error"]);

/** Causes that a status line names; the others are shown with the rounds. */
const NAMED_CAUSES = new Set([...FAILURES, "budget_exhausted", "policy_blocked"]);

/**
 * Returns the status line of an answer: how it ended, and what limits it.
 * @returns `{ kind, text }` with kind answered, limited or failed; undefined if nothing is to be said
 */
export function statusOf({ outcome, result, status }) {
  if (outcome === undefined || status === "running") return undefined;
  const { causes } = outcome;
  const { details, sources = [] } = result ?? {};
  const { label, marked = [], withdrawn = [] } = details ?? {};
  const limits = [
    ...sentences(marked, ["is", "are"], "uncertain (marked)"),
    ...sentences(withdrawn, ["was", "were"], "removed: no source supports this"),
    ...causes.filter((cause) => NAMED_CAUSES.has(cause)).map(causeText),
  ];
  const line = (kind, ...parts) => {
    const text = parts.join("; ");
    return { kind, text: text.charAt(0).toUpperCase() + text.slice(1) };
  };
  switch (outcome.status) {
    case "failed":
      return line("failed", `No answer: ${causes.map(causeText).join("; ") || "the run failed"}`);
    // These say in their first line what they are.
    case "closest_passages":
    case "abstained":
      return limits.length === 0 ? undefined : line("limited", ...limits);
    default: {
      if (details?.mode === "chat") return undefined;
      const from = placesOf(sources);
      if (label === "ambiguous" || label === "incorrect")
        limits.unshift(VERDICTS[label.toUpperCase()]);
      if (from === "" && limits.length === 0) return undefined;
      const kind = limits.length === 0 ? "answered" : "limited";
      return line(kind, from === "" ? "Answered" : `Answered from ${from}`, ...limits);
    }
  }
}

function placesOf(sources) {
  const places = (kind) =>
    new Set(
      sources.filter(({ source }) => source.kind === kind).map(({ source }) => placeKey(source)),
    ).size;
  return [
    [places("file"), "document"],
    [places("web"), "web page"],
    [places("tool"), "tool result"],
  ]
    .filter(([count]) => count > 0)
    .map(([n, noun]) => counted(n, noun))
    .join(" and ");
}

function sentences({ length: count }, [one, several], what) {
  if (count === 0) return [];
  return [`${count === 1 ? `one sentence ${one}` : `${count} sentences ${several}`} ${what}`];
}

function placeKey(source) {
  return source.kind === "web" ? source.url : source.path;
}

export const CLAIM_STATUSES = { uncertain: "uncertain", unsupported: "not supported" };

export const DOCUMENT_STATES = {
  changed: "changed since",
  missing: "file is gone",
  remote: "web page",
};

/** @example locationOf({ kind: "file", path: "docs/a.md", start_line: 3 }) // "docs/a.md:3" */
export function locationOf(source) {
  if (source.kind === "web") return source.url;
  if (source.start_line !== undefined) return `${source.path}:${source.start_line}`;
  if (source.page !== undefined) return `${source.path}, page ${source.page}`;
  return source.path;
}

export function duration(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function counted(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}
