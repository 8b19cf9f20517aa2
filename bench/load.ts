/** `bench load`: many conversations at once with the server, then one client's flood beside another's question. */
import { readdir, readFile, stat } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { percentile } from "../evals/ranking-metrics.js";
import { startServe } from "../tests/server/dev-server.js";
import { foundedIn, TOWN_FILES, TOWNS } from "../tests/server/towns.js";

export interface LoadReport {
  machine: string;
  conversations: number;
  seconds: number;
  turns: number;
  turns_per_second: number;
  errors: number;
  /** Of a turn, in milliseconds. */
  turn_ms: { p50: number; p95: number };
  /** Of `/ok`, asked ten times a second beside them, in milliseconds: what the event loop kept others waiting. */
  ok_ms: { p50: number; p95: number; max: number };
  /** Resident memory of the server in megabytes, before and after. */
  memory_mb: { before: number; after: number };
  /** Processor time of the server for a turn, in milliseconds: the same under any load. */
  cpu_ms_per_turn: number;
  /** What a turn left in the server's store, in bytes. */
  stored_bytes_per_turn: number;
  flood: {
    /** Runs of one client that wait or run when another asks. */
    runs: number;
    /** Of them, ended between the question and its first step. */
    ended_before: number;
    /** Until the other had its answer. */
    answer_ms: number;
  };
}

const [CROWD, OTHER] = ["crowd-key", "other-key"];

export async function runLoadBench({
  quick = false,
  conversations = quick ? 5 : 50,
  seconds = quick ? 3 : 120,
  runs = quick ? 50 : 2_000,
}: {
  quick?: boolean;
  conversations?: number;
  seconds?: number;
  runs?: number;
} = {}): Promise<LoadReport> {
  const server = await startServe(TOWN_FILES, {
    CRAG_API_KEYS: `crowd:${CROWD},other:${OTHER}`,
    CRAG_MAX_RUNS_PER_CLIENT: String(runs + conversations),
    CRAG_AUDIT_LOG: "off",
  });
  const clientOf = (apiKey: string) =>
    new Client({ apiUrl: server.url, apiKey, callerOptions: { maxRetries: 0 } });
  const store = join(server.folder, ".corrective-rag");
  try {
    const client = clientOf(CROWD);
    const question = (turn: number) => `When was ${TOWNS[turn % TOWNS.length] ?? ""} founded?`;
    const isRight = (values: unknown, turn: number) =>
      String(Reflect.get(Object(values), "answer")).includes(
        foundedIn(TOWNS[turn % TOWNS.length] ?? ""),
      );
    await client.runs.wait(null, "agent", { input: { question: question(0) } });
    const before = await usageOf(server.pid);
    const stored = await bytesIn(store);
    const until = performance.now() + seconds * 1_000;
    const turns: number[] = [];
    let errors = 0;
    const talk = async (index: number): Promise<void> => {
      const { thread_id: thread } = await client.threads.create();
      for (let turn = index; performance.now() < until; turn += 1) {
        const started = performance.now();
        const input = { question: question(turn) };
        const isAnswered = await client.runs.wait(thread, "agent", { input }).then(
          (values) => isRight(values, turn),
          () => false,
        );
        if (!isAnswered) errors += 1;
        turns.push(performance.now() - started);
      }
    };
    const waited: number[] = [];
    const watch = async (): Promise<void> => {
      while (performance.now() < until) {
        const started = performance.now();
        await fetch(`${server.url}/ok`);
        waited.push(performance.now() - started);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    await Promise.all([watch(), ...Array.from({ length: conversations }, (_, n) => talk(n))]);
    const after = await usageOf(server.pid);
    const grown = (await bytesIn(store)) - stored;

    for (let sent = 0; sent < runs; sent += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          client.runs.create(null, "agent", { input: { question: question(n) } }),
        ),
      );
    const headers = { "x-api-key": CROWD };
    const ended = async (): Promise<number> => {
      const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
      return Number(/^crag_runs_total\{status="success"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    };
    const gauge = await (await fetch(`${server.url}/metrics`, { headers })).text();
    const queued = [...gauge.matchAll(/^crag_runs_(?:running|waiting) (\d+)$/gm)];
    const endedBefore = await ended();
    const asked = performance.now();
    let endedAtStart: number | undefined;
    const input = { question: question(0) };
    for await (const { event } of clientOf(OTHER).runs.stream(null, "agent", { input }))
      if (event === "values") endedAtStart ??= await ended();
    return {
      machine: `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, Node ${process.version}`,
      conversations,
      seconds,
      turns: turns.length,
      turns_per_second: Math.round((turns.length / seconds) * 10) / 10,
      errors,
      turn_ms: { p50: at(turns, 0.5), p95: at(turns, 0.95) },
      ok_ms: { p50: at(waited, 0.5), p95: at(waited, 0.95), max: at(waited, 1) },
      memory_mb: { before: before.mb, after: after.mb },
      cpu_ms_per_turn: Math.round((after.cpuMs - before.cpuMs) / Math.max(1, turns.length)),
      stored_bytes_per_turn: Math.round(grown / Math.max(1, turns.length)),
      flood: {
        runs: queued.reduce((total, [, count]) => total + Number(count), 0),
        ended_before: (endedAtStart ?? NaN) - endedBefore,
        answer_ms: Math.round(performance.now() - asked),
      },
    };
  } finally {
    await server.kill();
    await server.stop();
  }
}

function at(values: readonly number[], share: number): number {
  return Math.round(percentile(values, share));
}

/** Of the process group, the server being the largest in it; Linux only, elsewhere 0. */
async function usageOf(group: number): Promise<{ mb: number; cpuMs: number }> {
  let most = { mb: 0, cpuMs: 0 };
  for (const name of await readdir("/proc").catch(() => []))
    if (/^\d+$/.test(name)) {
      const line = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
      const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
      const mb = Math.round((Number(fields[21]) * 4096) / 1e6);
      // In hundredths of a second.
      const cpuMs = (Number(fields[11]) + Number(fields[12])) * 10;
      if (Number(fields[2]) === group && mb > most.mb) most = { mb, cpuMs };
    }
  return most;
}

/** Of the conversations and their log. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith("threads.sqlite")) bytes += (await stat(join(folder, name))).size;
  return bytes;
}
