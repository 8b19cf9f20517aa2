/** Prints an answer for people: the answer first, then its sources, then one line that says where it was found. */
import type { CorrectiveRagResult } from "../corrective-rag.js";
import type { RecordedEvent } from "../observability/events.js";
import { activityOf, explainEvent } from "./explain.js";
import { createFlowingText } from "./flowing-text.js";
import { sourceList } from "./sources.js";
import { inWords, nextSteps, statusLine } from "./status-line.js";
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
  /** Turns a document's path into one that opens. */
  placeFor?: (path: string) => string;
  terminal: Terminal;
}

export function createAnswerPrinter({
  stream,
  explain = false,
  reasoner,
  placeFor,
  terminal: { out, err, activity, width, rows, outStyle, errStyle },
}: PrinterOptions): AnswerPrinter {
  /** What stands on the screen of the draft, as it was written. */
  let shown = "";
  let draft = "";
  let interrupted = false;
  const write = (text: string): void => {
    shown += text;
    out(text);
  };
  const flowing = createFlowingText({ width, style: outStyle, out: write });
  const tell = (line: string): void => {
    activity(undefined);
    if (draft !== "") {
      flowing.end();
      if (!shown.endsWith("\n")) out("\n");
      interrupted = true;
    }
    err(line);
  };

  /** Takes the draft off the screen, where that can be done; else says that it does not stand. */
  const retract = (why: string): void => {
    flowing.end();
    const lines = rowsOf(shown, width);
    if (!interrupted && width !== undefined && lines < (rows ?? 0))
      out(`\r${lines > 0 ? `\u001b[${lines}A` : ""}\u001b[J`);
    else if (shown !== "") {
      if (!shown.endsWith("\n")) out("\n");
      err(errStyle.yellow(why));
    }
    [shown, draft, interrupted] = ["", "", false];
  };

  return {
    onEvent(event) {
      if (event.type === "answer_delta") {
        if (!stream) return;
        activity(undefined);
        draft += event.text;
        flowing.push(printable(event.text));
        return;
      }
      if (event.type === "answer_retracted" && draft !== "")
        retract("The text above did not stand up to the check; searching on.");
      const line = explain ? explainEvent(event, errStyle) : undefined;
      if (line !== undefined) tell(errStyle.dim("· ") + line);
      const doing = activityOf(event);
      if (doing !== undefined && draft === "") activity(doing);
    },
    finish(result) {
      activity(undefined);
      const { answer, citations, sources, outcome, details, warnings } = result;
      const marked = details?.marked ?? [];
      const asShown = draft.trim() === answer.trim() && marked.length === 0;
      if (draft !== "" && !asShown)
        retract("The text above did not stand up to the check. The answer is:");
      if (draft === "") writeMarked(flowing, answer.trim(), marked, outStyle);
      flowing.end();
      if (!shown.endsWith("\n")) out("\n");
      const list = sourceList({ answer, sources, citations, style: outStyle, placeFor });
      if (list !== "") out(`\n${list}\n`);
      const status = statusLine(result);
      if (status !== undefined) err(`\n${errStyle.bold(status)}`);
      for (const step of nextSteps(result, reasoner)) err(errStyle.dim(`  - ${step}`));
      if (!explain) return;
      for (const claim of details?.withdrawn ?? [])
        err(errStyle.yellow(`withdrawn: ${printable(claim)}`));
      for (const warning of warnings) err(errStyle.yellow(`warning: ${printable(warning)}`));
      const why = inWords(outcome.causes);
      err(errStyle.dim(`· ended ${outcome.status}${why === "" ? "" : `: ${why}`}`));
    },
    stop() {
      activity(undefined);
      flowing.end();
      if (shown !== "" && !shown.endsWith("\n")) out("\n");
    },
  };
}

/** An uncertain sentence differs in color, and in words where there is none. */
function writeMarked(
  flowing: ReturnType<typeof createFlowingText>,
  answer: string,
  marked: readonly string[],
  style: Style,
): void {
  let rest = answer;
  for (;;) {
    const next = marked
      .map((sentence) => ({ sentence, at: rest.indexOf(sentence) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    if (next === undefined) break;
    flowing.push(printable(rest.slice(0, next.at)));
    flowing.paint(style.yellow);
    flowing.push(printable(`${next.sentence} (uncertain)`));
    flowing.paint((text) => text);
    rest = rest.slice(next.at + next.sentence.length);
  }
  flowing.push(printable(rest));
}

const SGR = /\u001b\[\d+m/gu;

/** How many lines of the screen a text moved the cursor down. */
function rowsOf(text: string, width = Infinity): number {
  return text
    .replace(SGR, "")
    .split("\n")
    .map((line) => Math.max(0, Math.ceil(line.length / width) - 1))
    .reduce((sum, extra) => sum + extra + 1, -1);
}
