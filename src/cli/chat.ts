/** `chat`: a conversation. Ctrl-C stops the current answer; pressed again it ends the chat. */
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { CorrectiveRag, CorrectiveRagResult } from "../corrective-rag.js";
import { reasonOf, UserError } from "../support/errors.js";
import { sourcesBelow } from "../state/answer.js";
import { counted } from "../text/words.js";
import { sourceList } from "./answer-printer.js";
import {
  placesOf,
  printerFor,
  takeTurn,
  typedLine,
  type AnswerOptions,
  type AskLine,
} from "./ask.js";
import { openAgent, sayNotice } from "./open.js";
import { DONE, INTERRUPTED, InterruptedError, reportError } from "./report-error.js";
import { say, styleFor } from "./terminal.js";

/** Earlier messages, questions and answers together, that are sent with a question. */
const CARRIED = 20;

interface Turn {
  question: string;
  result: CorrectiveRagResult;
}

interface Conversation {
  agent: CorrectiveRag;
  options: AnswerOptions;
  turns: Turn[];
}

type Command = (conversation: Conversation, argument: string) => Promise<void> | void;

const COMMANDS: Readonly<Record<string, { usage?: string; does: string; run: Command }>> = {
  "/help": { does: "show this list", run: showHelp },
  "/sources": { does: "show the passages behind the last answer", run: showSources },
  "/save": { usage: " FILE", does: "write the conversation as Markdown", run: save },
  "/new": { does: "start a new conversation", run: startAnew },
  "/exit": { does: "leave the chat", run: () => undefined },
};

export async function chat(options: AnswerOptions): Promise<number> {
  const agent = await openAgent({ kb: options.kb });
  const conversation: Conversation = { agent, options: { ...options }, turns: [] };
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const lines = createInterface({
    input: process.stdin,
    output: isTerminal ? process.stdout : undefined,
    prompt: "› ",
    terminal: isTerminal,
  });
  let running: AbortController | undefined;
  let interrupted = false;
  let closed = false;
  lines.once("close", () => (closed = true));
  const interrupt = (): void => {
    if (running !== undefined && !running.signal.aborted)
      return running.abort(new InterruptedError());
    // What has been told to stop already is not waited for.
    if (running !== undefined || interrupted) process.exit(INTERRUPTED);
    interrupted = true;
    lines.close();
  };
  // In raw mode Ctrl-C reaches the line editor, elsewhere it arrives as a signal.
  lines.on("SIGINT", interrupt);
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", () => process.exit(INTERRUPTED));

  const prompt: AskLine | undefined = isTerminal
    ? (question, signal) => typedLine(lines, question, signal)
    : undefined;
  if (isTerminal) say("Ask away. /help lists the commands; Ctrl-C stops an answer.");
  try {
    lines.prompt();
    for await (const line of lines) {
      const text = line.trim();
      const [name = "", ...rest] = text.split(" ");
      if (name === "/exit" || name === "/quit") break;
      if (name.startsWith("/")) await command(conversation, name, rest.join(" "));
      else if (text !== "") {
        running = new AbortController();
        await answer(conversation, text, running.signal, prompt);
        running = undefined;
      }
      // The input may have ended while the answer was written.
      if (!closed) lines.prompt();
    }
    // Put the shell's prompt on a new line.
    if (isTerminal) process.stdout.write("\n");
    if (interrupted) throw new InterruptedError();
    return DONE;
  } finally {
    lines.close();
    await agent.close();
    process.off("SIGINT", interrupt);
  }
}

async function answer(
  { agent, options, turns }: Conversation,
  question: string,
  signal: AbortSignal,
  prompt: AskLine | undefined,
): Promise<void> {
  const before = turns.flatMap((turn) => [
    { role: "user" as const, content: turn.question },
    { role: "assistant" as const, content: turn.result.answer },
  ]);
  try {
    const printer = await printerFor(agent, { ...options, stream: prompt !== undefined });
    const result = await takeTurn({
      agent,
      question: { messages: [...before.slice(-CARRIED), { role: "user", content: question }] },
      options,
      signal,
      printer,
      prompt,
    });
    printer.finish(result);
    agent.notices.forEach(sayNotice);
    turns.push({ question, result });
  } catch (error) {
    // A failed turn does not end the conversation.
    if (signal.aborted) say("stopped; Ctrl-C again ends the chat");
    else reportError(error);
  }
}

async function command(conversation: Conversation, name: string, argument: string): Promise<void> {
  const known = COMMANDS[name];
  if (known === undefined) return say(`there is no command ${name}; /help lists them all`);
  try {
    await known.run(conversation, argument);
  } catch (error) {
    reportError(error);
  }
}

function startAnew({ turns }: Conversation): void {
  turns.splice(0);
  say("a new conversation");
}

function showHelp(): void {
  for (const [name, { usage = "", does }] of Object.entries(COMMANDS))
    say(`${(name + usage).padEnd(20)}  ${does}`);
}

async function showSources({ agent, options, turns }: Conversation): Promise<void> {
  const { sources = [], citations = [] } = turns.at(-1)?.result ?? {};
  if (sources.length === 0)
    return say(turns.length > 0 ? "the last answer cites nothing" : "there is no answer yet");
  const placeFor = await placesOf(agent, options);
  say(sourceList({ answer: "", sources, citations, style: styleFor(process.stderr), placeFor }));
}

async function save({ turns }: Conversation, file: string): Promise<void> {
  if (file === "") return say("name a file: /save talk.md");
  const text = turns.map(
    ({ question, result }) => `## ${question}\n\n${result.answer}${sourcesBelow(result.sources)}\n`,
  );
  await writeFile(file, text.join("\n")).catch((error: unknown) => {
    throw new UserError(
      `cannot write ${file}: ${reasonOf(error)}`,
      "name a file in a folder that exists",
    );
  });
  say(`saved ${counted(turns.length, "question")} to ${file}`);
}
