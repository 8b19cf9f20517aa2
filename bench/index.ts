/** What the embedded store costs as it grows: ingestion, disk, memory and search, next to its engine called bare. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { DATABASE_FILE, openDatabase } from "../src/retrieval/sqlite/database.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import type { Embedder, SearchRequest, WritableKnowledgeBase } from "../src/retrieval/knowledge-base.js";
import { percentile } from "../evals/ranking-metrics.js";
import { bareExpansion, bareKeyword, bareVector, HITS, RANKS, type Rank } from "./bare-engine.js";
import { syntheticPassages, syntheticQueries } from "./synthetic-passages.js";

export interface IndexBenchRow {
  /** Passages. */
  size: number;
  /** `keyword` is plain BM25, `expanded` what the agent uses by default. */
  mode: "keyword" | "expanded" | "vector" | "hybrid";
  /**
   * Milliseconds of the same question put to SQLite directly, without fetching the passages' other columns; the median, of the cheaper of the
   * two ways in which it can be told to rank. For `expanded`, of two questions: this one, and five words of its best hit.
   */
  bare: number;
  p50: number;
  p95: number;
  /** Median over the bare engine's: below 1, ours costs less. */
  overhead: number;
  /** The same in processor time, which other work on the machine disturbs less. */
  cpu_bare: number;
  cpu_p50: number;
  cpu_p95: number;
  cpu_overhead: number;
  /** Passages a second, analysis, full text and vectors included. */
  ingest_per_second: number;
  /** Megabytes. */
  disk_mb: number;
  /** Megabytes of resident memory after the searches. */
  memory_mb: number;
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

const BATCH = 500;

/** Builds an index of each size and measures it. */
export async function runIndexBench({
  quick = false,
  full = false,
  sizes = quick ? [2_000] : [10_000, 100_000, ...(full ? [1_000_000] : [])],
  dimensions = 128,
  queries = quick ? 20 : 100,
  directory,
  onProgress,
}: IndexBenchOptions = {}): Promise<{
  machine: string;
  rows: IndexBenchRow[];
}> {
  const rows: IndexBenchRow[] = [];
  const folder = directory ?? (await mkdtemp(path.join(tmpdir(), "bench-index-")));
  try {
    for (const size of sizes) {
      const built = await build({ directory: path.join(folder, `${size}-${dimensions}`), size, dimensions, onProgress });
      rows.push(...(await benchSize({ ...built, size, queries, onProgress })));
      if (directory === undefined) await rm(built.directory, { recursive: true });
    }
  } finally {
    if (directory === undefined) await rm(folder, { recursive: true, force: true });
  }
  return { machine: `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, Node ${process.version}`, rows };
}

interface Built {
  directory: string;
  embedder: Embedder | undefined;
  /** Passages a second. */
  perSecond: number;
}

interface BuildOptions extends Pick<IndexBenchOptions, "onProgress"> {
  directory: string;
  size: number;
  dimensions: number;
}

/** How fast an index was built, beside it: written last, so that one without it is unfinished. */
const RATE_FILE = "passages-a-second";

async function build({ directory, size, dimensions, onProgress }: BuildOptions): Promise<Built> {
  const embedder = dimensions > 0 ? hashEmbedder(dimensions) : undefined;
  const rateFile = path.join(directory, RATE_FILE);
  if (existsSync(rateFile)) return { directory, embedder, perSecond: Number(await readFile(rateFile, "utf8")) };
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const knowledgeBase = await openSqliteKnowledgeBase({ directory, embedder });
  const started = performance.now();
  await fill(knowledgeBase, size, onProgress);
  await knowledgeBase.close();
  const perSecond = size / ((performance.now() - started) / 1000);
  await writeFile(rateFile, String(perSecond));
  return { directory, embedder, perSecond };
}

type Sized = Built & Required<Pick<IndexBenchOptions, "queries">> & Pick<IndexBenchOptions, "onProgress"> & { size: number };

async function benchSize({ directory, embedder, perSecond, size, queries, onProgress }: Sized): Promise<IndexBenchRow[]> {
  const { size: bytes } = await stat(path.join(directory, DATABASE_FILE));
  const opened = await openSqliteKnowledgeBase({ directory, embedder, readOnly: true });
  const bare = await openDatabase({ directory, readOnly: true });
  if (embedder !== undefined) bare.loadExtension((await import("sqlite-vec")).getLoadablePath());
  const asked = syntheticQueries(queries);
  const shared = { size, ingest_per_second: Math.round(perSecond), disk_mb: Math.round(bytes / 1e5) / 10 };
  const rows: IndexBenchRow[] = [];
  const measure = async (
    mode: IndexBenchRow["mode"],
    request: (query: string) => SearchRequest,
    ...ways: ((query: string) => unknown)[]
  ): Promise<void> => {
    onProgress?.(`${size}: ${mode}`);
    const search = (query: string) => opened.search(mode === "expanded" ? "keyword" : mode, request(query));
    // In turn, so that all meet the same caches and the same load of the machine.
    const ours: Times[] = [];
    const theirs = ways.map((): Times[] => []);
    for (const query of [...asked.slice(0, 5), ...asked]) {
      for (const [way, times] of theirs.entries()) times.push(await timed(async () => ways[way]?.(query)));
      ours.push(await timed(() => search(query)));
    }
    const at = (times: readonly Times[], key: keyof Times, share: number): number =>
      percentile(
        times.slice(5).map((each) => each[key]),
        share,
      );
    const cheapest = (key: keyof Times): number => Math.min(...theirs.map((times) => at(times, key, 0.5)));
    rows.push({
      ...shared,
      mode,
      bare: round(cheapest("wall")),
      p50: round(at(ours, "wall", 0.5)),
      p95: round(at(ours, "wall", 0.95)),
      overhead: round(at(ours, "wall", 0.5) / cheapest("wall")),
      cpu_bare: round(cheapest("cpu")),
      cpu_p50: round(at(ours, "cpu", 0.5)),
      cpu_p95: round(at(ours, "cpu", 0.95)),
      cpu_overhead: round(at(ours, "cpu", 0.5) / cheapest("cpu")),
      memory_mb: Math.round(process.memoryUsage().rss / 1e6),
    });
  };
  const plain = (query: string): SearchRequest => ({ query, limit: HITS, expand: false });
  const expanded = (query: string): SearchRequest => ({ query, limit: HITS });
  const each = <T>(work: (rank: Rank) => T): T[] => RANKS.map(work);
  await measure("keyword", plain, ...each((rank) => (query: string) => bareKeyword(bare, rank, query)));
  await measure("expanded", expanded, ...each((rank) => (query: string) => bareExpansion(bare, rank, query)));
  if (embedder !== undefined) {
    await measure("vector", plain, async (query) => bareVector(bare, await embedder.embedQuery(query)));
    await measure(
      "hybrid",
      plain,
      ...each((rank) => async (query: string) => {
        bareKeyword(bare, rank, query, 100);
        bareVector(bare, await embedder.embedQuery(query), 100);
      }),
    );
  }
  bare.close();
  await opened.close();
  return rows;
}

async function fill(knowledgeBase: WritableKnowledgeBase, size: number, onProgress: IndexBenchOptions["onProgress"]): Promise<void> {
  let stored = 0;
  for (const batch of syntheticPassages(size, BATCH)) {
    await knowledgeBase.put(
      batch.map((passage) => ({
        record: { path: passage.path, hash: passage.id, kind: "text", title: passage.title, bytes: passage.text.length },
        passages: [passage],
      })),
    );
    stored += batch.length;
    if (stored % 10_000 === 0) onProgress?.(`${size}: ${stored} stored`);
  }
}

/** Vectors that cost nothing to make, the same for the same text. */
function hashEmbedder(dimensions: number): Embedder {
  const embed = (text: string): number[] => {
    const vector = new Array<number>(dimensions).fill(0);
    for (let index = 0; index < text.length; index++) {
      const place = (text.charCodeAt(index) * 31 + index) % dimensions;
      vector[place] = (vector[place] ?? 0) + 1;
    }
    return vector;
  };
  return { model: `hash-${dimensions}`, embedDocuments: async (texts) => texts.map(embed), embedQuery: async (text) => embed(text) };
}

/** Milliseconds on the clock and of the processor. */
interface Times {
  wall: number;
  cpu: number;
}

async function timed(work: () => Promise<unknown>): Promise<Times> {
  const started = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - started, cpu: (user + system) / 1000 };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
