/**
 * Runs a command line of ours in the process of the test, where the command counts and not its
 * process: without signals and pipes. Notices that a process prints once are printed once for a file
 * of tests.
 */
import { Readable, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { main } from "../../src/cli/program.js";
import { bareEnvironment, type Finished, type RunOptions } from "./run-command.js";

const STREAMS = ["stdin", "stdout", "stderr"] as const;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export async function runHere(
  args: readonly string[],
  { cwd, env = {}, input = "" }: Pick<RunOptions, "cwd" | "env" | "input">,
): Promise<Pick<Finished, "code" | "stdout" | "stderr">> {
  const written = { stdout: "", stderr: "" };
  const before = { argv: process.argv, env: process.env, cwd: process.cwd() };
  const streams = STREAMS.map((name) => Object.getOwnPropertyDescriptor(process, name) ?? {});
  const listeners = SIGNALS.map((signal) => process.listeners(signal));
  try {
    const given = {
      stdin: Readable.from([Buffer.from(input)]),
      stdout: collector((text) => (written.stdout += text)),
      stderr: collector((text) => (written.stderr += text)),
    };
    for (const name of STREAMS)
      Object.defineProperty(process, name, { value: given[name], configurable: true });
    process.argv = [...process.argv.slice(0, 2), ...args];
    process.env = { ...bareEnvironment(), CRAG_READER: "lexical", ...env };
    process.chdir(cwd);
    const code = await main();
    // Colors are those of the terminal in which the tests run.
    const stdout = stripVTControlCharacters(written.stdout);
    return { code, stdout, stderr: stripVTControlCharacters(written.stderr) };
  } finally {
    process.chdir(before.cwd);
    Object.assign(process, { argv: before.argv, env: before.env });
    STREAMS.forEach((name, at) => Object.defineProperty(process, name, streams[at] ?? {}));
    SIGNALS.forEach((signal, at) => {
      for (const each of process.listeners(signal))
        if (!listeners[at]?.includes(each)) process.off(signal, each);
    });
  }
}

function collector(add: (text: string) => void): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      add(chunk.toString());
      done();
    },
  });
}
