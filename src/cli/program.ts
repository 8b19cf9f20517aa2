/**
 * The commands, their arguments and their help. Each command's code is imported when it is called, so that none pays for another.
 */
import { Command, InvalidArgumentError, Option } from "commander";
import { PROFILE_NAMES, QUALITIES } from "../settings/run-settings.js";
import type {
  AskOptions,
  AuditOptions,
  ChatOptions,
  DevOptions,
  IngestOptions,
} from "./options.js";

/** A command's work; gives the exit code. */
type Action = () => Promise<number>;

/**
 * @param version shown by `--version`
 * @param wanted the command that was asked for
 * @param finished told the exit code of the command that ran
 */
export async function createProgram({
  version,
  wanted,
  finished,
}: {
  version: string;
  wanted: string | undefined;
  finished: (exitCode: number) => void;
}): Promise<Command> {
  const run = async (action: Action): Promise<void> => finished(await action());
  const program = new Command("corrective-rag")
    .description(
      "Answers questions about your documents, and judges what it found before it answers.",
    )
    .version(version)
    .showHelpAfterError(false)
    // Nothing but results goes to stdout; what commander would print about a mistake is said in our own words.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();

  answering(
    program
      .command("ask")
      .description("answer one question")
      .argument("[question...]", "the question; - reads it from standard input"),
  )
    .option("--json", "print one JSON document with answer, citations, outcome and details")
    .option("--stream", "print the answer as it comes, also where the output is no terminal")
    .action((words: string[], options: AskOptions) =>
      run(async () => (await import("./ask.js")).ask(words, options)),
    );

  answering(
    program.command("chat").description("talk: a conversation on one thread; /exit ends it"),
  ).action((options: ChatOptions) => run(async () => (await import("./chat.js")).chat(options)));

  program
    .command("ingest")
    .description(
      "read files, folders, globs or web pages into the knowledge base; unchanged documents are skipped",
    )
    .argument("<target...>", "paths or URLs")
    .option(
      "--kb <dir>",
      "folder of the knowledge base (default: CRAG_KB_DIR, else .corrective-rag/kb)",
    )
    .option("--json", "print one JSON document with what was read, skipped and removed")
    .action((targets: string[], options: IngestOptions) =>
      run(async () => (await import("./ingest.js")).ingestTargets(targets, options)),
    );

  program
    .command("dev")
    .description("start the LangGraph API server with Studio and the page")
    .helpOption("--help", "display help for command")
    .option("-p, --port <number>", "port", wholeNumber, 2024)
    .option("-h, --host <name>", "host to bind to", "localhost")
    .option("--browser", "open Studio in a browser", false)
    .option("--no-reload", "do not restart when the code changes")
    .action((options: DevOptions) => run(async () => (await import("./dev.js")).dev(options)));

  program
    .command("mcp")
    .description(
      "serve the documents to a client of the Model Context Protocol, on stdin and stdout",
    )
    .option("--kb <dir>", "folder of the knowledge base")
    .action((options: { kb?: string }) => run(async () => (await import("./mcp.js")).mcp(options)));

  auditCommands(program.command("audit").description("read the audit log: list or show runs"), run);
  // Calibration brings the whole judge along: it is loaded when it, or the list of all commands, is asked for.
  if (!program.commands.some((command) => command.name() === wanted)) {
    const { registerCalibrate } = await import("./calibrate.js");
    registerCalibrate(program, run);
  }
  return program;
}

function answering(command: Command): Command {
  return command
    .option(
      "--kb <dir>",
      "folder of the knowledge base (default: CRAG_KB_DIR, else .corrective-rag/kb, else a demo made of the docs)",
    )
    .addOption(new Option("--profile <name>", "how evidence is judged").choices(PROFILE_NAMES))
    .addOption(new Option("--quality <name>", "how much effort").choices(QUALITIES))
    .addOption(
      new Option("--web <mode>", "web search when the grader asks for it").choices(["on", "off"]),
    );
}

function auditCommands(audit: Command, run: (action: Action) => Promise<void>): void {
  const reading = (command: Command): Command =>
    command
      .option(
        "--log <file>",
        "the log (default: KB_AGENT_AUDIT_LOG_PATH, else .corrective-rag/audit.jsonl)",
      )
      .option("--json", "print one JSON document");
  reading(audit.command("list").description("the runs, oldest first"))
    .option("--limit <number>", "only the newest", wholeNumber)
    .action((options: AuditOptions) =>
      run(async () => (await import("./audit.js")).listRuns(options)),
    );
  reading(
    audit
      .command("show")
      .description("one run as a story")
      .argument("<run>", "the beginning of its id, or last"),
  ).action((wanted: string, options: AuditOptions) =>
    run(async () => (await import("./audit.js")).showOneRun(wanted, options)),
  );
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0)
    throw new InvalidArgumentError("It must be a whole number.");
  return number;
}
