#!/usr/bin/env node
/**
 * The command line: the commands, their arguments and their help. Each command's code is imported
 * when it is called, so that none pays for another.
 */
import { Command, InvalidArgumentError, Option } from "commander";
import { PROFILE_NAMES, QUALITIES } from "../settings/run-settings.js";
import { UserError } from "../support/errors.js";
import { packageVersion } from "../support/package.js";
import { DONE, errorJson, FAILED, isHelp, reportError } from "./report-error.js";
import { exitWhenWritten, printJson, survivePipes } from "./terminal.js";

let exitCode = DONE;

/** Makes a command's work its action; the work gives the exit code. */
function run<Code, Given extends unknown[]>(
  load: () => Promise<Code>,
  workIn: (code: Code) => (...given: Given) => Promise<number>,
) {
  return async (...given: Given): Promise<void> => {
    exitCode = await workIn(await load())(...given);
  };
}
const code = {
  ask: () => import("./ask.js"),
  audit: () => import("./audit.js"),
  calibrate: () => import("./calibrate.js"),
  chat: () => import("./chat.js"),
  dev: () => import("./dev.js"),
  doctor: () => import("./doctor.js"),
  documents: () => import("./documents.js"),
};

/** The option `--kb`; whoever only reads may get the demo. */
function kbOption({ orDemo = false } = {}): Option {
  const otherwise = `CRAG_KB_DIR, else .corrective-rag/kb${orDemo ? ", else a demo made of the docs" : ""}`;
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
      .option("--explain", "show the course: searches, grades, thresholds, warnings");
  answering(program.command("ask").description("answer one question"))
    .argument("[question...]", "the question; - reads it from standard input")
    .option("--json", "print one JSON document with answer, citations, outcome and details")
    .option("--stream", "print the answer as it comes, also where the output is no terminal")
    .option("--best-guess", "where there is no answer, show the best there is, unverified")
    .action(run(code.ask, ({ ask }) => ask));
  answering(
    program.command("chat").description("talk: a conversation; /help lists what can be said"),
  ).action(run(code.chat, ({ chat }) => chat));
}

function documentCommands(program: Command): void {
  const looking = (command: Command): Command =>
    command.addOption(kbOption()).option("--json", "print one JSON document");
  looking(program.command("ingest"))
    .description("read files, folders, globs or web pages into the knowledge base")
    .argument("<target...>", "paths or URLs")
    .action(run(code.documents, ({ ingestTargets }) => ingestTargets));
  const documents = program
    .command("documents")
    .description("what is in the knowledge base: list, show, remove, why-not");
  looking(documents.command("list", { isDefault: true }).description("the documents, by path"))
    .argument("[filter...]", "a folder, a glob, or words of path or title")
    .option("--page <number>", "which page", wholeNumber, 1)
    .option("--limit <number>", "documents a page", wholeNumber, 50)
    .action(run(code.documents, ({ list }) => list));
  looking(documents.command("show").description("the passages of a document"))
    .argument("<path>", "as listed, or the file")
    .action(run(code.documents, ({ show }) => show));
  looking(documents.command("remove").description("take documents out; files are left alone"))
    .argument("<path...>", "as listed, a folder or a glob, or the file")
    .action(run(code.documents, ({ remove }) => remove));
  looking(documents.command("why-not").description("why a file is, or is not, there"))
    .argument("<file>", "the file")
    .action(run(code.documents, ({ explainMissing }) => explainMissing));
  looking(program.command("doctor"))
    .description("what is set, what is missing, and whether what would be asked answers")
    .action(run(code.doctor, ({ doctor }) => doctor));
}

function serverCommands(program: Command): void {
  program
    .command("dev")
    .description("start the LangGraph API server with Studio and the page")
    .option("-p, --port <number>", "port", port, 2024)
    .option("--host <name>", "host to bind to", "localhost")
    .option("--browser", "open Studio in a browser", false)
    .option("--no-reload", "do not restart when the code changes")
    .action(run(code.dev, ({ dev }) => dev));
  program
    .command("mcp")
    .description("serve the documents to a client of the Model Context Protocol, on stdin, stdout")
    .addOption(kbOption({ orDemo: true }))
    .action(run(code.dev, ({ mcp }) => mcp));
}

function auditCommands(program: Command): void {
  const audit = program.command("audit").description("read the audit log: list or show runs");
  const reading = (command: Command): Command =>
    command
      .option("--log <file>", "the log (default: CRAG_AUDIT_LOG, else .corrective-rag/audit.jsonl)")
      .option("--json", "print one JSON document");
  reading(audit.command("list").description("the runs, oldest first"))
    .option("--limit <number>", "only the newest", wholeNumber)
    .action(run(code.audit, ({ listRuns }) => listRuns));
  reading(audit.command("show").description("one run as a story"))
    .argument("<run>", "the beginning of its id, or last")
    .action(run(code.audit, ({ showOneRun }) => showOneRun));
}

function calibrateCommand(program: Command): void {
  program
    .command("calibrate")
    .description("fit calibration and thresholds to labeled questions, with a report")
    .argument("<file...>", "labeled evidence, one JSON object a line")
    .option("--out <file>", "where to write", "calibration.json")
    .option(
      "--max-false-correct <share>",
      "how many of the unanswerable questions may be graded CORRECT (default: 0.1)",
      share,
    )
    .option("--json", "print one JSON document")
    .action(run(code.calibrate, ({ calibrateCommand }) => calibrateCommand));
}

function folder(value: string): string {
  if (value.trim() === "") throw new InvalidArgumentError("It must name a folder.");
  return value;
}

function wholeNumber(value: string): number {
  const fits = (number: number): boolean => Number.isInteger(number) && number >= 1;
  return numberThat(fits, "a whole number from 1", value);
}

function port(value: string): number {
  return numberThat((number) => number >= 1 && number <= 65_535, "from 1 to 65535", value);
}

function share(value: string): number {
  return numberThat((number) => number > 0 && number < 1, "between 0 and 1", value);
}

function numberThat(fits: (number: number) => boolean, wanted: string, value: string): number {
  const number = Number(value);
  if (!fits(number)) throw new InvalidArgumentError(`It must be ${wanted}.`);
  return number;
}

async function main(): Promise<number> {
  const wanted = process.argv[2];
  const program = new Command("corrective-rag")
    .description(
      "Answers questions about your documents, and judges what it found before it answers.",
    )
    .version(packageVersion())
    .showHelpAfterError(false)
    // Nothing but results goes to stdout; mistakes are said in our own words.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  answerCommands(program);
  documentCommands(program);
  serverCommands(program);
  auditCommands(program);
  calibrateCommand(program);
  try {
    requireWorkingDirectory();
    await program.parseAsync();
    return exitCode;
  } catch (error) {
    // Whoever asked for JSON gets JSON, also when things go wrong.
    if (process.argv.includes("--json") && !isHelp(error)) printJson({ error: errorJson(error) });
    const isCommand = program.commands.some((command) => command.name() === wanted);
    return reportError(error, {
      help: `see: corrective-rag ${isCommand ? `${wanted} ` : ""}--help`,
    });
  }
}

/** A shell may stand in a folder that has been removed. */
function requireWorkingDirectory(): void {
  try {
    process.cwd();
  } catch {
    throw new UserError(
      "the working directory does not exist any more",
      "change to a folder that does",
      FAILED,
    );
  }
}

survivePipes();
exitWhenWritten(await main());
