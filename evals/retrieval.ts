/** Retrieval quality and speed on a set in BEIR's layout, by each way to search. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Embedder } from "../src/reader/embedder.js";
import type { Hit, KnowledgeBase, SearchMode } from "../src/retrieval/knowledge-base.js";
import { createReader } from "../src/reader/create-reader.js";
import { readerEmbedder } from "../src/retrieval/embedders.js";
import { filterMatcher } from "../src/retrieval/search-filter.js";
import { readFilter, type Filter } from "../src/settings/filter.js";
import { readEnvironment } from "../src/settings/environment.js";
import { completeSettings } from "../src/settings/run-settings.js";
import { say } from "../src/cli/terminal.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { readRetrievalSet, type RetrievalQuery } from "./beir.js";
import { percentile, rankingMetrics, type RankingMetrics } from "./ranking-metrics.js";
import { PARTS, storeCorpus } from "./store-corpus.js";

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
  /**
   * Each query is asked of a quarter of the documents, that of its own number: searched in the quarter
   * by a filter, and searched in all, of which the quarter is kept. Queries that the quarter answers.
   */
  filtered: ({
    search: string;
    filter: "in the search" | "afterwards";
    n: number;
  } & RetrievalMeasurement)[];
}

export interface RetrievalEvalOptions {
  directory: string;
  split?: string;
  /** Queries at most. */
  limit?: number;
  /** Makes the vectors; by default the reader that the environment names. Null for words alone. */
  embedder?: Embedder | null;
}

/** Documents that the deepest metric looks at. */
const DOCUMENTS = 100;
/** A document has some two passages on average: mostly enough for so many documents. */
const PASSAGES = 200;
/** Where long documents fill the list with their passages, it is made longer, up to this. */
const MOST_PASSAGES = 3_200;

type Search = (query: string, limit: number, filter?: Filter) => Promise<Hit[]>;
type FilteredQuery = Pick<RetrievalQuery, "text" | "grades"> & { filter?: Filter };

/**
 * Ingests the corpus into a knowledge base of its own, which is deleted afterwards, and runs each query. A document ranks where its best
 * passage does.
 * @throws UserError when the directory is not in BEIR's layout
 */
export async function runRetrievalEval({
  directory,
  split,
  limit,
  embedder = usualEmbedder(),
}: RetrievalEvalOptions): Promise<RetrievalEval> {
  const set = readRetrievalSet(directory, split);
  const queries = set.queries.slice(0, limit);
  const folder = await mkdtemp(path.join(tmpdir(), "retrieval-eval-"));
  const knowledgeBase = await openSqliteKnowledgeBase({
    directory: folder,
    embedder: embedder ?? undefined,
  });
  try {
    await storeCorpus(set.corpus, knowledgeBase);
    const { documents, passages } = await knowledgeBase.stats();
    const parts = await partsOf(knowledgeBase, queries);
    const filtered: RetrievalEval["filtered"] = [];
    const table: { search: SearchMode; measured: RetrievalMeasurement }[] = [];
    for (const search of knowledgeBase.modes) {
      const run: Search = (query, limit) => knowledgeBase.search(search, { query, limit });
      table.push({ search, measured: await measure(run, queries) });
      const n = parts.length;
      const inside: Search = (query, limit, filter) =>
        knowledgeBase.search(search, { query, limit, filter });
      const after: Search = async (query, limit, filter) => {
        const passes = filterMatcher(filter);
        return (await run(query, limit)).filter(({ passage }) => passes(passage));
      };
      filtered.push({ search, filter: "in the search", n, ...(await measure(inside, parts)) });
      filtered.push({ search, filter: "afterwards", n, ...(await measure(after, parts)) });
    }
    // The mode that is preferred comes first.
    const [usual] = table;
    if (usual === undefined) throw new Error("the knowledge base serves no search");
    return {
      n: queries.length,
      ...usual.measured,
      split: set.split,
      documents,
      passages,
      table: table.map(({ search, measured }) => ({ search, ...measured })),
      filtered,
    };
  } finally {
    await knowledgeBase.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Narrows each query to a part of the documents; leaves out those that the part does not answer. */
async function partsOf(
  knowledgeBase: KnowledgeBase,
  queries: readonly RetrievalQuery[],
): Promise<FilteredQuery[]> {
  const documents = await knowledgeBase.documents();
  const partOf = new Map(documents.map(({ path, metadata }) => [idOf(path), metadata?.["part"]]));
  return queries.flatMap(({ text, grades: all }, at) => {
    const part = at % PARTS;
    const grades = new Map([...all].filter(([id]) => partOf.get(id) === part));
    const isAnswered = [...grades.values()].some((grade) => grade > 0);
    return isAnswered ? [{ text, grades, filter: readFilter(`part = ${part}`) }] : [];
  });
}

/** Undefined for a reader without vectors: then words alone are measured. */
function usualEmbedder(): Embedder | undefined {
  const { reader } = completeSettings(readEnvironment(process.env).settings);
  return readerEmbedder(createReader({ model: reader, notice: say }), { owned: true });
}

async function measure(
  search: Search,
  queries: readonly FilteredQuery[],
): Promise<RetrievalMeasurement> {
  const measured: RankingMetrics[] = [];
  const times: number[] = [];
  for (const { text, grades, filter } of queries) {
    const started = performance.now();
    const hits = await search(text, PASSAGES, filter);
    times.push(performance.now() - started);
    measured.push(
      rankingMetrics(await rankedDocuments(hits, (limit) => search(text, limit, filter)), grades),
    );
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

/** Documents in the order of their best passages. A longer list only adds to a shorter one: the depth of a search may change its top a little. */
async function rankedDocuments(
  hits: readonly Hit[],
  deeper: (limit: number) => Promise<Hit[]>,
): Promise<string[]> {
  const ranked = new Set(hits.map(documentOf));
  let [found, limit] = [hits.length, PASSAGES];
  while (ranked.size < DOCUMENTS && found >= limit && limit < MOST_PASSAGES) {
    limit *= 4;
    const more = await deeper(limit);
    for (const hit of more) ranked.add(documentOf(hit));
    found = more.length;
  }
  return [...ranked];
}

function documentOf({ passage }: Hit): string {
  return idOf(passage.path);
}

function idOf(path: string): string {
  return path.slice(path.indexOf("#") + 1);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
