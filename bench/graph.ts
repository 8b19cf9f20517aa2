/**
 * `bench graph`: the time of our graph for one question, without a model, on a warm index, beside a
 * bare graph that retrieves, grades and quotes on the same LangGraph, knowledge base and reader. It
 * measures what ours adds: rewriting, routing, planning, refinement, the guard, citations, events,
 * budget and the audit log.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { assembleWindow } from "../src/answering/context-window.js";
import { extractAnswer } from "../src/answering/extract-answer.js";
import { wholePassages } from "../src/answering/strips.js";
import { assemble } from "../src/assembly.js";
import { demoPages } from "../src/assembly/demo.js";
import { ingest } from "../src/ingest/ingest.js";
import { createReader } from "../src/reader/create-reader.js";
import type { Reader } from "../src/reader/reader.js";
import { readerEmbedder } from "../src/retrieval/embedders.js";
import type { KnowledgeBase } from "../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import type { Evidence } from "../src/state/evidence.js";
import { evidenceFromHit } from "../src/tools/make-evidence.js";
import { latencyOf, type Latency } from "./latency.js";
import { timed, type Took } from "./timed.js";

export interface GraphReport {
  n: number;
  ours: Latency;
  textbook: Latency;
  /** Ours by textbook, medians. */
  ratio: number;
  /** The same in processor time, which other work on the machine disturbs less. */
  ours_cpu: Latency;
  textbook_cpu: Latency;
  cpu_ratio: number;
  /** Ours with the corrections that these questions call for by default. */
  with_corrections: Latency;
}

const DOCS = fileURLToPath(new URL("../docs", import.meta.url));
const WARM_UP = 10;

/** One pass against one pass: a correction is a search that the other graph never makes. */
const ONE_PASS = { max_iterations: 0 };

/** On the docs. */
const QUESTIONS = [
  "When does the agent search again instead of answering?",
  "Which fast-path rules approve evidence without a judge?",
  "What does the guard check?",
  "How is the context window assembled?",
  "What does the signals profile measure?",
];

export async function runGraphBench({
  quick = false,
}: { quick?: boolean } = {}): Promise<GraphReport> {
  const folder = await mkdtemp(join(tmpdir(), "bench-graph-"));
  const reader = createReader();
  const embedder = readerEmbedder(reader);
  const knowledgeBase = await openSqliteKnowledgeBase({ directory: join(folder, "kb"), embedder });
  try {
    await ingest({ targets: await demoPages(DOCS), knowledgeBase });
    const agent = assemble({
      environment: { KB_AGENT_AUDIT_LOG_PATH: join(folder, "audit.jsonl"), WEB_SEARCH: "off" },
      knowledgeBase,
      model: "embedded",
      reader,
      checkpointer: false,
    });
    const textbook = textbookGraph(knowledgeBase, reader);
    const durations = { ours: [] as Took[], textbook: [] as Took[], corrected: [] as Took[] };
    const rounds = quick ? 20 : 200;
    for (let n = 0; n < rounds + WARM_UP; n++) {
      const question = QUESTIONS[n % QUESTIONS.length] ?? "";
      // Taken in turns, so that both meet the same machine.
      const ours = await timed(() => agent.graph.invoke({ question }, { context: ONE_PASS }));
      const bare = await timed(() => textbook.invoke({ question }));
      const corrected = await timed(() => agent.graph.invoke({ question }));
      if (n < WARM_UP) continue;
      durations.corrected.push(corrected);
      durations.ours.push(ours);
      durations.textbook.push(bare);
    }
    await agent.close();
    const wall = (took: readonly Took[]): Latency =>
      latencyOf(took.map(({ wallInMs }) => wallInMs));
    const cpu = (took: readonly Took[]): Latency => latencyOf(took.map(({ cpuInMs }) => cpuInMs));
    const [ours, bare] = [wall(durations.ours), wall(durations.textbook)];
    const [oursCpu, bareCpu] = [cpu(durations.ours), cpu(durations.textbook)];
    return {
      n: rounds,
      ours,
      textbook: bare,
      ratio: ratioOf(ours, bare),
      ours_cpu: oursCpu,
      textbook_cpu: bareCpu,
      cpu_ratio: ratioOf(oursCpu, bareCpu),
      with_corrections: wall(durations.corrected),
    };
  } finally {
    await knowledgeBase.close();
    await reader.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The graph of the tutorials: one search, one judgement, one answer; nothing is checked and nothing comes back. */
function textbookGraph(knowledgeBase: KnowledgeBase, reader: Reader) {
  const State = Annotation.Root({
    question: Annotation<string>(),
    documents: Annotation<Evidence[]>(),
    answer: Annotation<string>(),
  });
  return new StateGraph(State)
    .addNode("retrieve", async ({ question }) => {
      const hits = await knowledgeBase.search("hybrid", { query: question, limit: 5 });
      return {
        documents: hits.map((hit) => evidenceFromHit(hit, { tool: "hybrid_search", round: 0 })),
      };
    })
    .addNode("grade", async ({ question, documents }) => {
      const { passages } = await reader.relevance({ question, passages: documents });
      return {
        documents: documents.filter((_, position) => (passages[position]?.value ?? 0) >= 0.3),
      };
    })
    .addNode("generate", async ({ question, documents }) => {
      const window = assembleWindow({
        evidence: documents,
        strips: wholePassages(documents),
        label: "CORRECT",
        budgetInTokens: 4096,
      });
      const answer = await extractAnswer({
        question,
        window,
        evidence: documents,
        reader,
      });
      return { answer };
    })
    .addEdge(START, "retrieve")
    .addEdge("retrieve", "grade")
    .addEdge("grade", "generate")
    .addEdge("generate", END)
    .compile();
}

function ratioOf(ours: Latency, bare: Latency): number {
  return Math.round((ours.p50 / bare.p50) * 100) / 100;
}
