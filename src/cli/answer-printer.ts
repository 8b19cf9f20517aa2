/** Prints an answer for people: the answer, its sources, then one line that says how it ended. */
import { stripVTControlCharacters } from "node:util";
import { causeText, statusOf } from "../../ui/words.js";
import type { CorrectiveRagResult } from "../corrective-rag.js";
import type { EventType, RecordedEvent } from "../observability/events.js";
import { createFlowingText, type FlowingText } from "./flowing-text.js";
import { sourceList, withOpenablePlaces } from "./sources.js";
import { tellEvent } from "./tell-event.js";
import { printable, type Style, type Terminal } from "./terminal.js";

export interface AnswerPrinter {
  readonly onEvent: (event: RecordedEvent) => void;
  /** Prints what is still to be printed when the run has ended. */
  readonly finish: (result: CorrectiveRagResult) => void;
  /** Leaves the screen in order when there will be no result. */
  readonly stop: () => void;
}

export interface PrinterOptions {
  /** Print the answer's tokens as they come. */
  stream: boolean;
  /** Print the course of the run: rounds, grades, thresholds. */
  explain?: boolean;
  reasoner: "model" | "embedded";
  /** A web search is configured; it may not have been allowed. */
  hasWeb?: boolean;
  /** A best guess can be asked for, and was not. */
  offersGuess?: boolean;
  /** Turns a document's path into one that opens. */
  placeFor?: (path: string) => string;
  terminal: Terminal;
}

/** What `--explain` tells as it happens; what became of each sentence is said at the end. */
const EXPLAINED: ReadonlySet<EventType> = new Set([
  "question_rewritten",
  "routed",
  "planned",
  "tool_call",
  "web_search",
  "fast_path_hit",
  "rag_iteration",
  "budget_exhausted",
  "answer_retracted",
]);

export function createAnswerPrinter({
  stream,
  explain = false,
  reasoner,
  hasWeb = false,
  offersGuess = false,
  placeFor,
  terminal: { out, err, activity, width, rows, outStyle, errStyle },
}: PrinterOptions): AnswerPrinter {
  /** What stands on the screen of the draft, as it was written. */
  let shown = "";
  let draft = "";
  let interrupted = false;
  let lastGrade = "";
  const readable = (text: string): string => printable(withOpenablePlaces(text, placeFor));
  const flowing = createFlowingText({
    width,
    style: outStyle,
    out: (text) => {
      shown += text;
      out(text);
    },
  });
  const endLine = (): void => {
    flowing.end();
    if (!shown.endsWith("\n")) out("\n");
  };

  /** Takes the draft off the screen, where that can be done; else says that it does not stand. */
  const retract = (why: string): void => {
    flowing.end();
    const lines = rowsOf(shown, width);
    if (!interrupted && width !== undefined && lines < (rows ?? 0))
      out(`\r${lines > 0 ? `\u001b[${lines}A` : ""}\u001b[J`);
    else if (shown !== "") {
      endLine();
      err(errStyle.yellow(why));
    }
    [shown, draft, interrupted] = ["", "", false];
  };

  const explainEvent = (event: RecordedEvent): void => {
    const [line] = EXPLAINED.has(event.type) ? tellEvent(event) : [];
    if (line === undefined) return;
    // A round that brought nothing new is graded as the one before it.
    const isAgain = event.type === "rag_iteration" && lastGrade === gradeOf(event);
    if (event.type === "rag_iteration") lastGrade = gradeOf(event);
    activity(undefined);
    if (draft !== "") {
      endLine();
      interrupted = true;
    }
    err(errStyle.dim(`· ${isAgain ? "nothing better was found: the grade stays" : line}`));
  };

  return {
    onEvent(event) {
      if (event.type === "answer_delta") {
        if (!stream) return;
        activity(undefined);
        draft += event.text;
        flowing.push(readable(event.text));
        return;
      }
      if (event.type === "answer_retracted" && draft !== "")
        retract("The text above did not stand up to the check; searching on.");
      if (explain) explainEvent(event);
      const doing = activityOf(event);
      if (doing !== undefined && draft === "") activity(doing);
    },
    finish(result) {
      activity(undefined);
      const { answer, citations, sources, details, warnings } = result;
      const marked = details?.marked ?? [];
      const asShown = draft.trim() === answer.trim() && marked.length === 0;
      if (draft !== "" && !asShown)
        retract("The text above did not stand up to the check. The answer is:");
      if (draft === "") writeMarked(flowing, readable(answer.trim()), marked, outStyle);
      endLine();
      const list = sourceList({ answer, sources, citations, style: outStyle, placeFor });
      if (list !== "") out(`\n${list}\n`);
      const status = statusOf({ outcome: result.outcome, result });
      if (status !== undefined) err(`\n${errStyle.bold(status.text)}`);
      const failed = result.outcome.causes.some((cause) => FAILURES.has(cause));
      if (explain || failed)
        for (const warning of warnings) err(errStyle.yellow(`warning: ${printable(warning)}`));
      for (const step of nextSteps(result, { reasoner, hasWeb, offersGuess, explain }))
        err(errStyle.dim(`  - ${step}`));
      if (!explain) return;
      for (const claim of details?.withdrawn ?? [])
        err(errStyle.yellow(`withdrawn: ${printable(claim)}`));
      const ended = endOf(result);
      if (ended !== undefined) err(errStyle.dim(`· ${ended}`));
    },
    stop() {
      activity(undefined);
      flowing.end();
      if (shown !== "" && !shown.endsWith("\n")) out("\n");
    },
  };
}

function gradeOf({ label, evalScore }: { label: string; evalScore: number }): string {
  return `${label} ${evalScore.toFixed(2)}`;
}

/** What is being done, in a word or two; nothing where an event changes nothing about it. */
function activityOf(event: RecordedEvent): string | undefined {
  if (event.type === "planned" && event.calls.length > 0)
    return event.iteration === 0 ? "searching" : "searching again";
  if (event.type === "web_search") return "reading the web";
  if (event.type === "tool_call") return "judging what was found";
  if (event.type === "rag_iteration")
    return event.action === "GENERATE" ? "writing" : "searching again";
  return undefined;
}

/** An uncertain sentence differs in color, and in words where there is none. */
function writeMarked(
  flowing: FlowingText,
  answer: string,
  marked: readonly string[],
  style: Style,
): void {
  let rest = answer;
  const places = marked
    .map((sentence) => ({ sentence: printable(sentence), at: answer.indexOf(printable(sentence)) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => b.at - a.at);
  for (let next = places.pop(); next !== undefined; next = places.pop()) {
    const at = rest.indexOf(next.sentence);
    if (at < 0) continue;
    flowing.push(rest.slice(0, at));
    flowing.paint(style.yellow);
    flowing.push(`${next.sentence} (uncertain)`);
    flowing.paint((text) => text);
    rest = rest.slice(at + next.sentence.length);
  }
  flowing.push(rest);
}

/** How many lines of the screen a text moved the cursor down. */
function rowsOf(text: string, width = Infinity): number {
  return stripVTControlCharacters(text)
    .split("\n")
    .map((line) => Math.max(0, Math.ceil(line.length / width) - 1))
    .reduce((sum, extra) => sum + extra + 1, -1);
}

/** For `--explain`: why it ended so, in words that fit both the grade and the answer. */
function endOf({ outcome, details }: CorrectiveRagResult): string | undefined {
  const why = outcome.causes.map(causeText).join("; ");
  if (outcome.status === "abstained" && details?.evaluation?.label === "CORRECT")
    return `no answer: the passages are about the question, but ${why || causeText("insufficient_evidence")}`;
  return why === ""
    ? undefined
    : `${outcome.status === "success" ? "answered" : "no answer"}: ${why}`;
}

/** Causes whose warnings name what is to be mended. */
const FAILURES = new Set<string>([
  "model_error",
  "web_error",
  "tool_error",
  "knowledge_base_error",
]);

/** What somebody can do who got no answer, or whose settings failed. */
function nextSteps(
  { outcome: { status, causes } }: CorrectiveRagResult,
  {
    reasoner,
    hasWeb,
    offersGuess,
    explain,
  }: Required<Pick<PrinterOptions, "reasoner" | "hasWeb" | "offersGuess" | "explain">>,
): string[] {
  const mend = causes.some((cause) => FAILURES.has(cause))
    ? ["check the settings: corrective-rag doctor"]
    : [];
  // What failed has said why; more documents would not help.
  if (status !== "abstained") return mend;
  return [
    ...mend,
    "add documents: corrective-rag ingest PATH",
    causes.includes("web_unavailable") &&
      `search the web as well: ${hasWeb ? "--web on" : "set TAVILY_API_KEY, BRAVE_API_KEY or SEARXNG_URL"}`,
    reasoner === "embedded" &&
      "let a model read the evidence: set OPENAI_API_KEY or OPENAI_BASE_URL",
    offersGuess && "see the best answer there is, unverified: --best-guess",
    !explain && "see what was searched and why it was not enough: --explain",
  ].filter((step) => step !== false);
}
