/** Prints an answer for people as it comes: progress on stderr, the answer on stdout, the sources under it. */
import type { RecordedEvent } from "../observability/events.js";
import type { TurnResult } from "./conversation-turn.js";
import { createFlowingText } from "./flowing-text.js";
import { outcomeLine } from "./outcome-words.js";
import { progressLine } from "./progress.js";
import { sourceList } from "./sources.js";
import { printable, type Style } from "./terminal.js";

export interface AnswerPrinter {
  readonly onEvent: (event: RecordedEvent) => void;
  /** Prints what is still to be printed when the run has ended. */
  readonly finish: (result: TurnResult) => void;
}

export interface PrinterOptions {
  /** Print the answer's tokens as they come. A draft that the guard changes is followed by the answer that stands. */
  stream: boolean;
  /** Columns of the terminal that the answer is printed on; undefined where it goes elsewhere. */
  width?: number;
  out: (text: string) => void;
  err: (line: string) => void;
  outStyle: Style;
  errStyle: Style;
}

export function createAnswerPrinter({
  stream,
  width,
  out,
  err,
  outStyle,
  errStyle,
}: PrinterOptions): AnswerPrinter {
  let draft = "";
  const flowing = createFlowingText({ width, style: outStyle, out });
  const endDraft = (): void => {
    flowing.end();
    if (draft !== "" && !draft.endsWith("\n")) out("\n");
    draft = "";
  };
  return {
    onEvent(event) {
      if (event.type === "answer_delta") {
        if (!stream) return;
        draft += event.text;
        flowing.push(printable(event.text));
        return;
      }
      const line = progressLine(event, errStyle);
      if (line === undefined) return;
      const drafted = draft;
      endDraft();
      err(errStyle.dim("· ") + line);
      // A warning in the middle of a draft does not make it forget what it has shown.
      if (event.type !== "answer_retracted") draft = drafted;
    },
    finish({ answer, sources, outcome, details }) {
      const shown = draft.trim();
      endDraft();
      if (shown !== answer.trim()) {
        if (shown !== "")
          err(errStyle.yellow("The draft above did not stand up to the check. The answer is:"));
        flowing.push(`${printable(answer.trim())}\n`);
      }
      const list = sourceList(sources, outStyle);
      if (list !== "") out(`\n${list}\n`);
      const withdrawn = details?.withdrawn ?? [];
      for (const claim of withdrawn)
        err(errStyle.yellow(`withdrawn, nothing supports it: ${printable(claim)}`));
      for (const claim of details?.marked ?? [])
        err(errStyle.yellow(`uncertain, the sources support it only in part: ${printable(claim)}`));
      const ending = outcomeLine(outcome);
      if (ending !== undefined) err(errStyle.dim(`· ${ending}`));
    },
  };
}
