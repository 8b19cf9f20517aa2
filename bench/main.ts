/** `npm run bench -- [NAME] [--json]`: measures this machine. Each benchmark is imported when it is asked for. */
import { Command, InvalidArgumentError, Option } from "commander";
import { reportError } from "../src/cli/report-error.js";
import { exitWhenWritten, printJson, say, survivePipes } from "../src/cli/terminal.js";
import { showReport } from "../evals/show-report.js";
import { machineNow, writePage, type Reports } from "./write-page.js";

interface BenchOptions {
  json?: boolean;
  /** Repetitions or sizes are cut down to see that it works, not to measure. */
  quick?: boolean;
  /** The largest sizes as well. */
  full?: boolean;
  /** Exactly these, of the index. */
  sizes?: number[];
  /** Where indexes are kept. */
  directory?: string;
  /** The figures go into the page of the docs. */
  write?: boolean;
  onProgress?: (message: string) => void;
}

const BENCHMARKS: {
  readonly [N in keyof Reports]: {
    what: string;
    run: (options: BenchOptions) => Promise<Reports[N]>;
  };
} = {
  calls: {
    what: "model calls and tokens per question, beside the textbook pipeline",
    run: async ({ quick }) =>
      (await import("./calls.js")).runCallsBench(quick ? { ks: [5] } : { ks: [5, 20] }),
  },
  graph: {
    what: "time of the graph for one question without a model, beside a bare graph",
    run: async (options) => (await import("./graph.js")).runGraphBench(options),
  },
  heap: {
    what: "memory that asks leave behind; start node with --expose-gc",
    run: async (options) => (await import("./heap.js")).runHeapBench(options),
  },
  kills: {
    what: "kills of the server while it answers; DATABASE_URL adds an empty Postgres database",
    run: async ({ quick, onProgress }) => {
      const { runKillBench } = await import("./kills.js");
      const { DATABASE_URL: databaseUrl } = process.env;
      const reports = [await runKillBench({ quick, onProgress })];
      if (databaseUrl === undefined) return reports;
      return [...reports, await runKillBench({ quick, databaseUrl, onProgress })];
    },
  },
  load: {
    what: "many conversations at once with the server, and one client's flood of runs",
    run: async (options) => (await import("./load.js")).runLoadBench(options),
  },
  reader: {
    what: "reading the evidence of one question, with the encoder and without",
    run: async (options) => (await import("./reader.js")).runReaderBench(options),
  },
  ingest: {
    what: "staying in step: a folder of 10,000 files, a watched folder, a source that changes",
    run: async (options) => (await import("./ingest.js")).runIngestBench(options),
  },
  index: {
    what: "search and ingestion by size of the index",
    run: async (options) => (await import("./index.js")).runIndexBench(options),
  },
};
type BenchmarkName = keyof Reports;
const NAMES = Object.keys(BENCHMARKS).filter((name): name is BenchmarkName => name in BENCHMARKS);

async function bench(name: BenchmarkName | undefined, options: BenchOptions): Promise<void> {
  if (options.write && options.quick)
    throw new InvalidArgumentError("--quick measures nothing that could be written into the docs.");
  const wanted = name === undefined ? NAMES : [name];
  const reports: Partial<Record<BenchmarkName, unknown>> = {};
  for (const each of wanted) reports[each] = await measure(each, options);
  // One benchmark is its own document; several are named.
  if (options.json) printJson(name === undefined ? reports : reports[name]);
}

async function measure<N extends BenchmarkName>(
  name: N,
  options: BenchOptions,
): Promise<Reports[N]> {
  say(`${name}: ${BENCHMARKS[name].what}`);
  const machine = machineNow();
  const report = await BENCHMARKS[name].run({ ...options, onProgress: say });
  if (!options.json) process.stdout.write(`${showReport(report)}\n\n`);
  if (options.write) say(`wrote ${await writePage(name, report, machine)}`);
  return report;
}

function sizesOf(given: string): number[] {
  const sizes = given.split(",").map(Number);
  if (sizes.some((size) => !Number.isInteger(size) || size < 1))
    throw new InvalidArgumentError("These are whole numbers, such as 10000,1000000.");
  return sizes;
}

async function main(): Promise<number> {
  const program = new Command("bench")
    .description("Measures this machine.")
    .addArgument(new Command().createArgument("[name]", "which; all without a name").choices(NAMES))
    .option("--json", "print one JSON document")
    .addOption(new Option("--quick", "fewer repetitions and smaller sizes: to see that it works"))
    .addOption(new Option("--full", "the largest sizes as well, which may take an hour"))
    .addOption(
      new Option("--sizes <numbers>", "of the index, in passages, separated by commas").argParser(
        sizesOf,
      ),
    )
    .addOption(
      new Option("--directory <folder>", "of the indexes: built there once, kept, and used again"),
    )
    .option("--write", "put the figures into the page of the docs that shows them")
    .configureOutput({ outputError: () => undefined })
    .exitOverride()
    .action(bench);
  try {
    await program.parseAsync();
    return 0;
  } catch (error) {
    return reportError(error);
  }
}

survivePipes();
exitWhenWritten(await main());
