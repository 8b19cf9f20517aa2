/** `bench kills`: a server is killed again and again while it answers; what it had acknowledged is looked for. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";

export interface KillReport {
  store: "sqlite" | "postgres";
  kills: number;
  /** Turns whose answer a client had received. */
  acknowledged: number;
  /** Of them, not found after the last kill. */
  lost: number;
  /** Runs that were under way at a kill, and those of them that were not `interrupted` after it. */
  cut: number;
  cut_not_interrupted: number;
  /** From the start of the process to its first answer, in milliseconds, at most. */
  slowest_start_ms: number;
  /** Bytes of the SQLite file and its log. */
  stored_bytes: number | null;
}

const TOWNS = ["Dunmore", "Halden", "Orrin", "Selby", "Juniper", "Ivydale"];
const CLIENTS = 4;

/** @param databaseUrl of an empty Postgres database, in place of SQLite */
export async function runKillBench({
  quick = false,
  kills = quick ? 2 : 100,
  turns = quick ? 10 : 1_000,
  databaseUrl,
  onProgress,
}: {
  quick?: boolean;
  kills?: number;
  turns?: number;
  databaseUrl?: string | undefined;
  onProgress?: ((message: string) => void) | undefined;
} = {}): Promise<KillReport> {
  const folder = await mkdtemp(join(tmpdir(), "bench-kills-"));
  await mkdir(join(folder, "notes"));
  for (const [n, town] of TOWNS.entries())
    await writeFile(
      join(folder, "notes", `${town}.md`),
      `# ${town}\n\n${town} was founded in ${1800 + n}.\n`,
    );
  const env = {
    ...process.env,
    CRAG_READER: "lexical",
    CRAG_AUDIT_LOG: "off",
    CRAG_MAX_RUNS_PER_CLIENT: "1000",
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  };
  const command = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [join(process.cwd(), "scripts", "run.js"), ...args], {
      cwd: folder,
      env,
      stdio: "ignore",
    });
  await new Promise((done) => command("ingest", "notes").on("close", done));
  const report: KillReport = {
    store: databaseUrl === undefined ? "sqlite" : "postgres",
    kills: 0,
    acknowledged: 0,
    lost: 0,
    cut: 0,
    cut_not_interrupted: 0,
    slowest_start_ms: 0,
    stored_bytes: null,
  };
  const answers = new Map<string, string[]>();
  const cut = new Set<string>();
  let url = "";
  let client = new Client();
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const port = await freePort();
    const startedAt = performance.now();
    server = command("serve", "--port", String(port));
    url = `http://localhost:${port}`;
    client = new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } });
    while (
      !(await fetch(`${url}/ready`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await new Promise((resolve) => setTimeout(resolve, 25));
    report.slowest_start_ms = Math.max(
      report.slowest_start_ms,
      Math.round(performance.now() - startedAt),
    );
  };
  const kill = async (): Promise<void> => {
    const ended = new Promise((done) => server?.on("close", done));
    server?.kill("SIGKILL");
    await ended;
  };
  /** Asks on threads of its own until the server is gone or all turns are there. */
  const talk = async (until: number): Promise<void> => {
    let thread: string | undefined;
    for (let turn = 0; report.acknowledged < until; turn += 1) {
      try {
        if (turn % 5 === 0) thread = undefined;
        thread ??= (await client.threads.create()).thread_id;
        const input = { question: `When was ${TOWNS[turn % TOWNS.length] ?? ""} founded?` };
        const values: unknown = await client.runs.wait(thread, "agent", { input });
        const answer = String(Reflect.get(Object(values), "answer"));
        answers.set(thread, [...(answers.get(thread) ?? []), answer]);
        report.acknowledged += 1;
      } catch {
        return;
      }
    }
  };
  try {
    await start();
    for (let round = 1; round <= kills; round += 1) {
      const talking = Promise.all(
        Array.from({ length: CLIENTS }, () => talk(Number.POSITIVE_INFINITY)),
      );
      const goal = Math.ceil((turns * round) / kills);
      while (report.acknowledged < goal) await new Promise((resolve) => setTimeout(resolve, 5));
      await kill();
      await talking;
      report.kills += 1;
      await start();
      const threads = await client.threads.search({ limit: 20, select: ["thread_id"] });
      for (const { thread_id: thread } of threads)
        for (const { run_id: run, status } of await client.runs.list(thread))
          if (status === "interrupted") cut.add(run);
          else if (status !== "success") report.cut_not_interrupted += 1;
      report.cut = cut.size;
      onProgress?.(`${report.store}: ${round} kills, ${report.acknowledged} turns`);
    }
    for (const [thread, all] of answers) {
      const state: unknown = (await client.threads.getState(thread)).values;
      const text = JSON.stringify(state);
      report.lost += all.filter(
        (answer) => !text.includes(JSON.stringify(answer).slice(1, -1)),
      ).length;
    }
    if (databaseUrl === undefined) {
      const file = join(folder, ".corrective-rag", "threads.sqlite");
      const sizes = [file, `${file}-wal`].map((path) =>
        stat(path).then(
          ({ size }) => size,
          () => 0,
        ),
      );
      report.stored_bytes = (await Promise.all(sizes)).reduce((total, each) => total + each, 0);
    }
    return report;
  } finally {
    await kill();
    await rm(folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
