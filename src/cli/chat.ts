import { createInterface } from "node:readline";
import type { BaseMessageLike } from "@langchain/core/messages";
import { createAnswerPrinter } from "./answer-printer.js";
import { contextOf, takeTurn } from "./conversation-turn.js";
import { InterruptedError, interruptSignal } from "./interrupt.js";
import { openAgent } from "./open-agent.js";
import type { ChatOptions } from "./options.js";
import { DONE, reportError } from "./report-error.js";
import { say, styleFor } from "./terminal.js";

/** Messages that are carried into the next turn, questions and answers together: memory and prompts stay bounded however long the talk. */
const HISTORY = 20;

/** `chat`: a conversation. Questions come from the terminal, or line by line from a pipe; `/exit` or the end of the input ends it. */
export async function chat(options: ChatOptions): Promise<number> {
  const signal = interruptSignal();
  const agent = await openAgent({ kb: options.kb });
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const lines = createInterface({
    input: process.stdin,
    output: isTerminal ? process.stdout : undefined,
    prompt: "› ",
    terminal: isTerminal,
  });
  signal.addEventListener("abort", () => lines.close());
  lines.on("SIGINT", () => lines.close());
  if (isTerminal) say("Ask away. /exit ends the conversation, /new begins another.");
  let messages: BaseMessageLike[] = [];
  try {
    lines.prompt();
    for await (const line of lines) {
      const question = line.trim();
      if (question === "/exit" || question === "/quit") break;
      if (question === "/new") messages = [];
      else if (question !== "") messages = await answerNext(messages, question);
      if (!signal.aborted) lines.prompt();
    }
    // The shell's own prompt begins on a line of its own.
    if (isTerminal) process.stdout.write("\n");
    if (signal.aborted) throw new InterruptedError();
    return DONE;
  } finally {
    lines.close();
    await agent.close();
  }

  async function answerNext(
    before: BaseMessageLike[],
    question: string,
  ): Promise<BaseMessageLike[]> {
    const asked: BaseMessageLike[] = [...before, { role: "user", content: question }];
    const printer = createAnswerPrinter({
      stream: isTerminal,
      out: (text) => void process.stdout.write(text),
      err: say,
      width: isTerminal ? process.stdout.columns : undefined,
      outStyle: styleFor(process.stdout),
      errStyle: styleFor(process.stderr),
    });
    try {
      const result = await takeTurn({
        graph: agent.graph,
        input: { messages: asked },
        context: contextOf(options),
        signal,
        onEvent: printer.onEvent,
      });
      printer.finish(result);
      return [...asked, { role: "assistant", content: result.answer }].slice(-HISTORY);
    } catch (error) {
      if (signal.aborted) throw error;
      // One failed turn does not end the conversation.
      reportError(error);
      return before;
    }
  }
}
