/** `ask`: one question, one answer. */
import { providerNames } from "../assembly/adapters.js";
import { createInterface, type Interface } from "node:readline";
import { text } from "node:stream/consumers";
import type { CorrectiveRag, CorrectiveRagResult, Question } from "../corrective-rag.js";
import type { ContextValues } from "../settings/context.js";
import type { ProfileName, Quality } from "../settings/run-settings.js";
import { allOf, readFilter } from "../settings/filter.js";
import { renderSource } from "../state/evidence.js";
import { PermissionRequest } from "../state/permission.js";
import { UserError } from "../support/errors.js";
import { abortable } from "../support/waiting.js";
import { createAnswerPrinter, type AnswerPrinter } from "./answer-printer.js";
import { openablePath, openAgent, sayNotice } from "./open.js";
import { DONE, FAILED, interruptSignal } from "./report-error.js";
import { printable, printJson, say, terminalFor } from "./terminal.js";

export interface AnswerOptions {
  kb?: string;
  profile?: ProfileName;
  quality?: Quality;
  web?: "on" | "ask" | "off";
  explain?: boolean;
  filter?: string;
  base?: string;
  in?: string[];
  as?: string;
}
interface AskFlags extends AnswerOptions {
  json?: boolean;
  stream?: boolean;
}

export type AskLine = (text: string, signal: AbortSignal) => Promise<string>;

/** Runs the command. An abstention is an answer: only a run that failed exits with 1. */
export async function ask(words: string[], options: AskFlags): Promise<number> {
  const question = await questionOf(words);
  const signal = interruptSignal();
  const agent = await openAgent({ kb: options.kb });
  try {
    const printer = await printerFor(agent, {
      ...options,
      stream: options.stream ?? (process.stdout.isTTY && options.json !== true),
    });
    await requireDocuments(agent, options);
    const result = await takeTurn({ agent, question, options, signal, printer });
    if (options.json === true) printJson(asJson(question, result, agent));
    else printer.finish(result);
    // Notices of the run itself: an MCP server that cannot be reached, for instance.
    agent.notices.forEach(sayNotice);
    return result.outcome.status === "failed" ? FAILED : DONE;
  } finally {
    await agent.close();
  }
}

/** Asks one question and passes its events to the printer; the caller prints the result. */
export async function takeTurn({
  agent,
  question,
  options,
  signal,
  printer,
  prompt = terminalPrompt(),
}: {
  agent: CorrectiveRag;
  question: Question;
  options: AnswerOptions;
  signal: AbortSignal;
  printer: Pick<AnswerPrinter, "onEvent" | "stop">;
  /** Asks for the permissions that a run waits for. */
  prompt?: AskLine;
}): Promise<CorrectiveRagResult> {
  const context = contextOf(options);
  const run = async (given: Question, threadId?: string): Promise<CorrectiveRagResult> => {
    const events = agent.events(given, { signal, context, threadId });
    for (;;) {
      const step = await events.next();
      if (step.done === true) return step.value;
      printer.onEvent(step.value);
    }
  };
  try {
    let result = await run(question);
    while (result.interrupts.length > 0) {
      printer.stop();
      const resume = await decisionsOn(result.interrupts, prompt, signal);
      result = await run({ resume }, result.threadId);
    }
    return result;
  } catch (error) {
    printer.stop();
    throw error;
  }
}

const CHOICE = "  [y] allow  [e] reword  [a] always here  [n] deny > ";

/** Decides on each request of a run that waits; without a terminal all are denied. */
async function decisionsOn(
  interrupts: CorrectiveRagResult["interrupts"],
  prompt: AskLine | undefined,
  signal: AbortSignal,
): Promise<{ decisions: object[] }> {
  const requests = interrupts.flatMap(({ value }) => {
    const request = PermissionRequest.safeParse(value);
    return request.success ? request.data.actionRequests : [];
  });
  if (prompt === undefined) {
    say("the web search was not allowed: there is no terminal to ask at");
    return { decisions: requests.map(() => ({ type: "reject" })) };
  }
  const decisions: object[] = [];
  for (const request of requests)
    decisions.push(await decisionOn(request, (text) => prompt(text, signal)));
  return { decisions };
}

async function decisionOn(
  { name, args, description }: PermissionRequest["actionRequests"][number],
  ask: (text: string) => Promise<string>,
): Promise<object> {
  say(printable(description));
  const choice = (await ask(CHOICE)).trim().toLowerCase();
  if (choice.startsWith("y")) return { type: "approve" };
  if (choice.startsWith("a")) return { type: "approve", always_in_this_thread: true };
  if (!choice.startsWith("e")) return { type: "reject" };
  const query = await ask("  search for > ");
  return { type: "edit", editedAction: { name, args: { ...args, query } } };
}

/** Returns the terminal's prompt; undefined if standard input is not a terminal. */
function terminalPrompt(): AskLine | undefined {
  if (!process.stdin.isTTY) return undefined;
  return async (text, signal) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    // In raw mode Ctrl-C reaches the line editor instead of the process.
    lines.on("SIGINT", () => process.emit("SIGINT"));
    try {
      return await typedLine(lines, text, signal);
    } finally {
      lines.close();
    }
  };
}

/** Asks for a line on an open line editor; Ctrl-D answers with an empty one. */
export function typedLine(lines: Interface, text: string, signal: AbortSignal): Promise<string> {
  let deny = (): void => undefined;
  const typed = new Promise<string>((resolve) => {
    deny = () => resolve("");
    lines.once("close", deny);
    lines.question(text, { signal }, resolve);
  });
  return abortable(typed, signal).finally(() => lines.off("close", deny));
}

export async function printerFor(
  agent: CorrectiveRag,
  { stream = false, json = false, explain = false, ...seen }: AskFlags,
): Promise<AnswerPrinter> {
  return createAnswerPrinter({
    stream,
    explain,
    reasoner: agent.reasonerKind,
    hasWeb: providerNames(agent.settings).length > 0,
    placeFor: await placesOf(agent, seen),
    // stdout is for the JSON document alone; an answer streamed beside it goes to stderr.
    terminal: terminalFor(json ? process.stderr : process.stdout),
  });
}

/** Returns a function from a document's path to one that opens. */
export async function placesOf(
  agent: CorrectiveRag,
  { as }: Pick<AnswerOptions, "as">,
): Promise<(path: string) => string> {
  const knowledgeBase = await agent.knowledgeBase(viewFrom({ as }));
  const known = new Map((await knowledgeBase.documents()).map((each) => [each.path, each]));
  return (path) => openablePath(known.get(path) ?? { path });
}

/** Returns the run's settings; options that were not given are left to the environment. */
function contextOf({ profile, quality, web, ...seen }: AnswerOptions): ContextValues {
  const { principal, filter, knowledgeBase: knowledge_base } = viewFrom(seen);
  const narrowed = { principal, knowledge_base, ...(filter && { filter: { ...filter } }) };
  return { profile, quality, web_search: web, ...narrowed };
}

/** Reads whose documents, and which of them, a command is about. */
export function viewFrom({
  filter,
  in: places,
  as,
  base,
}: Pick<AnswerOptions, "filter" | "in" | "as" | "base">) {
  const [id = "", groups = ""] = as?.split(":") ?? [];
  return {
    knowledgeBase: base,
    principal: as === undefined ? undefined : { id, groups: groups.split(",").filter(Boolean) },
    filter: allOf([
      filter === undefined ? undefined : readFilter(filter),
      places === undefined
        ? undefined
        : {
            type: "in",
            key: "path",
            value: places.flatMap((place) => [place, `**/${place}`, `**/${place}/**`]),
          },
    ]),
  };
}

/** @throws UserError if no document is meant, or the filter names a key that none has */
async function requireDocuments(agent: CorrectiveRag, options: AnswerOptions): Promise<void> {
  const view = viewFrom(options);
  if (view.filter === undefined && view.knowledgeBase === undefined) return;
  const { passages } = await (await agent.knowledgeBase(view)).stats();
  if (passages > 0) return;
  const given = (["filter", "in", "base"] as const).filter((name) => options[name] !== undefined);
  throw new UserError(
    `no document passes ${given.map((name) => `--${name}`).join(" and ")}`,
    "see: corrective-rag documents list",
  );
}

function asJson(
  question: string,
  { answer, citations, passages, outcome, details, warnings }: CorrectiveRagResult,
  agent: CorrectiveRag,
): object {
  return {
    question,
    answer,
    // The offsets are of no use without the evidence; the printed form of the source is.
    citations: citations.map(({ start: _, end: __, source, ...citation }) => ({
      ...citation,
      source: { ...source, label: renderSource(source) },
    })),
    passages,
    outcome,
    details,
    mode: details?.reasoner ?? agent.reasonerKind,
    warnings,
  };
}

async function questionOf(words: readonly string[]): Promise<string> {
  const given =
    words.length === 1 && words[0] === "-" ? await text(process.stdin) : words.join(" ");
  const question = given.trim();
  if (question === "")
    throw new UserError("no question was given", 'corrective-rag ask "How large may a file be?"');
  return question;
}
