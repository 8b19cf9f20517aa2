/** What the embedded store costs as it grows: ingestion, disk, memory and search, next to its engine called bare. */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { DATABASE_FILE, openDatabase } from "../src/retrieval/sqlite/database.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import type { SearchRequest } from "../src/retrieval/knowledge-base.js";
import { viewOf } from "../src/retrieval/view.js";
import { readFilter } from "../src/settings/filter.js";
import { percentile } from "../evals/ranking-metrics.js";
import {
  bareKeyword,
  bareVector,
  HITS,
  RANKS,
  readPassages,
  type Rank,
  type Rows,
} from "./bare-engine.js";
import { buildIndex, type BuiltIndex } from "./built-index.js";
import { SYNTHETIC_FILTER, SYNTHETIC_PRINCIPAL, syntheticQueries } from "./synthetic-passages.js";
import { timed, type Took } from "./timed.js";

export interface IndexBenchRow {
  /** Passages. */
  size: number;
  /** `hybrid` is what the agent uses by default. */
  mode: "keyword" | "vector" | "hybrid";
  /**
   * Milliseconds of the same question put to SQLite directly, without fetching the passages' other columns; the median, of the cheaper of the
   * two ways in which it can be told to rank.
   */
  bare: number;
  p50: number;
  p95: number;
  /** Of the same questions by a caller with permissions and a filter. */
  filtered_p50: number;
  filtered_p95: number;
  /** The 95th percentile with the filter over the one without. */
  filtered_ratio: number;
  /** Median over the bare engine's: below 1, ours costs less. */
  overhead: number;
  /** The same in processor time, which other work on the machine disturbs less. */
  cpu_bare: number;
  /** Of the bare engine when it also reads what ours reads: the passages of the hits. */
  cpu_bare_reading: number;
  cpu_p50: number;
  cpu_p95: number;
  cpu_overhead: number;
  cpu_overhead_reading: number;
  /** Passages a second, analysis, full text and vectors included. */
  ingest_per_second: number;
  /** Megabytes. */
  disk_mb: number;
  /** Megabytes of resident memory after the searches. */
  memory_mb: number;
}

export interface IndexReport {
  machine: string;
  rows: IndexBenchRow[];
}

export interface IndexBenchOptions {
  /** Passages; 10k and 100k by default. */
  sizes?: readonly number[];
  /** A small size and few queries: to see that it works. */
  quick?: boolean;
  /** A million passages as well: an hour, and some gigabytes. */
  full?: boolean;
  /** Of the vectors; 0 leaves vectors out. */
  dimensions?: number;
  queries?: number;
  /** Holds the indexes, each in a folder of its own; one that is there is not built again. Without it they are built in a temporary one. */
  directory?: string;
  onProgress?: (message: string) => void;
}

/** Builds an index of each size and measures it. */
export async function runIndexBench({
  quick = false,
  full = false,
  sizes = quick ? [2_000] : [10_000, 100_000, ...(full ? [1_000_000] : [])],
  dimensions = 128,
  queries = quick ? 20 : 100,
  directory,
  onProgress,
}: IndexBenchOptions = {}): Promise<IndexReport> {
  const rows: IndexBenchRow[] = [];
  const folder = directory ?? (await mkdtemp(path.join(tmpdir(), "bench-index-")));
  try {
    for (const size of sizes) {
      const built = await buildIndex({
        directory: path.join(folder, `${size}-${dimensions}`),
        size,
        dimensions,
        onProgress,
      });
      rows.push(...(await benchSize({ ...built, size, queries, onProgress })));
      if (directory === undefined) await rm(built.directory, { recursive: true });
    }
  } finally {
    if (directory === undefined) await rm(folder, { recursive: true, force: true });
  }
  return {
    machine: `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, Node ${process.version}`,
    rows,
  };
}

/** A question as it is put to the engine. */
type Way = (query: string) => unknown;

/** How many candidates each leg gives to a fusion, as in our own search. */
const LEG = 100;

type Sized = BuiltIndex &
  Required<Pick<IndexBenchOptions, "queries">> &
  Pick<IndexBenchOptions, "onProgress"> & { size: number };

async function benchSize({
  directory,
  embedder,
  perSecond,
  size,
  queries,
  onProgress,
}: Sized): Promise<IndexBenchRow[]> {
  const { size: bytes } = await stat(path.join(directory, DATABASE_FILE));
  const opened = await openSqliteKnowledgeBase({ directory, embedder, readOnly: true });
  const filter = readFilter(SYNTHETIC_FILTER);
  const bare = await openDatabase(directory, true);
  const asked = syntheticQueries(queries);
  const shared = {
    size,
    ingest_per_second: Math.round(perSecond),
    disk_mb: Math.round(bytes / 1e5) / 10,
  };
  const rows: IndexBenchRow[] = [];
  const measure = async (
    mode: IndexBenchRow["mode"],
    request: (query: string) => SearchRequest,
    { asking, reading }: { asking: Way[]; reading: Way[] },
  ): Promise<void> => {
    onProgress?.(`${size}: ${mode}`);
    const search = (query: string) => opened.search(mode, request(query));
    const filtered: Took[] = [];
    // In turn, so that all meet the same caches and the same load of the machine.
    const ours: Took[] = [];
    const theirs = new Map([...asking, ...reading].map((way): [Way, Took[]] => [way, []]));
    for (const query of [...asked.slice(0, 5), ...asked]) {
      for (const [way, times] of theirs) times.push(await timed(async () => way(query)));
      ours.push(await timed(() => search(query)));
      filtered.push(
        await timed(async () => {
          const view = await viewOf(opened, { principal: SYNTHETIC_PRINCIPAL, filter });
          return view.search(mode, request(query));
        }),
      );
    }
    const at = (times: readonly Took[], key: keyof Took, share: number): number =>
      percentile(
        times.slice(5).map((each) => each[key]),
        share,
      );
    const cheapest = (ways: readonly Way[], key: keyof Took): number =>
      Math.min(...ways.map((way) => at(theirs.get(way) ?? [], key, 0.5)));
    rows.push({
      ...shared,
      mode,
      bare: round(cheapest(asking, "wallInMs")),
      p50: round(at(ours, "wallInMs", 0.5)),
      p95: round(at(ours, "wallInMs", 0.95)),
      filtered_p50: round(at(filtered, "wallInMs", 0.5)),
      filtered_p95: round(at(filtered, "wallInMs", 0.95)),
      filtered_ratio: round(at(filtered, "wallInMs", 0.95) / at(ours, "wallInMs", 0.95)),
      overhead: round(at(ours, "wallInMs", 0.5) / cheapest(asking, "wallInMs")),
      cpu_bare: round(cheapest(asking, "cpuInMs")),
      cpu_bare_reading: round(cheapest(reading, "cpuInMs")),
      cpu_p50: round(at(ours, "cpuInMs", 0.5)),
      cpu_p95: round(at(ours, "cpuInMs", 0.95)),
      cpu_overhead: round(at(ours, "cpuInMs", 0.5) / cheapest(asking, "cpuInMs")),
      cpu_overhead_reading: round(at(ours, "cpuInMs", 0.5) / cheapest(reading, "cpuInMs")),
      memory_mb: Math.round(process.memoryUsage().rss / 1e6),
    });
  };
  const plain = (query: string): SearchRequest => ({ query, limit: HITS });
  /** In both ways to rank. */
  const ranked = (ask: (query: string, rank: Rank) => Promise<Rows> | Rows) => ({
    asking: RANKS.map(
      (rank): Way =>
        (query) =>
          ask(query, rank),
    ),
    reading: RANKS.map(
      (rank): Way =>
        async (query) =>
          readPassages(bare, (await ask(query, rank)).slice(0, HITS)),
    ),
  });
  await measure(
    "keyword",
    plain,
    ranked((query, rank) => bareKeyword(bare, rank, query)),
  );
  if (embedder !== undefined) {
    const nearest = async (query: string, limit?: number): Promise<Rows> =>
      bareVector(bare, await embedder.embedQuery(query), limit);
    await measure("vector", plain, {
      asking: [(query) => nearest(query)],
      reading: [async (query) => readPassages(bare, await nearest(query))],
    });
    await measure(
      "hybrid",
      plain,
      ranked(async (query, rank) => [
        ...bareKeyword(bare, rank, query, LEG).slice(0, HITS / 2),
        ...(await nearest(query, LEG)).slice(0, HITS / 2),
      ]),
    );
  }
  bare.close();
  await opened.close();
  return rows;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
