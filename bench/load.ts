/** `bench load`: many conversations at once against the development server, as a chat client has them. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { percentile } from "../evals/ranking-metrics.js";

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
  /** What a turn left in the server's store, in bytes. */
  stored_bytes_per_turn: number;
}

const TOWNS = ["Dunmore", "Halden", "Orrin", "Selby", "Juniper", "Ivydale"];

/** The development server saves three seconds after the last request. */
const SAVED_AFTER = 6_000;

export async function runLoadBench({
  quick = false,
  conversations = quick ? 5 : 50,
  seconds = quick ? 3 : 120,
}: { quick?: boolean; conversations?: number; seconds?: number } = {}): Promise<LoadReport> {
  const folder = await mkdtemp(join(tmpdir(), "bench-load-"));
  await mkdir(join(folder, "notes"));
  for (const [n, town] of TOWNS.entries())
    await writeFile(
      join(folder, "notes", `${town}.md`),
      `# ${town}\n\n${town} was founded in ${1800 + n}. Its mayor is elected for ${n + 3} years.\n`,
    );
  const server = await startServer(folder);
  try {
    const client = new Client({ apiUrl: server.url });
    await client.runs.wait(null, "indexer", { input: { targets: ["notes"] } });
    await client.runs.wait(null, "agent", { input: { question: "When was Halden founded?" } });
    const before = await memoryOf(server.pid);
    const stored = await bytesIn(join(folder, ".corrective-rag", ".langgraph_api"));
    const until = performance.now() + seconds * 1_000;
    const turns: number[] = [];
    let errors = 0;
    const talk = async (index: number): Promise<void> => {
      const { thread_id: thread } = await client.threads.create();
      for (let turn = index; performance.now() < until; turn += 1) {
        const question = `When was ${TOWNS[turn % TOWNS.length] ?? ""} founded?`;
        const started = performance.now();
        try {
          const values = await client.runs.wait(thread, "agent", { input: { question } });
          if (!/180\d/.test(String(Reflect.get(values, "answer")))) errors += 1;
        } catch {
          errors += 1;
        }
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
    const after = await memoryOf(server.pid);
    await new Promise((saved) => setTimeout(saved, SAVED_AFTER));
    await server.stop();
    const grown = (await bytesIn(join(folder, ".corrective-rag", ".langgraph_api"))) - stored;
    return {
      machine: `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, Node ${process.version}`,
      conversations,
      seconds,
      turns: turns.length,
      turns_per_second: Math.round((turns.length / seconds) * 10) / 10,
      errors,
      turn_ms: { p50: at(turns, 0.5), p95: at(turns, 0.95) },
      ok_ms: { p50: at(waited, 0.5), p95: at(waited, 0.95), max: at(waited, 1) },
      memory_mb: { before, after },
      stored_bytes_per_turn: Math.round(grown / Math.max(1, turns.length)),
    };
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function at(values: readonly number[], share: number): number {
  return Math.round(percentile(values, share));
}

async function startServer(folder: string) {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const child = spawn(
    process.execPath,
    [join(process.cwd(), "scripts", "run.js"), "dev", "--port", String(port), "--no-reload"],
    { cwd: folder, detached: true, stdio: "ignore" },
  );
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  let stopped = false;
  while (
    !(await fetch(`${url}/ok`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 100));
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      if (stopped) return;
      stopped = true;
      // In a group of its own: the server is a grandchild.
      const group = -(child.pid ?? 0);
      process.kill(group, "SIGTERM");
      await ended;
      // It goes on to write what it keeps.
      while (isAlive(group)) await new Promise((resolve) => setTimeout(resolve, 50));
    },
  };
}

function isAlive(group: number): boolean {
  try {
    return process.kill(group, 0);
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === "object" && address !== null ? address.port : 2024;
}

/** Of the process group, the server being the largest in it; Linux only, elsewhere 0. */
async function memoryOf(group: number): Promise<number> {
  let most = 0;
  for (const name of await readdir("/proc").catch(() => []))
    if (/^\d+$/.test(name)) {
      const line = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
      const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
      if (Number(fields[2]) === group) most = Math.max(most, Number(fields[21]) * 4096);
    }
  return Math.round(most / 1e6);
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder).catch(() => []))
    bytes += (await stat(join(folder, name))).size;
  return bytes;
}
