/**
 * The command line: its commands, their arguments and their help. A command's code is imported only
 * when the command runs.
 */
import { Command, InvalidArgumentError, Option } from "commander";
import { PROFILE_NAMES, QUALITIES } from "../settings/run-settings.js";
import { UserError } from "../support/errors.js";
import { packageVersion } from "../support/packages.js";
import { DONE, errorJson, FAILED, isHelp, reportError } from "./report-error.js";
import { asTyped, printJson } from "./terminal.js";

let exitCode = DONE;

/** Makes the action of a command, whose code is imported on the call and returns the exit code. */
function run<Given extends unknown[]>(load: () => Promise<(...given: Given) => Promise<number>>) {
  return async (...given: Given): Promise<void> => {
    exitCode = await (await load())(...given);
  };
}

/** The option `--kb`; commands that only read fall back on the demo. */
function kbOption({ orDemo = false } = {}): Option {
  const demo = orDemo ? ", else a demo made of the docs" : "";
  const otherwise = `CRAG_KB_DIR, else .corrective-rag/kb${demo}`;
  return new Option("--kb <dir>", `folder of the knowledge base (default: ${otherwise})`).argParser(
    folder,
  );
}

function answerCommands(program: Command): void {
  const answering = (command: Command): Command =>
    command
      .addOption(kbOption({ orDemo: true }))
      .addOption(new Option("--profile <name>", "how evidence is judged").choices(PROFILE_NAMES))
      .addOption(new Option("--quality <name>", "how much effort").choices(QUALITIES))
      .addOption(
        new Option("--web <mode>", "web search when the grader asks for it").choices([
          "on",
          "ask",
          "off",
        ]),
      )
      .option("--filter <filter>", 'only these documents: department = "hr" and year > 2024')
      .option("--base <names>", "only these of CRAG_KNOWLEDGE_BASES: hr or hr,it")
      .option("--in <path...>", "only these documents: paths, file names, folders or globs")
      .option("--as <id[:group,...]>", "see what this person may see; for who runs the server")
      .option(
        "--explain",
        "show how the answer came about: searches, grades, thresholds, warnings",
      );
  answering(program.command("ask").description("answer one question"))
    .argument("[question...]", "the question; - reads it from standard input")
    .option("--json", "print one JSON document with answer, citations, outcome and details")
    .option("--stream", "print the answer as it is written, even when the output is not a terminal")
    .action(run(async () => (await import("./ask.js")).ask));
  answering(
    program.command("chat").description("hold a conversation; /help lists the commands"),
  ).action(run(async () => (await import("./chat.js")).chat));
}

function documentCommands(program: Command): void {
  const looking = (command: Command): Command =>
    command.addOption(kbOption()).option("--json", "print one JSON document");
  looking(program.command("ingest"))
    .description("read files, folders, globs or web pages into the knowledge base")
    .argument(
      "<target...>",
      "paths, URLs, sitemap:URL, github:OWNER/REPOSITORY, confluence:URL#SPACE, notion:ID, " +
        "s3:BUCKET, imap:HOST",
    )
    .option("--meta <key=value>", "metadata of all that is named; may be repeated", collected)
    .addOption(
      new Option("--watch", "go on, and pick up changes of the files as they happen").conflicts(
        "json",
      ),
    )
    .addOption(
      new Option("--every <minutes>", "go on, and read everything again at this interval")
        .argParser(minutes)
        .conflicts("json"),
    )
    .action(run(async () => (await import("./documents.js")).ingestTargets));
  const documents = program.command("documents").description("list, show and remove documents");
  looking(
    documents.command("list", { isDefault: true }).description("the documents, sorted by path"),
  )
    .argument("[words...]", "a folder, a glob, or words from the path or title")
    .option("--filter <filter>", "only these documents: kind = pdf and date >= 2025-01-01")
    .option("--page <number>", "page number", wholeNumber, 1)
    .option("--limit <number>", "documents per page", wholeNumber, 50)
    .action(run(async () => (await import("./documents.js")).list));
  looking(documents.command("show").description("the passages of one document"))
    .argument("<path>", "as listed, or the file")
    .action(run(async () => (await import("./documents.js")).show));
  looking(documents.command("remove").description("remove documents; the files themselves stay"))
    .argument("<path...>", "as listed, a folder or a glob, or the file")
    .action(run(async () => (await import("./documents.js")).remove));
  looking(program.command("doctor"))
    .description("check the settings, the knowledge base, the model and the MCP servers")
    .action(run(async () => (await import("./doctor.js")).doctor));
}

function serverCommands(program: Command): void {
  program
    .command("serve")
    .description("serve page, LangGraph API, OpenAI protocol and MCP to any number of people")
    .option("-p, --port <number>", "port", port, 2024)
    .option("--host <name>", "host to bind to; others than this machine need keys", "localhost")
    .action(run(async () => (await import("./servers.js")).serve));
  program
    .command("dev")
    .description("start LangGraph's development server for Studio, for one developer")
    .option("-p, --port <number>", "port", port, 2024)
    .option("--browser", "open Studio in a browser", false)
    .option("--no-reload", "do not restart on code changes")
    .action(run(async () => (await import("./servers.js")).dev));
  program
    .command("mcp")
    .description("serve the documents to a Model Context Protocol client over stdin and stdout")
    .addOption(kbOption({ orDemo: true }))
    .action(run(async () => (await import("./servers.js")).mcp));
}

function auditCommands(program: Command): void {
  const audit = program.command("audit").description("read the audit log: list or show runs");
  const reading = (command: Command): Command =>
    command
      .option("--log <file>", "the log (default: CRAG_AUDIT_LOG, else .corrective-rag/audit.jsonl)")
      .option("--json", "print one JSON document");
  reading(audit.command("list").description("the runs, oldest first"))
    .option("--limit <number>", "only the newest runs", wholeNumber)
    .action(run(async () => (await import("./audit.js")).listRuns));
  reading(audit.command("show").description("one run as a story"))
    .argument("<run>", "the start of its id, or last")
    .action(run(async () => (await import("./audit.js")).showOneRun));
}

function folder(value: string): string {
  if (value.trim() === "") throw new InvalidArgumentError("It must name a folder.");
  return value;
}

function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}

const wholeNumber = numberUpTo(Infinity, "a whole number from 1");
/** What a timer of Node can hold. */
const minutes = numberUpTo(35_000, "a whole number from 1 to 35000");
const port = numberUpTo(65_535, "a whole number from 1 to 65535");

function numberUpTo(most: number, expected: string) {
  return (value: string): number => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= 1 && number <= most) return number;
    throw new InvalidArgumentError(`It must be ${expected}.`);
  };
}

export async function main(): Promise<number> {
  const program = new Command("corrective-rag")
    .description(
      "Answers questions about your documents, and judges what it found before it answers.",
    )
    .version(packageVersion())
    // stdout is for results only; reportError prints the mistakes.
    .configureOutput({
      writeOut: (text) => process.stdout.write(asTyped(text)),
      outputError: () => undefined,
    })
    .exitOverride();
  answerCommands(program);
  documentCommands(program);
  serverCommands(program);
  auditCommands(program);
  try {
    requireWorkingDirectory();
    await program.parseAsync();
    return exitCode;
  } catch (error) {
    // A caller that asked for JSON gets errors as JSON, too.
    if (process.argv.includes("--json") && !isHelp(error)) printJson({ error: errorJson(error) });
    return reportError(error);
  }
}

/** Refuses a working directory that was deleted under the shell. */
function requireWorkingDirectory(): void {
  try {
    process.cwd();
  } catch {
    throw new UserError(
      "the working directory no longer exists",
      "change to another folder",
      FAILED,
    );
  }
}
