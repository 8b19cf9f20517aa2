/**
 * The commands, their arguments and their help. Each command's code is imported when it is called, so that none pays for another.
 */
import { Command, InvalidArgumentError, Option } from "commander";
import { PROFILE_NAMES, QUALITIES } from "../settings/run-settings.js";
import type { AnswerOptions, AskOptions } from "./ask.js";
import type { AuditOptions } from "./audit.js";
import type { DevOptions } from "./dev.js";
import type { DoctorOptions } from "./doctor.js";
import type { DocumentsOptions } from "./documents.js";
import type { IngestOptions } from "./ingest.js";

/** A command's work; gives the exit code. */
type Run = (action: () => Promise<number>) => Promise<void>;

const KB = "folder of the knowledge base (default: CRAG_KB_DIR, else .corrective-rag/kb";

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
  const run: Run = async (action) => finished(await action());
  const program = new Command("corrective-rag")
    .description(
      "Answers questions about your documents, and judges what it found before it answers.",
    )
    .version(version)
    .showHelpAfterError(false)
    // Nothing but results goes to stdout; what commander would print about a mistake is said in our own words.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  answerCommands(program, run);
  documentCommands(program, run);
  serverCommands(program, run);
  auditCommands(program, run);
  // Calibration brings the whole reader along: it is loaded when it, or the list of all commands, is asked for.
  if (!program.commands.some((command) => command.name() === wanted)) {
    const { registerCalibrate } = await import("./calibrate.js");
    registerCalibrate(program, run);
  }
  return program;
}

function answerCommands(program: Command, run: Run): void {
  const answering = (command: Command): Command =>
    command
      .option("--kb <dir>", `${KB}, else a demo made of the docs)`)
      .addOption(new Option("--profile <name>", "how evidence is judged").choices(PROFILE_NAMES))
      .addOption(new Option("--quality <name>", "how much effort").choices(QUALITIES))
      .addOption(
        new Option("--web <mode>", "web search when the grader asks for it").choices(["on", "off"]),
      )
      .option("--explain", "show the course: searches, grades, thresholds, warnings");
  answering(
    program
      .command("ask")
      .description("answer one question")
      .argument("[question...]", "the question; - reads it from standard input"),
  )
    .option("--json", "print one JSON document with answer, citations, outcome and details")
    .option("--stream", "print the answer as it comes, also where the output is no terminal")
    .option("--best-guess", "where there is no answer, show the best there is, unverified")
    .action((words: string[], options: AskOptions) =>
      run(async () => (await import("./ask.js")).ask(words, options)),
    );
  answering(
    program.command("chat").description("talk: a conversation; /help lists what can be said"),
  ).action((options: AnswerOptions) => run(async () => (await import("./chat.js")).chat(options)));
}

function documentCommands(program: Command, run: Run): void {
  program
    .command("ingest")
    .description(
      "read files, folders, globs or web pages into the knowledge base; unchanged documents are skipped",
    )
    .argument("<target...>", "paths or URLs")
    .option("--kb <dir>", `${KB})`)
    .option("--json", "print one JSON document with what was read, skipped and removed")
    .action((targets: string[], options: IngestOptions) =>
      run(async () => (await import("./ingest.js")).ingestTargets(targets, options)),
    );
  const documents = program
    .command("documents")
    .description("what is in the knowledge base: list, show, remove, why-not");
  const looking = (command: Command): Command =>
    command.option("--kb <dir>", `${KB})`).option("--json", "print one JSON document");
  looking(documents.command("list", { isDefault: true }).description("the documents, by path"))
    .argument("[filter...]", "a folder, a glob, or words of path or title")
    .option("--page <number>", "which page", wholeNumber, 1)
    .option("--limit <number>", "documents a page", wholeNumber, 50)
    .action((filter: string[], options: DocumentsOptions & { page: number; limit: number }) =>
      run(async () => (await import("./documents.js")).list(filter, options)),
    );
  looking(documents.command("show").description("the passages of a document"))
    .argument("<path>", "as listed, or the file")
    .action((path: string, options: DocumentsOptions) =>
      run(async () => (await import("./documents.js")).show(path, options)),
    );
  looking(documents.command("remove").description("take documents out; files are left alone"))
    .argument("<path...>", "as listed, a folder or a glob, or the file")
    .action((paths: string[], options: DocumentsOptions) =>
      run(async () => (await import("./documents.js")).remove(paths, options)),
    );
  looking(documents.command("why-not").description("why a file is, or is not, there"))
    .argument("<file>", "the file")
    .action((file: string, options: DocumentsOptions) =>
      run(async () => (await import("./documents.js")).explainMissing(file, options)),
    );
  program
    .command("doctor")
    .description("what is set, what is missing, and whether what would be asked answers")
    .option("--kb <dir>", `${KB})`)
    .option("--json", "print one JSON document")
    .action((options: DoctorOptions) =>
      run(async () => (await import("./doctor.js")).doctor(options)),
    );
}

function serverCommands(program: Command, run: Run): void {
  program
    .command("dev")
    .description("start the LangGraph API server with Studio and the page")
    .option("-p, --port <number>", "port", port, 2024)
    .option("--host <name>", "host to bind to", "localhost")
    .option("--browser", "open Studio in a browser", false)
    .option("--no-reload", "do not restart when the code changes")
    .action((options: DevOptions) => run(async () => (await import("./dev.js")).dev(options)));
  program
    .command("mcp")
    .description(
      "serve the documents to a client of the Model Context Protocol, on stdin and stdout",
    )
    .option("--kb <dir>", `${KB}, else a demo made of the docs)`)
    .action((options: { kb?: string }) => run(async () => (await import("./mcp.js")).mcp(options)));
}

function auditCommands(program: Command, run: Run): void {
  const audit = program.command("audit").description("read the audit log: list or show runs");
  const reading = (command: Command): Command =>
    command
      .option("--log <file>", "the log (default: CRAG_AUDIT_LOG, else .corrective-rag/audit.jsonl)")
      .option("--json", "print one JSON document");
  reading(audit.command("list").description("the runs, oldest first"))
    .option("--limit <number>", "only the newest", wholeNumber)
    .action((options: AuditOptions) =>
      run(async () => (await import("./audit.js")).listRuns(options)),
    );
  reading(audit.command("show").description("one run as a story"))
    .argument("<run>", "the beginning of its id, or last")
    .action((wanted: string, options: AuditOptions) =>
      run(async () => (await import("./audit.js")).showOneRun(wanted, options)),
    );
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0)
    throw new InvalidArgumentError("It must be a whole number.");
  return number;
}

function port(value: string): number {
  const number = wholeNumber(value);
  if (number < 1 || number > 65_535) throw new InvalidArgumentError("It must be from 1 to 65535.");
  return number;
}
