/** `npm run eval -- TASK PATH`: measures quality on labelled data. Each task is imported when it is asked for. */
import { access } from "node:fs/promises";
import { Argument, Command, InvalidArgumentError, Option } from "commander";

import { reportError } from "../src/cli/report-error.js";
import { createProgressBar, printJson, say } from "../src/cli/terminal.js";
import {
  PROFILE_NAMES,
  QUALITIES,
  type ProfileName,
  type Quality,
} from "../src/settings/run-settings.js";
import { UserError } from "../src/support/errors.js";
import type { CalibrateOptions } from "./calibrate.js";
import { LAYOUTS, type Layout } from "./layouts.js";
import { showReport } from "./show-report.js";

interface Options {
  json?: boolean;
  profile?: ProfileName;
  quality?: Quality;
  limit?: number;
  split?: string;
  pool?: boolean;
  ablation?: boolean;
  /** Folder for the Markdown and HTML report. */
  report?: string;
}

/** What a task gets beside its path. */
type TaskInput = Omit<Options, "json"> & { onProgress: (done: number, total: number) => void };
type Task = (path: string, input: TaskInput) => Promise<unknown>;

const evidence: Task = async (file, input) =>
  (await import("./evidence.js")).runEvidenceEval({ file, ...input });
const claims: Task = async (file, input) =>
  (await import("./claims.js")).runClaimsEval({ file, ...input });
const answers: Task = async (file, input) =>
  (await import("./answers.js")).runAnswersEval({ file, ...input });
const replay: Task = async (file, input) =>
  (await import("./replay.js")).runReplayEval({ file, ...input });
const dishonest: Task = async (file, input) =>
  (await import("./dishonest.js")).runDishonestEval({ file, ...input });
const qa: Task = async (directory, input) =>
  (await import("./qa.js")).runQaEval({ directory, ...input });
const retrieval: Task = async (directory, input) =>
  (await import("./retrieval.js")).runRetrievalEval({ directory, ...input });
const users: Task = async (directory, { limit, pool, onProgress }) =>
  (await import("./users.js")).runUsersEval({ directory, limit, pool, onProgress });
const docs: Task = async (file, { ablation, report, ...input }) => {
  if (ablation === true || report !== undefined)
    throw new UserError(
      `docs knows no --${ablation === true ? "ablation" : "report"}`,
      "qa and web know both",
    );
  return (await import("./docs.js")).runDocsEval({ file, ...input });
};
const honest: Task = async (_path, { profile, limit, onProgress }) =>
  (await import("./honest/run-honest.js")).runHonestEval({ profile, limit, onProgress });
const web: Task = async (file, input) => (await import("./web.js")).runWebEval({ file, ...input });

function createProgram(): Command {
  const program = new Command("eval")
    .description("Measures quality on labeled data; the formats are in docs/quality.md.")
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  addTask(program, {
    name: "evidence",
    argument: "<file>",
    what: "do the judge and the labels agree on what answers a question?",
    run: evidence,
  });
  addTask(program, {
    name: "claims",
    argument: "<file>",
    what: "do the claim check and the labels agree on what is supported?",
    run: claims,
  });
  addTask(program, {
    name: "answers",
    argument: "<file>",
    what: "recorded answers: does the guard touch what people marked, and nothing else?",
    run: answers,
  });
  addTask(program, {
    name: "replay",
    argument: "<file>",
    what: "the same answers through the compiled graph, with a model that says what was recorded",
    run: replay,
  });
  addTask(program, {
    name: "dishonest",
    argument: "[file]",
    instead: "evals/dishonest/statements.jsonl",
    what: "true and false sentences of a scripted model: which are shown as if they were supported?",
    run: dishonest,
  });
  addTask(program, {
    name: "qa",
    argument: "<dir>",
    what: "plain beside corrective RAG; some questions cannot be answered",
    run: qa,
  });
  addTask(program, {
    name: "retrieval",
    argument: "<dir>",
    what: "ranking on a corpus in BEIR's layout",
    run: retrieval,
  }).option("--split <name>", "which relevance judgements (default: test, else the one there is)");
  addTask(program, {
    name: "users",
    argument: "<dir>",
    what: "questions in users' words without a model: is the truth on the screen, and is what is asserted right?",
    run: users,
  }).option("--pool", "only the questions whose pooled passages were all judged");
  addTask(program, {
    name: "docs",
    argument: "[file]",
    instead: "evals/docs-questions.jsonl",
    what: "questions on this project's own docs, and some that they do not answer (default: evals/docs-questions.jsonl)",
    run: docs,
  });
  addTask(program, {
    name: "web",
    argument: "<file>",
    what: "knowledge base, web and corrective on recorded results",
    run: web,
  });
  addTask(program, {
    name: "honest",
    what: "a scripted model that knows the truth, over the project's own corpus: what is lost?",
    run: honest,
  });
  program
    .command("convert")
    .description("bring a public data set into the documented formats")
    .addArgument(new Argument("<layout>").choices(LAYOUTS))
    .argument("<path>", "squad: a JSON file; beir: a folder")
    .requiredOption("--out <dir>", "folder for the converted files")
    .option("--json", "print one JSON document with the number of lines written")
    .action(
      async (layout: Layout, path: string, { json, out }: { json?: boolean; out: string }) => {
        const report = await (await import("./convert.js")).convert({ layout, path, out });
        if (json) printJson(report);
        else process.stdout.write(`${showReport(report)}\n`);
      },
    );
  program
    .command("label")
    .description("turn past runs from the audit log into a file to label, question by question")
    .option("--log <file>", "the audit log")
    .option("--out <file>", "where the labels go", "labels.jsonl")
    .option("--limit <number>", "questions at most", wholeNumber)
    .option("--json", "print one JSON document with what was labelled")
    .action(
      async ({
        json,
        ...options
      }: {
        json?: boolean;
        log?: string;
        out: string;
        limit?: number;
      }) => {
        const report = await (await import("./label.js")).runLabel(options);
        if (json) printJson(report);
        else process.stdout.write(`${showReport(report)}\n`);
      },
    );
  program
    .command("calibrate")
    .description("fit calibration and thresholds to labeled questions, with a report")
    .argument("<file...>", "labeled evidence, one JSON object per line")
    .option("--out <file>", "where to write", "calibration.json")
    .option(
      "--max-false-correct <share>",
      "share of unanswerable questions that may be graded CORRECT (default: 0.1)",
      share,
    )
    .option("--json", "print one JSON document")
    .action(async (files: string[], options: CalibrateOptions) =>
      (await import("./calibrate.js")).calibrateCommand(files, options),
    );
  return program;
}

function addTask(
  program: Command,
  {
    name,
    argument,
    instead = "",
    what,
    run,
  }: {
    name: string;
    argument?: string;
    /** Path where none is given. */
    instead?: string;
    what: string;
    run: Task;
  },
): Command {
  const command = program
    .command(argument === undefined ? name : `${name} ${argument}`)
    .description(what)
    .addOption(new Option("--profile <name>", "profile under test").choices(PROFILE_NAMES))
    .addOption(new Option("--quality <name>", "quality under test").choices(QUALITIES))
    .option("--limit <number>", "only so many questions, spread evenly over the file", wholeNumber)
    .option("--ablation", "also with each step switched off in turn")
    .option("--report <dir>", "write a report as Markdown and as a page with plots")
    .option("--json", "print one JSON document")
    .action(async () => {
      const [path] = command.args;
      const { json, ...options } = command.opts<Options>();
      if (path !== undefined)
        await access(path).catch(() => {
          throw new UserError(
            `there is no ${path}`,
            "name a file or folder of labeled data; the formats are in docs/quality.md",
          );
        });
      const bar = createProgressBar();
      const started = performance.now();
      try {
        const report = await run(path ?? instead, {
          ...options,
          onProgress: (done, total) => bar.update(done, total, name),
        });
        bar.end();
        if (json) printJson(report);
        else process.stdout.write(`${showReport(report)}\n`);
        say(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
      } finally {
        bar.end();
      }
    });
  return command;
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError("It must be a whole number from 1.");
  return number;
}

function share(value: string): number {
  const number = Number(value);
  if (!(number > 0 && number < 1)) throw new InvalidArgumentError("It must be between 0 and 1.");
  return number;
}

/** Runs one task; gives the exit code. */
export async function runEval(args: readonly string[] = process.argv.slice(2)): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: "user" });
    return typeof process.exitCode === "number" ? process.exitCode : 0;
  } catch (error) {
    return reportError(error);
  }
}
