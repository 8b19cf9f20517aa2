/** `dev` and `serve` as a user starts them: processes of their own in an empty folder, on a free port. */
import { randomInt } from "node:crypto";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bareEnvironment, PROJECT } from "../support/run-command.js";
import { runHere } from "../support/run-here.js";

export interface DevServer {
  readonly url: string;
  /** The leader of its group of processes. */
  readonly pid: number;
  /** The folder that it was started in. */
  readonly folder: string;
  /** What it has printed so far. */
  output(): string;
  /** Sends it the signal that Ctrl-C sends; gives its exit code. */
  stop(): Promise<number | null>;
}

/** On a busy machine; on an idle one it is there after two seconds. */
const START_TIMEOUT_MS = 60_000;

/** @param files by path in the folder, there before the server starts; `notes/` is ingested */
export async function startDevServer(
  files: Record<string, string> = {},
  env: Record<string, string> = {},
): Promise<DevServer> {
  const folder = await folderWith(files, env);
  return launch(["dev", "--no-reload"], { folder, env });
}

export interface Served extends DevServer {
  /** Kills it as the system would, and leaves its folder. */
  kill(): Promise<void>;
  /** Stops it and leaves its folder. */
  end(): Promise<number | null>;
  /** Starts it again in its folder, on another port. */
  again(): Promise<Served>;
}

/** Starts our own server, likewise. */
export async function startServe(
  files: Record<string, string> = {},
  env: Record<string, string> = {},
): Promise<Served> {
  const folder = await folderWith(files, env);
  return launch(["serve"], { folder, env });
}

async function folderWith(
  files: Record<string, string>,
  env: Record<string, string>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "corrective-rag-server-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  if (Object.keys(files).some((path) => path.startsWith("notes/"))) {
    const lexically = { cwd: folder, env: { ...env, CRAG_READER: "lexical" } };
    const { code, stderr } = await runHere(["ingest", "notes"], lexically);
    if (code !== 0) throw new Error(stderr);
  }
  return folder;
}

async function launch(
  args: readonly string[],
  { folder, env }: { folder: string; env: Record<string, string> },
): Promise<Served> {
  const port = await freePort();
  // In a group of its own: `dev` is a grandchild, and nothing of it may stay behind.
  const child = spawn(
    process.execPath,
    [join(PROJECT, "scripts", "run.js"), ...args, "--port", String(port)],
    {
      cwd: folder,
      // Tests that need an answer without a model name the reader that is trained.
      env: { ...bareEnvironment(), LANGSMITH_TRACING: "false", CRAG_READER: "lexical", ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const ended = new Promise<number | null>((done) => child.on("close", done));
  const killGroup = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // Already gone.
    }
  };
  const end = async (): Promise<number | null> => {
    child.kill("SIGINT");
    const patience = setTimeout(() => killGroup("SIGKILL"), 25_000);
    const code = await ended;
    clearTimeout(patience);
    killGroup("SIGKILL");
    return code;
  };
  const stop = async (): Promise<number | null> => {
    const code = await end();
    await rm(folder, { recursive: true, force: true });
    return code;
  };
  const kill = async (): Promise<void> => {
    killGroup("SIGKILL");
    await ended;
  };
  const url = `http://localhost:${port}`;
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isUp(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`the server did not start:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const again = (): Promise<Served> => launch(args, { folder, env });
  return { url, pid: child.pid ?? 0, folder, output: () => printed, stop, end, kill, again };
}

async function isUp(url: string): Promise<boolean> {
  return fetch(`${url}/ok`).then(
    (response) => response.ok,
    () => false,
  );
}

/** Below the ports that the system gives to others, a server of another test among them. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + randomInt(12_000);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}
