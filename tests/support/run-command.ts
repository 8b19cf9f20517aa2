/** Runs a command line of ours as another program would: a process of its own, an environment without keys, a folder of its own. */
import { spawn } from "node:child_process";
import { join } from "node:path";

export const PROJECT = process.cwd();

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
  tookMs: number;
}

export interface RunOptions {
  cwd: string;
  env?: Record<string, string>;
  input?: string;
  /** Told the process, e.g. to send it a signal. */
  onStart?: (child: ReturnType<typeof spawn>) => void;
  /** Whether stdin stays open. */
  keepStdinOpen?: boolean;
}

/** The environment without anything that would change what the agent does. */
export function bareEnvironment(): Record<string, string | undefined> {
  const kept = ["PATH", "HOME", "TMPDIR", "LANG", "NODE_EXTRA_CA_CERTS"];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** Our command line as `npm run` starts it, ended and collected. */
export function runCommand(
  args: readonly string[],
  { cwd, env = {}, input = "", onStart, keepStdinOpen = false }: RunOptions,
): Promise<Finished> {
  return new Promise((done, failed) => {
    const started = performance.now();
    const child = spawn(process.execPath, [join(PROJECT, "scripts", "run.js"), ...args], {
      cwd,
      // Loading the encoder takes most of a command's time; tests that are about it name it.
      env: { ...bareEnvironment(), CRAG_READER: "lexical", ...env },
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", failed);
    child.on("close", (code) =>
      done({ code, stdout, stderr, tookMs: performance.now() - started }),
    );
    child.stdin.on("error", () => undefined);
    if (keepStdinOpen) child.stdin.write(input);
    else child.stdin.end(input);
    onStart?.(child);
  });
}

/** A stack trace, which no user should ever see. */
export const STACK_TRACE = /\n\s+at .+:\d+:\d+/;
