/** What the embedded store costs as it grows: ingestion, disk, memory and search, next to its engine called bare. */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { openDatabase, type Database } from "../src/retrieval/sqlite/database.js";
import { anyOf } from "../src/retrieval/sqlite/fts-query.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import type { Embedder, SearchRequest, WritableKnowledgeBase } from "../src/retrieval/knowledge-base.js";
import { searchTerms } from "../src/text/search-terms.js";
import { percentile } from "../evals/ranking-metrics.js";
import { syntheticPassages, syntheticQueries } from "./synthetic-passages.js";

export interface IndexBenchRow {
  /** Passages. */
  size: number;
  /** `keyword` is plain BM25, `expanded` what the agent uses by default. */
  mode: "keyword" | "expanded" | "vector" | "hybrid";
  /**
   * Milliseconds of the same question put to SQLite directly, without fetching the passages' other columns; the median. For `expanded`, of two
   * questions: this one, and five words of its best hit.
   */
  bare: number;
  p50: number;
  p95: number;
  /** Median over the bare engine's. */
  overhead: number;
  /** The same three in processor time, which other work on the machine disturbs less. */
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
  onProgress?: (message: string) => void;
}

const HITS = 10;
const BATCH = 500;

/** Builds each size anew in a temporary directory and measures it. */
export async function runIndexBench({
  quick = false,
  full = false,
  sizes = quick ? [2_000] : [10_000, 100_000, ...(full ? [1_000_000] : [])],
  dimensions = 128,
  queries = quick ? 20 : 100,
  onProgress,
}: IndexBenchOptions = {}): Promise<{
  machine: string;
  rows: IndexBenchRow[];
}> {
  const rows: IndexBenchRow[] = [];
  for (const size of sizes) {
    const directory = await mkdtemp(path.join(tmpdir(), "bench-index-"));
    try {
      rows.push(...(await benchSize({ directory, size, dimensions, queries, onProgress })));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
  return { machine: `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, Node ${process.version}`, rows };
}

type Sized = Required<Pick<IndexBenchOptions, "dimensions" | "queries">> &
  Pick<IndexBenchOptions, "onProgress"> & { directory: string; size: number };

async function benchSize({ directory, size, dimensions, queries, onProgress }: Sized): Promise<IndexBenchRow[]> {
  const embedder = dimensions > 0 ? hashEmbedder(dimensions) : undefined;
  const knowledgeBase = await openSqliteKnowledgeBase({ directory, embedder });
  const started = performance.now();
  await fill(knowledgeBase, size, onProgress);
  const perSecond = size / ((performance.now() - started) / 1000);
  await knowledgeBase.close();
  const { size: bytes } = await stat(path.join(directory, "kb.sqlite"));

  const opened = await openSqliteKnowledgeBase({ directory, embedder, readOnly: true });
  const bare = await openDatabase({ directory, readOnly: true });
  if (embedder !== undefined) bare.loadExtension((await import("sqlite-vec")).getLoadablePath());
  const asked = syntheticQueries(queries);
  const shared = { size, ingest_per_second: Math.round(perSecond), disk_mb: Math.round(bytes / 1e5) / 10 };
  const rows: IndexBenchRow[] = [];
  const measure = async (
    mode: IndexBenchRow["mode"],
    request: (query: string) => SearchRequest,
    direct: (query: string) => unknown,
  ): Promise<void> => {
    onProgress?.(`${size}: ${mode}`);
    const search = (query: string) => opened.search(mode === "expanded" ? "keyword" : mode, request(query));
    // In turn, so that both meet the same caches and the same load of the machine.
    const ours: Times[] = [];
    const theirs: Times[] = [];
    for (const query of [...asked.slice(0, 5), ...asked]) {
      theirs.push(await timed(async () => direct(query)));
      ours.push(await timed(() => search(query)));
    }
    const at = (times: readonly Times[], key: keyof Times, share: number): number =>
      percentile(
        times.slice(5).map((each) => each[key]),
        share,
      );
    rows.push({
      ...shared,
      mode,
      bare: round(at(theirs, "wall", 0.5)),
      p50: round(at(ours, "wall", 0.5)),
      p95: round(at(ours, "wall", 0.95)),
      overhead: round(at(ours, "wall", 0.5) / at(theirs, "wall", 0.5)),
      cpu_p50: round(at(ours, "cpu", 0.5)),
      cpu_p95: round(at(ours, "cpu", 0.95)),
      cpu_overhead: round(at(ours, "cpu", 0.5) / at(theirs, "cpu", 0.5)),
      memory_mb: Math.round(process.memoryUsage().rss / 1e6),
    });
  };
  const plain = (query: string): SearchRequest => ({ query, limit: HITS, expand: false });
  await measure("keyword", plain, (query) => bareKeyword(bare, query));
  await measure(
    "expanded",
    (query) => ({ query, limit: HITS }),
    (query) => bareExpansion(bare, query),
  );
  if (embedder !== undefined) {
    await measure("vector", plain, async (query) => bareVector(bare, await embedder.embedQuery(query)));
    await measure("hybrid", plain, async (query) => {
      bareKeyword(bare, query, 100);
      bareVector(bare, await embedder.embedQuery(query), 100);
    });
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

function bareKeyword(database: Database, query: string, limit = HITS): number | undefined {
  return bareTerms(database, searchTerms(query), limit);
}

/** Gives the row of the best hit. */
function bareTerms(database: Database, terms: readonly string[], limit: number): number | undefined {
  const expression = anyOf(terms);
  if (expression === undefined) return undefined;
  const rows = database.all("SELECT rowid AS row FROM passage_terms WHERE passage_terms MATCH ? ORDER BY rank LIMIT ?", [
    expression,
    limit,
  ]);
  return rows.length === 0 ? undefined : Number(rows[0]?.["row"]);
}

/** The least that an expansion asks of the engine: a second question, here of the five longest words of the first hit. */
function bareExpansion(database: Database, query: string): void {
  const best = bareKeyword(database, query, 50);
  if (best === undefined) return;
  const terms = String(database.all("SELECT terms FROM passages WHERE id = ?", [best])[0]?.["terms"]).split(" ");
  const longest = [...new Set(terms)].sort((a, b) => b.length - a.length).slice(0, 5);
  bareTerms(database, longest, 50);
}

function bareVector(database: Database, vector: readonly number[], limit = HITS): void {
  database.all("SELECT rowid, distance FROM vectors WHERE vector MATCH ? AND k = ?", [
    Buffer.from(Float32Array.from(vector).buffer),
    limit,
  ]);
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
