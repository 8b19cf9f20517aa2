/**
 * Prints a result for people: the answer, or the closest passages in its place, its sources, then
 * one line about how the run ended.
 */
import { WEB_PROVIDER_ADVICE } from "../settings/table/web.js";
import { withMarks } from "../../ui/marks.js";
import { FAILURES, statusOf } from "../../ui/words.js";
import type { CorrectiveRagResult } from "../corrective-rag.js";
import type { EventType, RecordedEvent } from "../observability/events.js";
import type { Citation } from "../state/answer.js";
import { placeOf, type EvidenceSource } from "../state/evidence.js";
import { describeMetadata } from "../state/metadata.js";
import { oneLine } from "../text/words.js";
import { tellEvent } from "./tell-event.js";
import { printable, wrapped, type Style, type Terminal } from "./terminal.js";

export type AnswerPrinter = ReturnType<typeof createAnswerPrinter>;

/** Turns the listed path of a document into one that opens. */
type PlaceFor = (path: string) => string;

export interface PrinterOptions {
  /** Print the answer's tokens as they arrive. */
  stream: boolean;
  /** Print rounds, grades and thresholds. */
  explain: boolean;
  reasoner: "model" | "embedded";
  /** A web search is configured, though perhaps not allowed. */
  hasWeb: boolean;
  placeFor: PlaceFor;
  terminal: Terminal;
}

/** What the agent does after an event. */
const ACTIVITIES: Partial<Record<EventType, string>> = {
  planned: "searching",
  web_search: "reading the web",
  tool_call: "judging what was found",
  rag_iteration: "writing",
};

export function createAnswerPrinter({
  stream,
  explain,
  reasoner,
  hasWeb,
  placeFor,
  terminal,
}: PrinterOptions) {
  const { out, err, activity, width, rows, outStyle, errStyle } = terminal;
  let draft = "";
  /** What of it is on the screen. */
  let shown = "";
  const show = (text: string): void => {
    const lines = wrapped(text, width);
    out(lines.slice(shown.length));
    shown = lines;
  };
  const endLine = (): void => {
    if (shown !== "") out("\n");
  };

  /** Wipes the draft off the screen or, where that is impossible, says that it does not hold. */
  const retract = (why: string): void => {
    const lines = rowsOf(shown, width);
    if (width !== undefined && lines < (rows ?? 0))
      out(`\r${lines > 0 ? `\u001b[${lines}A` : ""}\u001b[J`);
    else {
      endLine();
      err(errStyle.yellow(why));
    }
    [draft, shown] = ["", ""];
  };

  return {
    onEvent(event: RecordedEvent): void {
      if (event.type === "answer_delta") {
        // Between the lines of `--explain` a draft would be torn.
        if (!stream || explain) return;
        activity(undefined);
        draft = (draft + printable(event.text)).trimStart();
        // The last word may not have ended.
        return show(draft.replace(/\S*$/u, "").trimEnd());
      }
      if (event.type === "answer_retracted" && shown !== "")
        retract("The text above did not pass the check; searching again.");
      const line = tellEvent(event);
      if (line !== "" && (explain || event.type === "question_rewritten")) {
        activity(undefined);
        err(errStyle.dim(`· ${line}`));
      }
      const doing = ACTIVITIES[event.type];
      if (doing !== undefined && shown === "") activity(doing);
    },
    /** Prints the rest of the result at the end of the run. */
    finish(result: CorrectiveRagResult): void {
      activity(undefined);
      const { answer, citations, sources, passages, details, warnings } = result;
      const marked = details?.marked ?? [];
      const text = printable(answer.trim());
      if (shown !== "" && (draft.trim() !== text || marked.length > 0))
        retract("The text above did not pass the check. The answer is:");
      if (passages.length > 0) printClosestPassages({ answer, passages, placeFor, terminal });
      else {
        const [open = "", close = ""] = outStyle.yellow("\n").split("\n");
        show(withMarks(text, marked.map(printable), open, ` (uncertain)${close}`));
        out("\n");
      }
      const list = sourceList({ answer, sources, citations, style: outStyle, placeFor });
      if (list !== "") out(`\n${wrapped(list, width)}\n`);
      const status = statusOf({ outcome: result.outcome, result });
      if (status !== undefined) err(`\n${errStyle.bold(status.text)}`);
      const failed = result.outcome.causes.some((cause) => FAILURES.has(cause));
      if (failed && !explain)
        for (const warning of warnings) err(errStyle.yellow(`warning: ${printable(warning)}`));
      const steps = nextSteps(result, { reasoner, hasWeb, explain });
      if (steps.length > 0) err(errStyle.dim("\nWhat you can do:"));
      for (const step of steps) err(errStyle.dim(`  - ${step}`));
    },
    /** Tidies up the screen if there will be no result. */
    stop(): void {
      activity(undefined);
      endLine();
    },
  };
}

/** Counts the rows by which a text moved the cursor down. */
function rowsOf(text: string, width = Infinity): number {
  const rows = text.split("\n").map((line) => Math.max(1, Math.ceil(line.length / width)));
  return rows.reduce((sum, each) => sum + each) - 1;
}

function nextSteps(
  { outcome: { status, causes } }: CorrectiveRagResult,
  { reasoner, hasWeb, explain }: Pick<PrinterOptions, "reasoner" | "hasWeb" | "explain">,
): string[] {
  const checks = causes.some((cause) => FAILURES.has(cause))
    ? ["check the settings: corrective-rag doctor"]
    : [];
  // More documents do not help against a failure.
  if (status !== "abstained" && status !== "closest_passages") return checks;
  return [
    ...checks,
    status === "abstained" && "add documents: corrective-rag ingest PATH",
    causes.includes("web_unavailable") &&
      `search the web, too: ${hasWeb ? "--web on" : WEB_PROVIDER_ADVICE}`,
    reasoner === "embedded" &&
      "let a model read the evidence: set OPENAI_API_KEY or OPENAI_BASE_URL",
    !explain && "see what was searched and why it was not enough: --explain",
  ].filter((step) => step !== false && step !== undefined);
}

/** Characters of a quote that are shown. */
const LONGEST_QUOTE = 240;

/**
 * Lists sources by number, each with its place and a quote, unless the answer repeats that quote
 * word for word. Returns an empty text if there are no sources.
 */
export function sourceList({
  answer,
  sources,
  citations,
  style,
  placeFor,
}: Pick<CorrectiveRagResult, "answer" | "sources"> & {
  citations: readonly Pick<Citation, "marker" | "quote">[];
  style: Style;
  placeFor: PlaceFor;
}): string {
  const said = plain(answer);
  return sources
    .toSorted((a, b) => a.marker - b.marker)
    .flatMap(({ marker, title, source, metadata }) => {
      const place = placeFrom(source, placeFor);
      const named = source.kind === "tool" ? title : (source.heading ?? title);
      const heading = oneLine(printable(named));
      const quote = citations.find(
        (each) => each.marker === marker && !said.includes(plain(each.quote)),
      )?.quote;
      const about = printable(describeMetadata(metadata));
      return [
        `${style.bold(`[${marker}]`)} ${place}${heading === "" ? "" : ` ${style.dim(heading)}`}`,
        ...(about === "" ? [] : [`    ${style.dim(about)}`]),
        ...(quote === undefined
          ? []
          : [`    ${style.dim(`“${oneLine(printable(quote), LONGEST_QUOTE)}”`)}`]),
      ];
    })
    .join("\n");
}

/** Prints the place of a source, a document's by a path that opens. */
function placeFrom(source: EvidenceSource, placeFor: PlaceFor): string {
  const opens = source.kind === "file" ? { ...source, path: placeFor(source.path) } : source;
  return oneLine(printable(placeOf(opens)));
}

function plain(text: string): string {
  return oneLine(text.replace(/\[\d+\]|\*\*/g, " "));
}

const INDENT = "   ";

/** Prints the closest passages, whole, with their best sentences in bold. */
function printClosestPassages({
  answer,
  passages,
  placeFor,
  terminal: { out, width, outStyle: style },
}: Pick<CorrectiveRagResult, "answer" | "passages"> &
  Pick<PrinterOptions, "placeFor" | "terminal">): void {
  const room = width === undefined ? undefined : width - INDENT.length;
  // It introduces the passages.
  const [opening = ""] = answer.split("\n", 1);
  // Where nothing can be bold, quotation marks show the sentence.
  const hasBold = style.bold("x") !== "x";
  const how = hasBold ? "bold" : "between » and «";
  const introduction = `${printable(opening)} The best sentence of each is ${how}.`;
  out(`${style.yellow(wrapped(introduction, width))}\n`);
  for (const [index, { headings, source, text, best }] of passages.entries()) {
    const [start, end] = best ?? [0, 0];
    const sentence = printable(text.slice(start, end));
    const marked = hasBold ? style.bold(sentence) : `»${sentence}«`;
    const whole =
      printable(text.slice(0, start)) + (sentence && marked) + printable(text.slice(end));
    const heading = wrapped(printable(oneLine(headings.join(" › "))), room);
    const lines = [
      ...(heading === "" ? [] : [style.bold(heading)]),
      style.dim(wrapped(placeFrom(source, placeFor), room)),
      "",
      wrapped(whole.trim(), room),
    ].join("\n");
    const indented = lines.replaceAll(/\n(?=.)/gu, `\n${INDENT}`);
    out(`\n${style.bold(`${index + 1}`)}${INDENT.slice(1)}${indented}\n`);
  }
}
