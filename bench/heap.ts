/** `bench heap`: what many asks leave in memory, and on a thread in checkpoints. */
import { MemorySaver } from "@langchain/langgraph";
import { createCorrectiveRag } from "../src/corrective-rag.js";
import { passageBase } from "../evals/live/passage-base.js";

export interface HeapReport {
  /** After so many asks, in megabytes. */
  rows: { asks: number; heap_mb: number }[];
  /** Bytes that a turn adds to the checkpoints of one thread, by the number of the turn. */
  turns: { turn: number; bytes: number }[];
}

const TOWNS = ["Dunmore", "Halden", "Orrin", "Selby"];
const QUESTIONS = TOWNS.map((town) => `When was ${town} founded?`);
const MB = 1024 * 1024;

export async function runHeapBench({
  quick = false,
}: { quick?: boolean } = {}): Promise<HeapReport> {
  const agentFor = (checkpointer: MemorySaver | false) =>
    createCorrectiveRag({
      settings: { auditLog: "off", reader: "lexical" },
      model: "embedded",
      knowledgeBase: passageBase(
        TOWNS.map((town, n) => ({
          path: `${town}.md`,
          title: town,
          text: `${town} was founded in ${1800 + n}.`,
        })),
      ),
      checkpointer,
    });
  const agent = agentFor(false);
  const rows: HeapReport["rows"] = [];
  const step = quick ? 25 : 250;
  for (let asks = 0; asks <= 8 * step; asks += 1) {
    if (asks % step === 0) {
      globalThis.gc?.();
      rows.push({ asks, heap_mb: Math.round((process.memoryUsage().heapUsed / MB) * 10) / 10 });
    }
    await agent.ask(QUESTIONS[asks % QUESTIONS.length] ?? "");
  }
  await agent.close();

  const saver = new MemorySaver();
  const talking = agentFor(saver);
  const turns: HeapReport["turns"] = [];
  const last = quick ? 10 : 200;
  for (let turn = 1; turn <= last; turn += 1) {
    const before = bytesIn(saver);
    await talking.ask(QUESTIONS[turn % QUESTIONS.length] ?? "", { threadId: "t" });
    if (turn === 1 || turn % (last / 5) === 0) turns.push({ turn, bytes: bytesIn(saver) - before });
  }
  await talking.close();
  return { rows, turns };
}

function bytesIn({ storage }: MemorySaver): number {
  return Object.values(storage)
    .flatMap((namespaces) => Object.values(namespaces))
    .flatMap((checkpoints) => Object.values(checkpoints))
    .reduce((sum, [checkpoint, metadata]) => sum + checkpoint.length + metadata.length, 0);
}
