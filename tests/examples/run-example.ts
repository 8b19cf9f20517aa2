import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { transformFile } from "@swc/core";
import { bareEnvironment, PROJECT } from "../support/run-command.js";

/** Runs a program of examples/ in a process of its own, on what is built in dist/. */
export async function runExample(
  name: string,
  {
    env = {},
    input = "",
    cwd = PROJECT,
  }: { env?: Record<string, string>; input?: string; cwd?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const program = join(PROJECT, `examples/${name}.ts`);
  // Below package.json, by which the package finds itself.
  const folder = await mkdtemp(join(PROJECT, ".dist-example-"));
  const compiled = join(folder, `${name}.mjs`);
  const { code } = await transformFile(program, {
    jsc: { parser: { syntax: "typescript" }, target: "es2022" },
  });
  await writeFile(compiled, code);
  const finished = await run([compiled], { env, input, cwd });
  await rm(folder, { recursive: true });
  return finished;
}

function run(
  args: readonly string[],
  { env, input, cwd }: { env: Record<string, string>; input: string; cwd: string },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...bareEnvironment(), CRAG_READER: "lexical", ...env },
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", failed);
    child.on("close", (code) => done({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}
