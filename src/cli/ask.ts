import { UserError } from "../support/errors.js";
import { createAnswerPrinter } from "./answer-printer.js";
import { contextOf, takeTurn } from "./conversation-turn.js";
import { interruptSignal } from "./interrupt.js";
import { openAgent } from "./open-agent.js";
import type { AskOptions } from "./options.js";
import { DONE, FAILED } from "./report-error.js";
import { citationJson } from "./sources.js";
import { printJson, say, styleFor } from "./terminal.js";

/** `ask`: one question, one answer. An abstention is an answer: only a run that failed exits with 1. */
export async function ask(words: string[], options: AskOptions): Promise<number> {
  const question = await questionOf(words);
  const signal = interruptSignal();
  const agent = await openAgent({ kb: options.kb });
  try {
    const style = styleFor(process.stderr);
    const toStdout = (text: string): void => {
      process.stdout.write(text);
    };
    const printer = createAnswerPrinter({
      stream: options.stream ?? (process.stdout.isTTY && options.json !== true),
      // The JSON document is all that may stand on stdout; a stream that was asked for beside it goes to stderr.
      out: options.json ? (text) => void process.stderr.write(text) : toStdout,
      err: say,
      width: process.stdout.isTTY ? process.stdout.columns : undefined,
      outStyle: styleFor(process.stdout),
      errStyle: style,
    });
    const result = await takeTurn({
      graph: agent.graph,
      input: { question },
      context: contextOf(options),
      signal,
      onEvent: printer.onEvent,
    });
    if (options.json) {
      const { answer, citations, outcome, details } = result;
      const mode = details?.reasoner ?? agent.reasonerKind;
      printJson({
        question,
        answer,
        citations: citations.map(citationJson),
        outcome,
        details,
        mode,
        warnings: result.warnings,
      });
    } else printer.finish(result);
    return result.outcome.status === "failed" ? FAILED : DONE;
  } finally {
    await agent.close();
  }
}

async function questionOf(words: readonly string[]): Promise<string> {
  const given = words.length === 1 && words[0] === "-" ? await standardInput() : words.join(" ");
  const question = given.trim();
  if (question === "")
    throw new UserError(
      "no question was given",
      'corrective-rag ask "When does the agent search again?"',
    );
  return question;
}

async function standardInput(): Promise<string> {
  let text = "";
  for await (const part of process.stdin.setEncoding("utf8")) text += String(part);
  return text;
}
