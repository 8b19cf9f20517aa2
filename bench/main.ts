/** `npm run bench -- [NAME] [--json]`: measures this machine. Each benchmark is imported when it is asked for. */
import { Command, InvalidArgumentError, Option } from "commander";
import { reportError } from "../src/cli/report-error.js";
import { exitWhenWritten, printJson, say, survivePipes } from "../src/cli/terminal.js";
import { showReport } from "../evals/show-report.js";

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
  onProgress?: (message: string) => void;
}

const BENCHMARKS = {
  calls: {
    what: "model calls and tokens per question, beside the textbook pipeline",
    run: async (options: BenchOptions): Promise<unknown> =>
      (await import("./calls.js")).runCallsBench(options.quick ? { ks: [3] } : {}),
  },
  graph: {
    what: "time of the graph for one question without a model, beside a bare graph",
    run: async (options: BenchOptions): Promise<unknown> =>
      (await import("./graph.js")).runGraphBench(options),
  },
  heap: {
    what: "memory that asks leave behind; start node with --expose-gc",
    run: async (options: BenchOptions): Promise<unknown> =>
      (await import("./heap.js")).runHeapBench(options),
  },
  load: {
    what: "many conversations at once against the development server",
    run: async (options: BenchOptions): Promise<unknown> =>
      (await import("./load.js")).runLoadBench(options),
  },
  reader: {
    what: "reading the evidence of one question, with the encoder and without",
    run: async (options: BenchOptions): Promise<unknown> =>
      (await import("./reader.js")).runReaderBench(options),
  },
  index: {
    what: "search and ingestion by size of the index",
    run: async (options: BenchOptions): Promise<unknown> =>
      (await import("./index.js")).runIndexBench(options),
  },
};
type BenchmarkName = keyof typeof BENCHMARKS;
const NAMES = Object.keys(BENCHMARKS).filter((name): name is BenchmarkName => name in BENCHMARKS);

async function bench(name: BenchmarkName | undefined, options: BenchOptions): Promise<void> {
  const wanted = name === undefined ? NAMES : [name];
  const reports: Partial<Record<BenchmarkName, unknown>> = {};
  for (const each of wanted) {
    say(`${each}: ${BENCHMARKS[each].what}`);
    const report = await BENCHMARKS[each].run({ ...options, onProgress: say });
    reports[each] = report;
    if (!options.json) process.stdout.write(`${showReport(report)}\n\n`);
  }
  // One benchmark is its own document; several are named.
  if (options.json) printJson(name === undefined ? reports : reports[name]);
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
    .configureOutput({ outputError: () => undefined })
    .exitOverride()
    .action(bench);
  try {
    await program.parseAsync();
    return 0;
  } catch (error) {
    return reportError(error, { help: "see: npm run bench -- --help" });
  }
}

survivePipes();
exitWhenWritten(await main());
