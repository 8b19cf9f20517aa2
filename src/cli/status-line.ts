/** How a run ended, in one line that never contradicts the answer above it. */
import type { CorrectiveRagResult } from "../corrective-rag.js";
import type { Outcome, OutcomeCause } from "../state/verdict.js";

const CAUSES: Readonly<Record<OutcomeCause, string>> = {
  max_iterations: "the limit of corrections was reached",
  step_limit: "the limit of steps was reached",
  nothing_new: "searching on brought nothing new",
  web_unavailable: "no web search is configured or allowed",
  web_error: "the web search failed",
  tool_error: "a tool failed",
  model_error: "the model failed",
  knowledge_base_error: "the knowledge base could not be used",
  budget_exhausted: "the budget was used up",
  insufficient_evidence: "the evidence does not carry an answer",
  unsupported_answer: "what was written could not be verified",
  policy_blocked: "the policy filter withheld the answer or a part of it",
  invalid_input: "there was no question, or a setting that is not valid",
  cancelled: "it was called off",
  internal_error: "something unexpected failed",
};

/** Causes that a reader of an answer must know; the others are for `--explain`. */
const PARTIAL: ReadonlySet<OutcomeCause> = new Set([
  "web_error",
  "tool_error",
  "model_error",
  "knowledge_base_error",
  "budget_exhausted",
  "policy_blocked",
]);
/** What an abstention says by itself. */
const UNDERSTOOD: ReadonlySet<OutcomeCause> = new Set([
  "insufficient_evidence",
  "nothing_new",
  "max_iterations",
]);

/**
 * Says where the answer was found, or that it was not; nothing for small talk.
 * @example statusLine(result) // "Found in 2 documents"
 */
export function statusLine({ outcome, sources, details }: CorrectiveRagResult): string | undefined {
  const { status, causes } = outcome;
  if (status === "failed") return `No answer: ${inWords(causes) || "the run failed"}`;
  if (status === "abstained") {
    const why = inWords(causes.filter((cause) => !UNDERSTOOD.has(cause)));
    return `Not in your documents${why === "" ? "" : `: ${why}`}`;
  }
  if (details?.mode === "chat") return undefined;
  const limits = [
    ...sentences(details?.marked.length ?? 0, "uncertain (marked)"),
    ...sentences(details?.withdrawn.length ?? 0, "withdrawn, nothing supports it"),
    ...causes.filter((cause) => PARTIAL.has(cause)).map((cause) => CAUSES[cause]),
  ];
  if (limits.length > 0) return `Only partly found: ${limits.join("; ")}`;
  const places = (kind: "file" | "web" | "tool"): number =>
    new Set(
      sources.flatMap(({ source }) =>
        source.kind === kind ? [source.kind === "web" ? source.url : source.path] : [],
      ),
    ).size;
  const found = [
    counted(places("file"), "document"),
    counted(places("web"), "web page"),
    counted(places("tool"), "tool result"),
  ].filter((each) => each !== "");
  return found.length === 0 ? undefined : `Found in ${found.join(" and ")}`;
}

/** Every cause in words, for `--explain`. */
export function inWords(causes: Outcome["causes"]): string {
  return causes.map((cause) => CAUSES[cause]).join("; ");
}

function sentences(count: number, what: string): string[] {
  if (count === 0) return [];
  return [`${count === 1 ? "one sentence is" : `${count} sentences are`} ${what}`];
}

function counted(count: number, noun: string): string {
  return count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** What somebody can do who got no answer. */
export function nextSteps(
  { outcome }: Pick<CorrectiveRagResult, "outcome">,
  reasoner: "model" | "embedded",
): string[] {
  const { causes } = outcome;
  if (outcome.status === "success") return [];
  return [
    "add documents: corrective-rag ingest PATH",
    ...(causes.includes("web_unavailable")
      ? ["search the web as well: set TAVILY_API_KEY, BRAVE_API_KEY or SEARXNG_URL"]
      : []),
    ...(reasoner === "embedded"
      ? ["let a model read the evidence: set OPENAI_API_KEY or OPENAI_BASE_URL"]
      : []),
    "see the best answer there is, unverified: --best-guess",
    "see what was searched and why it was not enough: --explain",
  ];
}
