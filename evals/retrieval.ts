/** Retrieval quality and speed on a set in BEIR's layout: plain BM25, with expansion, and both fused. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ingest } from "../src/ingest/ingest.js";
import { reciprocalRankFusion } from "../src/retrieval/fusion.js";
import type { Embedder, Hit, KnowledgeBase, SearchMode } from "../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { readRetrievalSet, type RetrievalQuery } from "./beir.js";
import { percentile, rankingMetrics, type RankingMetrics } from "./ranking-metrics.js";

export interface RetrievalMeasurement extends RankingMetrics {
  /** Milliseconds a query. */
  latency_ms: { p50: number; p95: number };
}

export interface RetrievalEval extends RetrievalMeasurement {
  /** Queries. */
  n: number;
  split: string;
  documents: number;
  passages: number;
  /** The metrics above are those of the search that the agent uses by default; here beside its parts. */
  table: ({ search: string } & RetrievalMeasurement)[];
}

export interface RetrievalEvalOptions {
  directory: string;
  split?: string;
  /** Queries at most. */
  limit?: number;
  /** `keyword` by default, `hybrid` where an embedder is given. */
  mode?: SearchMode;
  embedder?: Embedder;
}

/** A document may have several passages: enough of them for 100 documents. */
const PASSAGES = 200;

type Search = (query: string) => Promise<Hit[]>;

/**
 * Ingests the corpus into a knowledge base of its own, which is deleted afterwards, and runs each query. A document ranks where its best
 * passage does.
 * @throws UserError when the directory is not in BEIR's layout
 */
export async function runRetrievalEval({
  directory,
  split,
  limit,
  embedder,
  mode = embedder === undefined ? "keyword" : "hybrid",
}: RetrievalEvalOptions): Promise<RetrievalEval> {
  const set = readRetrievalSet(directory, split);
  const queries = set.queries.slice(0, limit);
  const folder = await mkdtemp(path.join(tmpdir(), "retrieval-eval-"));
  const knowledgeBase = await openSqliteKnowledgeBase({ directory: folder, embedder });
  try {
    await ingest({ targets: [set.corpus], knowledgeBase, cwd: directory });
    const { documents, passages } = await knowledgeBase.stats();
    const usual = await measure((query) => knowledgeBase.search(mode, { query, limit: PASSAGES }), queries);
    const table = [];
    for (const [search, run] of searches(knowledgeBase)) table.push({ search, ...(await measure(run, queries)) });
    return { n: queries.length, ...usual, split: set.split, documents, passages, table };
  } finally {
    await knowledgeBase.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function searches(knowledgeBase: KnowledgeBase): [string, Search][] {
  const plain: Search = (query) => knowledgeBase.search("keyword", { query, limit: PASSAGES, expand: false });
  const expanded: Search = (query) => knowledgeBase.search("keyword", { query, limit: PASSAGES, expand: true });
  const fused: Search = async (query) => reciprocalRankFusion([await plain(query), await expanded(query)]);
  const rest = knowledgeBase.modes.filter((mode) => mode !== "keyword");
  return [
    ["BM25", plain],
    ["BM25 with nearness and expansion", expanded],
    ["both fused", fused],
    ...rest.map((mode): [string, Search] => [mode, (query) => knowledgeBase.search(mode, { query, limit: PASSAGES })]),
  ];
}

async function measure(search: Search, queries: readonly RetrievalQuery[]): Promise<RetrievalMeasurement> {
  const measured: RankingMetrics[] = [];
  const times: number[] = [];
  for (const { text, grades } of queries) {
    const started = performance.now();
    const hits = await search(text);
    times.push(performance.now() - started);
    const ranked = [...new Set(hits.map(({ passage }) => passage.path.slice(passage.path.indexOf("#") + 1)))];
    measured.push(rankingMetrics(ranked, grades));
  }
  const mean = (key: keyof RankingMetrics): number =>
    round(measured.reduce((sum, metrics) => sum + metrics[key], 0) / Math.max(1, measured.length));
  return {
    "ndcg@10": mean("ndcg@10"),
    "recall@10": mean("recall@10"),
    "recall@100": mean("recall@100"),
    "mrr@10": mean("mrr@10"),
    latency_ms: { p50: round(percentile(times, 0.5)), p95: round(percentile(times, 0.95)) },
  };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
